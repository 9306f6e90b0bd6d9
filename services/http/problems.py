"""Every way to be refused, in one table: exception -> status, type, title.

The exception speaks the game's language and carries facts; this table alone speaks HTTP
(RFC 9457).
"""

import re
from functools import lru_cache
from typing import Any

import structlog
from flask import Flask, Response, request
from werkzeug import exceptions as http

import rules_core as rules
from services import (
    analysis,
    eventlog,
    limits,
    lobby,
    players,
    tenants,
    views,
    webhooks,
)
from services.http import limits as counting
from services.http import observed, origins
from services.http import refusals as requests
from services.http.credentials import services
from services.http.origins import Origins
from services.http.teller import language_of_reader, mark_language
from services.http.wire import framing
from services.http.wire.problem import MEDIA_TYPE, Facts, Problem
from services.http.wire.problems import INTERNAL, WAS_LOGGED, WIRE_PROBLEMS
from services.http.wire.request_id import HEADER, id_of
from services.languages import Message, load_languages
from services.logs import Seldom
from services.match import refusals as match

log = structlog.get_logger()


def rate_facts(error: limits.RateExceeded) -> dict[str, Any]:
    """Return what applies, and when to come back."""
    return {
        "policy": error.policy.name,
        "limit": error.policy.quota,
        "window_s": error.policy.window_s,
        "retry_after_s": error.retry_after_s,
    }


def told(*members: str) -> Facts:
    """Return what takes members of an exception, each by the name that it has there."""
    return lambda error: {member: getattr(error, member) for member in members}


PROBLEMS: dict[type[Exception], Problem] = {
    # the request itself
    **WIRE_PROBLEMS,
    requests.MalformedJson: Problem(400, "malformed-json", "The body is not JSON"),
    requests.InvalidHeader: Problem(
        400, "invalid-header", "A header cannot be read", lambda e: {"header": e.name}
    ),
    requests.InvalidParameter: Problem(
        400,
        "invalid-parameter",
        "A parameter of the query cannot be used",
        lambda e: {"parameter": e.name},
    ),
    requests.NotJson: Problem(
        415, "unsupported-media-type", "The body is of another media type"
    ),
    requests.EncodedBody: Problem(
        415, "unsupported-content-encoding", "The body is packed"
    ),
    requests.InvalidBody: Problem(
        422, "invalid-body", "The body does not have the right form", told("errors")
    ),
    requests.UnknownHost: Problem(421, "unknown-host", "That host is not served here"),
    requests.AnotherVersion: Problem(
        412, "version-conflict", "The match has moved on", told("version")
    ),
    requests.NotAcceptable: Problem(
        406, "not-acceptable", "That form is not served here", told("offered")
    ),
    requests.UseStream: Problem(
        406, "use-stream", "Streams are served elsewhere", told("stream_url")
    ),
    limits.TooManyTurns: Problem(
        503,
        "too-many-turns",
        "Computer players have too much to do",
        lambda e: {"used": e.waiting, "limit": e.limit},
    ),
    requests.TooManyFollowers: Problem(
        503, "too-many-followers", "No more streams can be opened now"
    ),
    requests.InvalidImport: Problem(
        422, "invalid-import", "The export does not hold", told("findings", "more")
    ),
    requests.ForeignFist: Problem(
        422,
        "foreign-fist",
        "The fist of this match was hidden elsewhere",
        lambda e: {"match": e.match_id, "seats": [e.guesser]},
    ),
    http.RequestEntityTooLarge: WIRE_PROBLEMS[framing.TooLarge],
    http.BadRequest: WIRE_PROBLEMS[framing.BadRequest],
    http.PreconditionFailed: Problem(
        412, "precondition-failed", "What is there is not what was named"
    ),
    http.RequestedRangeNotSatisfiable: Problem(
        416, "range-not-satisfiable", "There is no such part of it"
    ),
    http.MethodNotAllowed: Problem(
        405, "method-not-allowed", "This resource does not know that method"
    ),
    http.NotFound: Problem(404, "not-found", "There is nothing here"),
    # who asks
    requests.Unauthenticated: Problem(
        401, "unauthenticated", "A valid token is required"
    ),
    requests.Forbidden: Problem(403, "forbidden", "This token does not allow that"),
    limits.TooManyGuests: Problem(
        429, "too-many-guests", "Too many matches were opened", rate_facts
    ),
    limits.RateExceeded: Problem(
        429, "too-many-requests", "Too many requests were made", rate_facts
    ),
    limits.QuotaExceeded: Problem(
        409,
        "quota-exceeded",
        "There are as many as there may be",
        told("quota", "limit", "used"),
    ),
    # games and rules
    rules.UnknownGame: Problem(
        422, "unknown-game", "There is no such game", told("known")
    ),
    requests.NoSuchProblem: Problem(404, "not-found", "There is nothing here"),
    requests.NoSuchGame: Problem(
        404, "not-found", "There is nothing here", told("known")
    ),
    rules.InvalidOptions: Problem(
        422,
        "invalid-options",
        "The game cannot be played with these options",
        lambda e: {"option": e.name, "allowed": e.allowed},
    ),
    rules.InvalidPosition: Problem(
        422, "invalid-position", "That is not a position of this game"
    ),
    rules.InvalidSnapshot: Problem(
        422, "invalid-position", "That is not a position of this game"
    ),
    rules.IllegalMove: Problem(
        422,
        "illegal-move",
        "That move is not legal here",
        lambda e: {
            "move": e.move,
            "legal_moves": e.legal,
            **({"ply": e.ply} if e.ply else {}),
        },
    ),
    # matches
    match.MatchGoesOn: Problem(409, "match-not-over", "The match is not over"),
    requests.AlreadyMatched: Problem(
        409,
        "already-matched",
        "The seek has found somebody",
        lambda e: {"match": e.match_id},
    ),
    analysis.TooManyAnalyses: Problem(
        409,
        "quota-exceeded",
        "There are as many as there may be",
        told("quota", "limit", "used"),
    ),
    analysis.NoSuchAnalysis: Problem(
        404, "no-such-analysis", "There is no such analysis"
    ),
    analysis.AnalysisOver: Problem(
        422, "nothing-to-analyse", "The game is over in that position"
    ),
    match.HintsForbidden: Problem(
        409, "hints-forbidden", "The match was opened without hints"
    ),
    lobby.NoSuchSeek: Problem(404, "no-such-seek", "There is no such seek"),
    match.NoSuchMatch: Problem(404, "no-such-match", "There is no such match"),
    players.NoSuchPlayer: Problem(404, "no-such-player", "There is no such player"),
    match.NoSuchVersion: Problem(
        404,
        "no-such-version",
        "There is no such version",
        lambda e: {"version": e.latest},
    ),
    match.AlreadyOpen: Problem(409, "already-open", "The match is open already"),
    match.KnownMatch: Problem(
        409,
        "known-match",
        "The match is in this log already",
        lambda e: {"match": e.match_id} if e.is_own else {},
    ),
    match.NoSuchSeat: Problem(
        422, "no-such-seat", "The game has no such seat", told("seats")
    ),
    match.NoSuchLevel: Problem(
        422,
        "no-such-level",
        "Computer players of this game have no such level",
        told("levels"),
    ),
    match.InvalidStarter: Problem(
        422, "invalid-starter", "The game cannot be begun like that", told("allowed")
    ),
    match.InvalidClock: Problem(
        422,
        "invalid-clock",
        "There is no such time control",
        lambda e: {"member": e.member or None, "controls": e.controls},
    ),
    match.SeatTaken: Problem(
        409, "seat-taken", "The seat is taken", lambda e: {"free_seats": e.free}
    ),
    match.SeatEmpty: Problem(409, "seat-empty", "No human player sits there"),
    match.MatchNotStarted: Problem(
        409,
        "match-not-started",
        "The match has not begun",
        lambda e: {"free_seats": e.free},
    ),
    match.MatchOver: Problem(409, "match-over", "The match is over", told("reason")),
    match.NotYourTurn: Problem(
        409, "not-your-turn", "The other seat is to move", told("to_move")
    ),
    match.AlreadyBegun: Problem(
        409, "already-begun", "Moves were played already", told("ply")
    ),
    match.OfferPending: Problem(
        409,
        "offer-pending",
        "An offer has to be answered first",
        lambda e: {"offer": {"kind": e.kind, "seat": e.seat}},
    ),
    match.NoOffer: Problem(409, "no-offer", "There is nothing to answer"),
    match.OwnOffer: Problem(409, "own-offer", "The other seat has to answer"),
    match.InvalidTakeback: Problem(
        422, "invalid-takeback", "The match cannot go back to that version"
    ),
    match.NoFist: Problem(409, "no-fist", "There is no fist to guess, or one first"),
    match.Quarantined: Problem(
        409, "match-quarantined", "The match can be read, but not changed"
    ),
    match.PositionChanged: Problem(
        412, "version-conflict", "The match has moved on", told("version")
    ),
    eventlog.VersionConflict: Problem(
        412, "version-conflict", "The match has moved on", told("version")
    ),
    requests.ExpectedVersionMissing: Problem(
        428, "expected-version-missing", "Say which version you have seen"
    ),
    eventlog.KeyReused: Problem(
        422, "idempotency-key-reused", "The key was used for another request"
    ),
    views.InvalidCursor: Problem(
        400, "invalid-cursor", "The cursor is not one of this list"
    ),
    views.FeedTrimmed: Problem(
        410,
        "feed-trimmed",
        "The feed does not reach back so far",
        lambda e: {"oldest": str(e.oldest)},
    ),
    views.NoSuchEntry: Problem(
        404,
        "no-such-entry",
        "The feed has no such entry",
        lambda e: {"newest": str(e.newest)},
    ),
    # webhooks
    webhooks.NoSuchEndpoint: Problem(
        404, "no-such-endpoint", "There is no such webhook endpoint"
    ),
    webhooks.NoSuchDelivery: Problem(
        404, "no-such-delivery", "There is no such delivery"
    ),
    webhooks.TooManyEndpoints: Problem(
        409,
        "too-many-endpoints",
        "The tenant has as many webhook endpoints as it may",
        told("limit", "used"),
    ),
    # API keys
    tenants.NoSuchKey: Problem(404, "no-such-key", "There is no such API key"),
    tenants.InvalidKey: Problem(409, "invalid-key", "The API key is no longer valid"),
    tenants.TooManyKeys: Problem(
        409, "too-many-keys", "The tenant has as many API keys as it may", told("limit")
    ),
    # operations
    eventlog.LogUnavailable: Problem(
        503, "log-unavailable", "The event log cannot be reached now"
    ),
    eventlog.LogFull: Problem(503, "log-full", "The event log is full"),
    eventlog.LogGone: Problem(
        503, "log-gone", "The event log is not the one that was here before"
    ),
    eventlog.TooFewReplicas: Problem(
        503, "too-few-replicas", "Too few replicas hold the event log"
    ),
    requests.UnusableKeys: Problem(
        503, "unusable-keys", "A file of keys has to be put right first"
    ),
    eventlog.LogDamaged: Problem(
        500, "log-damaged", "State and events of the match disagree"
    ),
}

DETAILS: dict[type[http.HTTPException], Message] = {
    http.BadRequest: Message("the request cannot be understood"),
    http.MethodNotAllowed: Message(
        "use one of the methods that the Allow header names"
    ),
    http.NotFound: Message(
        "no resource has this path; /openapi.yaml of the API lists them all"
    ),
    http.PreconditionFailed: Message("it has changed since; read it again"),
    http.RequestEntityTooLarge: Message(
        "the body is larger than may be sent to this path"
    ),
    http.RequestedRangeNotSatisfiable: Message("ask for a range that lies within it"),
}
"""What is said where Flask and Werkzeug refuse, in our words and not in theirs."""

NOT_KEPT = "no-such-"
"""So begin the types that say that nothing is kept by a name."""

TOLD_BY_PAGE = "seedlog.told_by_page"
"""Says in the environ of a request that its refusal is no problem, but a page."""

RETRY_AFTER_S = 1
SAID_EVERY_S = 10.0
GUARDS = (("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"))

_unavailable = Seldom(SAID_EVERY_S)
_HOST = re.compile(r"(?:([a-z0-9_.-]{1,253})|\[([0-9a-f:.]+)\])(?::\d{1,5})?")


def problem_response(
    problem: Problem, error: Exception, detail: Message | str
) -> Response:
    """Return a problem as an answer, with the headers that belong to its status."""
    language = language_of_reader()
    response = Response(
        problem.body(error, detail, id_of(request.environ), language),
        problem.status,
        content_type=MEDIA_TYPE,
    )
    mark_language(response, language)
    if problem.status == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="seedlog"'
    if isinstance(error, requests.EncodedBody):
        response.headers["Accept-Encoding"] = "identity"
    if problem.status == 503:
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
    if isinstance(error, limits.RateExceeded):
        response.headers["Retry-After"] = str(error.retry_after_s)
    if isinstance(error, http.MethodNotAllowed) and error.valid_methods:
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return response


def answer_problem(error: Exception) -> Response:
    """Answer with the problem of an exception; an unknown one is ours, and logged.

    So is why the log is unavailable: that may name hosts, and nobody else is told.
    """
    problem, detail = find_problem(error)
    if problem is INTERNAL:
        log.exception("internal error", exc_info=error)
    elif isinstance(error, eventlog.LogUnavailable):
        _unavailable.warn(problem.type, "the event log is unavailable", reason=error)
    return problem_response(problem, error, detail)


def answer_refusal(error: Exception) -> Response:
    """Answer a request with the problem of an exception.

    What is not found may be kept in the log that this one was.
    """
    problem, _ = find_problem(error)
    if problem.status == 404 and problem.type.startswith(NOT_KEPT):
        try:
            services().event_log.recognize()
        except (eventlog.LogUnavailable, eventlog.LogDamaged) as trouble:
            error = trouble
    return answer_problem(error)


def find_problem(error: Exception) -> tuple[Problem, Message | str]:
    """Return which problem an exception is, and what it says in detail."""
    for kind in type(error).__mro__:
        if kind in PROBLEMS:
            return PROBLEMS[kind], _detail(error)
    if isinstance(error, http.HTTPException) and (error.code or 500) < 500:
        problem = Problem(error.code or 400, "bad-request", "The request is not right")
        return problem, _detail(error)
    return INTERNAL, WAS_LOGGED


def register(app: Flask, allowed: Origins) -> None:
    """Answer every exception of an app with a problem, and every request by its id.

    Where pages of other origins are *allowed*, they may read all of it.
    """
    load_languages()  # rather now than in the loop of a server, while others wait
    app.register_error_handler(Exception, answer_refusal)
    app.before_request(observed.begin)
    app.before_request(check_host)
    origins.register(app, allowed)
    counting.register(app)
    app.before_request(check_log)  # a browser that asks first is answered by then
    app.after_request(guard)  # before the above: those that are added last come first


def check_host() -> None:
    """Refuse a request for another host than those of the settings, if these say any.

    Whoever asks for its health asks this process, by whatever address.

    :raises UnknownHost: what is built on its name would lead elsewhere.
    """
    environ = request.environ
    given, path = environ.get("HTTP_HOST", ""), environ["PATH_INFO"]
    allowed = "" if path.startswith("/health/") else services().settings.hosts
    if not _is_served(given, allowed):
        raise requests.UnknownHost(given)


def check_log() -> None:
    """Refuse who would read or write beside a log that is not the one it was.

    What games there are is known without one.

    :raises LogGone: it is another one, as was found within a second.
    """
    path = request.environ["PATH_INFO"]
    if path.startswith("/v1/") and not path.startswith("/v1/games"):
        services().event_log.watch()


@lru_cache(maxsize=1024)
def _is_served(given: str, allowed: str) -> bool:
    host = _HOST.fullmatch(given.lower())
    if host is None:
        return False
    return not allowed or (host[1] or host[2]) in allowed.lower().split()


def guard(response: Response) -> Response:
    """Let nobody guess another type for an answer, nor keep what says nothing of it.

    What a library refuses by itself becomes a problem like everything else.
    """
    is_told = response.mimetype == MEDIA_TYPE or TOLD_BY_PAGE in request.environ
    if response.status_code >= 400 and not is_told:
        response = answer_problem(http.default_exceptions[response.status_code]())
    present = {name.lower() for name, _ in response.headers}
    for name, value in GUARDS:
        if name.lower() not in present:
            response.headers.add(name, value)
    response.headers.add(HEADER, id_of(request.environ))
    observed.finish(response)
    return response


def _detail(error: Exception) -> Message | str:
    if not isinstance(error, http.HTTPException):
        return getattr(error, "message", None) or str(error)
    return DETAILS.get(type(error), DETAILS[http.BadRequest])
