"""Problems of requests that never become one: they are answered before any app."""

from services.http.wire import framing
from services.http.wire.problem import Problem
from services.languages import Message

WIRE_PROBLEMS: dict[type[Exception], Problem] = {
    framing.TargetTooLong: Problem(414, "target-too-long", "The target is too long"),
    framing.HeadTooLarge: Problem(431, "head-too-large", "The headers are too large"),
    framing.TooLarge: Problem(413, "body-too-large", "The body is too large"),
    framing.TooSlow: Problem(408, "request-timeout", "The request came too slowly"),
    framing.TooBusy: Problem(503, "too-busy", "Too many requests wait"),
    framing.ExpectationFailed: Problem(
        417, "expectation-failed", "That expectation cannot be met"
    ),
    framing.UnsupportedCoding: Problem(
        501, "unsupported-transfer-coding", "The transfer coding is not known here"
    ),
    framing.BadRequest: Problem(
        400, "malformed-request", "That is not an HTTP request as it should be"
    ),
}

INTERNAL = Problem(500, "internal-error", "Something went wrong on our side")
WAS_LOGGED = Message("it was logged; please try again later")


def wire_problem(error: framing.BadRequest) -> Problem:
    """Return the problem that a refusal of the wire is."""
    for kind in type(error).__mro__:
        if kind in WIRE_PROBLEMS:
            return WIRE_PROBLEMS[kind]
    raise AssertionError("the last one is BadRequest")
