"""Problems of what was asked: its form, its path, its media types."""

from werkzeug import exceptions as http

from services.http import refusals as requests
from services.http.problems.matches import MATCH
from services.http.wire.problem import Problem, told
from services.languages import Message, number_within

REQUESTS: tuple[Problem, ...] = (
    Problem(
        400,
        "malformed-json",
        Message("The body is not JSON"),
        cause=Message("The body cannot be read as JSON, or says a member twice."),
        advice=Message("Write the body with a JSON library."),
        example=requests.MalformedJson(
            Message("the body is nested too deeply to be read")
        ),
    ),
    Problem(
        400,
        "invalid-header",
        Message("A header cannot be read"),
        cause=Message("A header does not have the form that it should have."),
        advice=Message(
            "Put right the header that is named; detail says what it should be."
        ),
        example=requests.InvalidHeader(
            "Idempotency-Key", Message("1 to 200 visible ASCII characters")
        ),
        facts=lambda e: {"header": e.name},
    ),
    Problem(
        400,
        "invalid-parameter",
        Message("A parameter of the query cannot be used"),
        cause=Message("A parameter of the query is unknown, comes twice or is wrong."),
        advice=Message("Put right the parameter that is named, or leave it out."),
        example=requests.InvalidParameter("limit", number_within(1, 200)),
        facts=lambda e: {"parameter": e.name},
    ),
    Problem(
        415,
        "unsupported-media-type",
        Message("The body is of another media type"),
        cause=Message("The Content-Type of the body is not the one that is read here."),
        advice=Message(
            "Send JSON as application/json, an export as application/x-ndjson."
        ),
        example=requests.NotJson("text/plain"),
    ),
    Problem(
        415,
        "unsupported-content-encoding",
        Message("The body is packed"),
        cause=Message("The body is compressed."),
        advice=Message("Send it as it is, without Content-Encoding."),
        example=requests.EncodedBody("gzip"),
    ),
    Problem(
        422,
        "invalid-body",
        Message("The body does not have the right form"),
        cause=Message("The body is JSON, but a member is missing, unknown or wrong."),
        advice=Message(
            "Put right what errors names: each points to a member of the body."
        ),
        example=requests.InvalidBody(
            [{"pointer": "/game", "detail": Message("is needed")}]
        ),
        facts=told("errors"),
    ),
    Problem(
        421,
        "unknown-host",
        Message("That host is not served here"),
        cause=Message("The request is for a host that this server does not serve."),
        advice=Message("Use the address that your operator has named."),
        example=requests.UnknownHost("elsewhere.example"),
    ),
    Problem(
        406,
        "not-acceptable",
        Message("That form is not served here"),
        cause=Message("None of the media types in Accept can be answered here."),
        advice=Message("Send one of those that are offered, or no Accept at all."),
        example=requests.NotAcceptable(("text/event-stream", "application/x-ndjson")),
        facts=told("offered"),
    ),
    Problem(
        406,
        "use-stream",
        Message("Streams are served elsewhere"),
        cause=Message("A stream was asked for where lists are answered."),
        advice=Message(
            "Follow the URL of the stream, or ask for application/json here."
        ),
        example=requests.UseStream(f"/v1/matches/{MATCH}/stream"),
        facts=told("stream_url"),
    ),
    Problem(
        412,
        "precondition-failed",
        Message("What is there is not what was named"),
        cause=Message("A condition of the request, such as If-Match, is not met."),
        advice=Message("Read the resource again, and decide again."),
        example=http.PreconditionFailed(),
        detail=Message("it has changed since; read it again"),
    ),
    Problem(
        416,
        "range-not-satisfiable",
        Message("There is no such part of it"),
        cause=Message("The header Range asks for a part that is not there."),
        advice=Message("Leave the header out."),
        example=http.RequestedRangeNotSatisfiable(),
        detail=Message("ask for a range that lies within it"),
    ),
    Problem(
        405,
        "method-not-allowed",
        Message("This resource does not know that method"),
        cause=Message("There is such a path, but not with this method."),
        advice=Message("Use one of the methods in the header Allow."),
        example=http.MethodNotAllowed(),
        detail=Message("use one of the methods that the Allow header names"),
    ),
    Problem(
        404,
        "not-found",
        Message("There is nothing here"),
        cause=Message("Nothing has this path."),
        advice=Message("Compare the path with /openapi.yaml, which lists all of them."),
        example=http.NotFound(),
        also=(requests.NoSuchProblem, requests.NoSuchGame),
        facts=lambda e: {"known": e.known} if hasattr(e, "known") else {},
        detail=Message(
            "no resource has this path; /openapi.yaml of the API lists them all"
        ),
    ),
)
