"""Answers that are written without any app: problems of the wire, as bytes."""

from collections.abc import Iterable
from email.utils import formatdate
from http import HTTPStatus

from services.http.wire.framing import BadRequest
from services.http.wire.problem import MEDIA_TYPE, Problem
from services.http.wire.problems import wire_problem
from services.http.wire.request_id import HEADER

Headers = Iterable[tuple[str, str]]

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def refusal(error: BadRequest, request_id: str, headers: Headers = ()) -> bytes:
    """Return the whole answer to what is not a request."""
    return _closing(wire_problem(error), error, str(error), request_id, headers)


def failure(
    problem: Problem, error: Exception, request_id: str, headers: Headers = ()
) -> bytes:
    """Return the whole answer where there should have been another."""
    detail = "it was logged; please try again later"
    return _closing(problem, error, detail, request_id, headers)


def closing_head(status: int, headers: list[tuple[str, str]]) -> bytes:
    """Return the head of an answer that ends with its connection."""
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    lines += [f"{name}: {value}" for name, value in headers]
    lines += [f"Date: {formatdate(usegmt=True)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode("latin-1")


def _closing(
    problem: Problem, error: Exception, detail: str, request_id: str, further: Headers
) -> bytes:
    body = problem.body(error, detail, request_id)
    later = [("Retry-After", "1")] if problem.status == 503 else []
    headers = [
        *later,
        ("Content-Type", MEDIA_TYPE),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        (HEADER, request_id),
        *further,
    ]
    return closing_head(problem.status, headers) + body
