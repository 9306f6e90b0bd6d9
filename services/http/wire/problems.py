"""Problems of requests that never become one: they are answered before any app."""

from services.http.wire import framing
from services.http.wire.problem import Problem, by_exception, look_up
from services.languages import Message

TOO_LARGE = Problem(
    413,
    "body-too-large",
    Message("The body is too large"),
    cause=Message("The body is larger than may be sent to this path."),
    advice=Message(
        "Send less. An operator can raise the limits of bodies and imports."
    ),
    example=framing.TooLarge(65536),
    detail=Message("the body is larger than may be sent to this path"),
)

BAD_REQUEST = Problem(
    400,
    "malformed-request",
    Message("That is not an HTTP request as it should be"),
    cause=Message("What came is not a request as HTTP/1.1 describes it."),
    advice=Message("Use an HTTP library; the detail says which rule was broken."),
    example=framing.BadRequest(Message("HTTP/1.1 needs a Host header")),
    detail=Message("the request cannot be understood"),
)

WIRE: tuple[Problem, ...] = (
    Problem(
        414,
        "target-too-long",
        Message("The target is too long"),
        cause=Message(
            "The first line of the request, with its path and query, is too long."
        ),
        advice=Message("Ask for less at once: fewer ids, fewer fields."),
        example=framing.TargetTooLong(),
    ),
    Problem(
        431,
        "head-too-large",
        Message("The headers are too large"),
        cause=Message(
            "Request line and headers together are larger than is read here."
        ),
        advice=Message(
            "Leave out headers that are not needed; cookies are never read."
        ),
        example=framing.HeadTooLarge(),
    ),
    TOO_LARGE,
    Problem(
        408,
        "request-timeout",
        Message("The request came too slowly"),
        cause=Message("The request did not arrive whole in the time that it has."),
        advice=Message("Send it again, with the same Idempotency-Key if it writes."),
        example=framing.TooSlow(30),
    ),
    Problem(
        503,
        "too-busy",
        Message("Too many requests wait"),
        cause=Message("More requests wait for an answer than there is room for."),
        advice=Message(
            "Wait as long as Retry-After says, then send the same request again."
        ),
        example=framing.TooBusy(),
    ),
    Problem(
        417,
        "expectation-failed",
        Message("That expectation cannot be met"),
        cause=Message("The header Expect asks for something else than 100-continue."),
        advice=Message("Leave the header out."),
        example=framing.ExpectationFailed(),
    ),
    Problem(
        501,
        "unsupported-transfer-coding",
        Message("The transfer coding is not known here"),
        cause=Message("The body travels in a transfer coding that is not read here."),
        advice=Message(
            "Send the body with Content-Length, or in chunks that are not packed."
        ),
        example=framing.UnsupportedCoding(),
    ),
    BAD_REQUEST,
)

INTERNAL = Problem(
    500,
    "internal-error",
    Message("Something went wrong on our side"),
    cause=Message("The server has a fault; it was written into its log."),
    advice=Message("Try again later; tell the operator the id of the request."),
    example=RuntimeError(),
    detail=Message("it was logged; please try again later"),
)

_KINDS = by_exception(WIRE)


def wire_problem(error: framing.BadRequest) -> Problem:
    """Return the problem that a refusal of the wire is."""
    return look_up(_KINDS, error) or BAD_REQUEST
