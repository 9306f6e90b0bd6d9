"""Reads the head of an HTTP request as WSGI wants it; a stream needs no body."""

import io
import re
import sys
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote_to_bytes

from services.http.wire.framing import (
    MAX_REQUEST_LINE,
    BadRequest,
    HeadTooLarge,
    UnsupportedCoding,
    split_target,
)
from services.languages import Message

_REQUEST = re.compile(rb"([A-Z]{1,16}) ([\x21-\x7e]+) HTTP/1\.([01])")
_HEADER = re.compile(
    rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)"
)
_SINGLE = (
    "HTTP_HOST",
    "HTTP_AUTHORIZATION",
    "HTTP_LAST_EVENT_ID",
    "HTTP_CONTENT_LENGTH",
    "HTTP_TRANSFER_ENCODING",
)


def read_head(head: bytes, address: str) -> dict[str, Any]:
    """Return the WSGI environment of a request.

    :raises BadRequest: it is not one, or says a thing twice.
    :raises UnsupportedCoding: its body is packed.
    """
    line, *lines = head.removesuffix(b"\r\n\r\n").split(b"\r\n")
    request_line = _REQUEST.fullmatch(line)
    if request_line is None:
        raise BadRequest(Message("the request line cannot be read"))
    method, target, minor = (part.decode("ascii") for part in request_line.groups())
    host, resource = split_target(target)
    path, _, query = resource.partition("?")
    if not path.startswith("/"):
        raise BadRequest(
            Message("the target has to begin with a slash, or with http://")
        )
    environ: dict[str, Any] = {
        "REQUEST_METHOD": method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "QUERY_STRING": query,
        "SERVER_NAME": "stream",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": address,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for text in lines:
        if len(text) > MAX_REQUEST_LINE:
            raise HeadTooLarge(MAX_REQUEST_LINE)
        header = _HEADER.fullmatch(text)
        if header is None:
            raise BadRequest(Message("a header cannot be read"))
        name = "HTTP_" + header[1].decode("ascii").upper().replace("-", "_")
        value = header[2].decode("latin-1").strip()
        if name in environ:
            if name in _SINGLE:
                name = header[1].decode("ascii")
                raise BadRequest(Message("{header} is given twice", header=name))
            value = f"{environ[name]}, {value}"
        environ[name] = value
    if minor == "1" and "HTTP_HOST" not in environ:
        raise BadRequest(Message("HTTP/1.1 needs a Host header"))
    if host is not None:
        environ["HTTP_HOST"] = host
    _check_framing(environ)
    return environ


def _check_framing(environ: Mapping[str, Any]) -> None:
    """Refuse a head that nobody could tell the end of its body by; none is read."""
    length = environ.get("HTTP_CONTENT_LENGTH", "0")
    if not (length.isascii() and length.isdigit()):
        raise BadRequest(Message("Content-Length has to be a whole number"))
    coding = environ.get("HTTP_TRANSFER_ENCODING", "chunked")
    if coding.lower() != "chunked":
        raise UnsupportedCoding
