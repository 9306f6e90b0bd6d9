"""Answers that are written without any app: problems of the wire, as bytes."""

from email.utils import formatdate
from http import HTTPStatus

from services.http.wire.framing import BadRequest
from services.http.wire.problem import MEDIA_TYPE, Problem
from services.http.wire.problems import wire_problem

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def refusal(error: BadRequest) -> bytes:
    """Return the whole answer to what is not a request."""
    return _closing(wire_problem(error), error, str(error))


def failure(problem: Problem, error: Exception) -> bytes:
    """Return the whole answer where there should have been another."""
    return _closing(problem, error, "it was logged; please try again later")


def closing_head(status: int, headers: list[tuple[str, str]]) -> bytes:
    """Return the head of an answer that ends with its connection."""
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    lines += [f"{name}: {value}" for name, value in headers]
    lines += [f"Date: {formatdate(usegmt=True)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode("latin-1")


def _closing(problem: Problem, error: Exception, detail: str) -> bytes:
    body = problem.body(error, detail)
    later = [("Retry-After", "1")] if problem.status == 503 else []
    headers = [
        *later,
        ("Content-Type", MEDIA_TYPE),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
    ]
    return closing_head(problem.status, headers) + body
