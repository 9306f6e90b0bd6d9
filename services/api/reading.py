"""Reads requests: body, query and headers, each with an answer when it is wrong."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any

import orjson
from flask import request
from marshmallow import Schema, ValidationError

from services.api.context import Caller
from services.api.refusals import (
    InvalidBody,
    InvalidHeader,
    InvalidParameter,
    MalformedJson,
    NotJson,
)
from services.eventlog import IdempotencyKey

_ETAG = re.compile(r'"(\d{1,15})(?:-[A-Za-z0-9]+)?"')
_KEY = re.compile(r"[\x21-\x7e]{1,200}")


def read_body(schema: Schema, *, optional: bool = False) -> dict[str, Any]:
    """Return the JSON body, checked against a schema.

    :raises NotJson, MalformedJson, InvalidBody: what is wrong with it.
    """
    raw = request.get_data()
    if optional and not raw:
        return dict(schema.load({}))
    if request.mimetype != "application/json":
        raise NotJson(request.mimetype)
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise MalformedJson(f"the body is not JSON: {error}") from error
    if not isinstance(body, dict):
        raise InvalidBody([{"pointer": "", "detail": "should be a JSON object"}])
    try:
        return dict(schema.load(body))
    except ValidationError as error:
        raise InvalidBody(_pointers(error.messages)) from error


def _pointers(messages: Any, path: str = "") -> list[dict[str, Any]]:
    """Turn nested messages into a flat list with JSON pointers (RFC 6901)."""
    if isinstance(messages, list):
        return [{"pointer": path, "detail": " ".join(map(str, messages))}]
    found = []
    for name, inner in messages.items():
        # marshmallow puts messages of a mapping's items under "key" and "value"
        skipped = name in ("key", "value", "_schema")
        step = "" if skipped else "/" + str(name).replace("~", "~0").replace("/", "~1")
        found += _pointers(inner, path + step)
    return found


def read_query(known: Mapping[str, str]) -> dict[str, str]:
    """Return the parameters of the query.

    *known* says what each parameter should be, in words.

    :raises InvalidParameter: one is unknown or comes twice.
    """
    for name in request.args:
        if name not in known:
            wanted = f"left out; known: {', '.join(known)}" if known else "left out"
            raise InvalidParameter(name, wanted)
        if len(request.args.getlist(name)) > 1:
            raise InvalidParameter(name, "given once")
    return request.args.to_dict()


def read_number(
    query: Mapping[str, str], name: str, default: int, minimum: int, maximum: int
) -> int:
    """Return a whole number of the query.

    :raises InvalidParameter: it is not one, or out of range.
    """
    text = query.get(name)
    if text is None:
        return default
    digits = text.isascii() and text.isdigit() and len(text) < 16
    if not digits or not minimum <= int(text) <= maximum:
        raise InvalidParameter(name, f"a whole number from {minimum} to {maximum}")
    return int(text)


def read_expected_version(body: Mapping[str, Any]) -> int | None:
    """Return the version the client has seen, from If-Match or the body.

    :raises InvalidHeader: If-Match is not one strong ETag of ours.
    :raises InvalidBody: header and body disagree.
    """
    in_body: int | None = body.get("expected_version")
    header = request.headers.get("If-Match")
    if header is None:
        return in_body
    found = _ETAG.fullmatch(header.strip())
    if found is None:
        raise InvalidHeader("If-Match", 'one strong ETag of a match, such as "7"')
    in_header = int(found[1])
    if in_body not in (None, in_header):
        detail = f"is {in_body}, but If-Match says {in_header}"
        raise InvalidBody([{"pointer": "/expected_version", "detail": detail}])
    return in_header


def read_idempotency_key(who: Caller) -> IdempotencyKey | None:
    """Return the client's key for this request, scoped by who asks.

    :raises InvalidHeader: it is too long or not plain ASCII.
    """
    key = request.headers.get("Idempotency-Key")
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        raise InvalidHeader("Idempotency-Key", "1 to 200 visible ASCII characters")
    scoped = hashlib.sha256(f"{who.scope} {key}".encode()).hexdigest()[:32]
    asked = [request.method, request.path, request.headers.get("If-Match", "")]
    digest = hashlib.sha256("\n".join(asked).encode() + b"\n" + request.get_data())
    return IdempotencyKey(scoped, digest.hexdigest()[:32])
