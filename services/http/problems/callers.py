"""Problems of who asks: tokens and keys, and how much may be asked for."""

from typing import Any

from services import analysis, eventlog, limits, tenants
from services.http import refusals as requests
from services.http.wire.problem import Problem, told
from services.languages import Message


def rate_facts(error: limits.RateExceeded) -> dict[str, Any]:
    """Return what applies, and when to come back."""
    return {
        "policy": error.policy.name,
        "limit": error.policy.quota,
        "window_s": error.policy.window_s,
        "retry_after_s": error.retry_after_s,
    }


CALLERS: tuple[Problem, ...] = (
    Problem(
        503,
        "too-many-turns",
        Message("Computer players have too much to do"),
        cause=Message(
            "As many turns wait for computer players as the operator lets wait."
        ),
        advice=Message("Come back in a while; its operator may start more AI workers."),
        example=limits.TooManyTurns(10_000, 10_000),
        facts=lambda e: {"used": e.waiting, "limit": e.limit},
    ),
    Problem(
        503,
        "too-many-followers",
        Message("No more streams can be opened now"),
        cause=Message("As many streams are open as this process can hold."),
        advice=Message(
            "Come back in a while, with the id of the last event that you saw."
        ),
        example=requests.TooManyFollowers(),
    ),
    Problem(
        401,
        "unauthenticated",
        Message("A valid token is required"),
        cause=Message(
            "No token came with the request, or one that is not valid any more."
        ),
        advice=Message(
            "Send your API key or the token of a seat in the header Authorization."
        ),
        example=requests.Unauthenticated(
            Message("this API key is unknown, expired or revoked")
        ),
    ),
    Problem(
        403,
        "forbidden",
        Message("This token does not allow that"),
        cause=Message(
            "The token is valid, but its role or its seat does not allow this."
        ),
        advice=Message(
            "Use the token of the seat, or an API key of the role that is needed."
        ),
        example=requests.Forbidden(
            Message("this API key may only read; send one that may play")
        ),
    ),
    Problem(
        429,
        "too-many-requests",
        Message("Too many requests were made"),
        cause=Message("An app, a player or an address has asked as often as it may."),
        advice=Message(
            "Wait as long as Retry-After says; GET /v1/limits tells what applies."
        ),
        example=limits.RateExceeded(
            limits.Policy("key", 600, 60, Message("requests for an API key")), 7
        ),
        facts=rate_facts,
    ),
    Problem(
        409,
        "quota-exceeded",
        Message("There are as many as there may be"),
        cause=Message(
            "An app may have only so many open matches, streams, endpoints, seeks "
            "and analyses."
        ),
        advice=Message(
            "End what is not needed any more, or ask the operator for more."
        ),
        example=limits.QuotaExceeded("followers", 100, 100),
        also=(analysis.TooManyAnalyses,),
        facts=told("quota", "limit", "used"),
    ),
    Problem(
        429,
        "too-many-guests",
        Message("Too many matches were opened"),
        cause=Message("The page has opened as many matches as it may in an hour."),
        advice=Message(
            "Wait as long as Retry-After says, or open matches with an API key."
        ),
        example=limits.TooManyGuests(
            limits.Policy("guests", 60, 3600, Message("matches of all guests")), 1200
        ),
        facts=rate_facts,
    ),
    Problem(
        422,
        "idempotency-key-reused",
        Message("The key was used for another request"),
        cause=Message(
            "The Idempotency-Key came within the last hour with another request."
        ),
        advice=Message(
            "Repeat a request unchanged; give each new one a key of its own."
        ),
        example=eventlog.KeyReused("my-first-move"),
    ),
    Problem(
        404,
        "no-such-key",
        Message("There is no such API key"),
        cause=Message("This app has no API key of this id."),
        advice=Message("Choose one of GET /v1/keys."),
        example=tenants.NoSuchKey("key_1"),
    ),
    Problem(
        409,
        "invalid-key",
        Message("The API key is no longer valid"),
        cause=Message("A key that was revoked or has expired has no successor."),
        advice=Message("Make a new key."),
        example=tenants.InvalidKey(
            Message("the API key {key!r} was revoked", key="key_1")
        ),
    ),
    Problem(
        409,
        "too-many-keys",
        Message("The tenant has as many API keys as it may"),
        cause=Message("An app may have only so many API keys, former ones included."),
        advice=Message("Use one of the keys that there are, or ask the operator."),
        example=tenants.TooManyKeys(20),
        facts=told("limit"),
    ),
)
