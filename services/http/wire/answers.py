"""Answers that are written without any app: problems of the wire, as bytes."""

from collections.abc import Iterable
from email.utils import formatdate
from http import HTTPStatus

from services.http.wire.framing import BadRequest
from services.http.wire.problem import MEDIA_TYPE
from services.http.wire.problems import INTERNAL, wire_problem
from services.http.wire.request_id import HEADER
from services.languages import Language

Headers = Iterable[tuple[str, str]]

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def refusal(
    error: BadRequest, request_id: str, language: Language, headers: Headers = ()
) -> bytes:
    """Return the whole answer to what is not a request."""
    body = wire_problem(error).body(error, error.message, request_id, language)
    return _closing(wire_problem(error).status, body, request_id, language, headers)


def failure(
    error: Exception, request_id: str, language: Language, headers: Headers = ()
) -> bytes:
    """Return the whole answer where there should have been another."""
    body = INTERNAL.body(error, INTERNAL.detail, request_id, language)
    return _closing(INTERNAL.status, body, request_id, language, headers)


def closing_head(status: int, headers: list[tuple[str, str]]) -> bytes:
    """Return the head of an answer that ends with its connection."""
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    lines += [f"{name}: {value}" for name, value in headers]
    lines += [f"Date: {formatdate(usegmt=True)}", "Connection: close", "", ""]
    return "\r\n".join(lines).encode("latin-1")


def _closing(
    status: int, body: bytes, request_id: str, language: Language, further: Headers
) -> bytes:
    later = [("Retry-After", "1")] if status == 503 else []
    headers = [
        *later,
        ("Content-Type", MEDIA_TYPE),
        ("Content-Language", language.code),
        ("Vary", "Accept-Language"),
        ("Content-Length", str(len(body))),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        (HEADER, request_id),
        *further,
    ]
    return closing_head(status, headers) + body
