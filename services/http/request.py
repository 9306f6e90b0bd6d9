"""Reads requests: body, query and headers, each with an answer when it is wrong."""

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, Protocol

import orjson
from flask import Request, current_app, request
from marshmallow import Schema, ValidationError

from services.eventlog import IdempotencyKey
from services.http.refusals import (
    EncodedBody,
    InvalidBody,
    InvalidHeader,
    InvalidParameter,
    MalformedJson,
    NotJson,
)
from services.http.wire.framing import TooLarge
from services.http.wire.later import LATER, Later
from services.http.wire.limits import BODY_LIMITS
from services.languages import Message, each_of, number_within

MAX_VERSION = 10**9
MAX_NUMBER = 10**15 - 1  # of an entry in a feed
EPOCH, DOOMSDAY = datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC)

SHORT, RECURRING = 64, 4096
"""Bodies of so many bytes are kept as they were read, so many of them."""

NO_OBJECT = Message("should be a JSON object")

_ETAG = re.compile(r'"(\d{1,10})(?:-[A-Za-z0-9]+)?"')
_KEY = re.compile(r"[\x21-\x7e]{1,200}")


def read_bytes(media_type: str) -> bytes:
    """Return the body of a request that is of a media type, as it was sent.

    :raises NotJson, EncodedBody: it is of another type, character set or coding.
    :raises TooLarge: it is larger than may be sent to this path.
    """
    asked: Request = request._get_current_object()  # type: ignore[attr-defined]
    _check_media_type(asked, media_type)
    later: Later | None = asked.environ.get(LATER)
    if later is not None:  # our own server has it whole, and has measured it
        return later.body
    limits = current_app.config[BODY_LIMITS]
    limit = limits.get(asked.path, limits[""])
    asked.max_content_length = limit
    data = asked.get_data()
    if asked.content_length is None and len(data) >= limit:  # what came was cut there
        raise TooLarge(limit)
    return data


def _check_media_type(asked: Request, media_type: str) -> None:
    """Refuse a body that is not of a media type, in UTF-8, as it is."""
    environ = asked.environ
    given = environ.get("CONTENT_TYPE", "")
    if given == media_type and "HTTP_CONTENT_ENCODING" not in environ:
        return  # as nearly all send it
    charset = asked.mimetype_params.get("charset", "utf-8").lower()
    if asked.mimetype != media_type or charset not in ("utf-8", "us-ascii"):
        raise NotJson(given, media_type)
    coding = asked.headers.get("Content-Encoding", "identity").lower()
    if coding != "identity":
        raise EncodedBody(coding)


def read_body(
    schema: Schema, *, optional: bool = False, recurs: bool = False
) -> dict[str, Any]:
    """Return the JSON body, checked against a schema.

    One that *recurs*, with members that nobody can change, is read once if it is short.

    :raises NotJson, EncodedBody, MalformedJson, InvalidBody: what is wrong with it.
    """
    if optional and not has_body():
        return dict(schema.load({}))
    raw = read_bytes("application/json")
    if recurs and len(raw) <= SHORT:
        return dict(_load_again(schema, raw))
    return _load(schema, raw)


def _load(schema: Schema, raw: bytes) -> dict[str, Any]:
    try:
        body = orjson.loads(raw)
        # What is written again as it was has nothing twice.
        if _bare(orjson.dumps(body)) != _bare(raw):
            json.loads(raw, object_pairs_hook=_refuse_doubles)
    except orjson.JSONDecodeError as error:
        raise MalformedJson(
            Message(
                "the body is no JSON: look at line {line}, column {column}",
                line=error.lineno,
                column=error.colno,
            )
        ) from error
    except (orjson.JSONEncodeError, RecursionError) as error:
        raise MalformedJson(
            Message("the body is nested too deeply to be read")
        ) from error
    if not isinstance(body, dict):
        raise InvalidBody([{"pointer": "", "detail": NO_OBJECT}])
    try:
        return dict(schema.load(body))
    except ValidationError as error:
        raise InvalidBody(pointers(error.messages)) from error


_load_again = lru_cache(maxsize=RECURRING)(_load)


def _bare(text: bytes) -> bytes:
    return text.translate(None, b" \t\r\n")


def has_body() -> bool:
    """Tell whether a body was sent, or announced."""
    return bool(request.content_length) or "Transfer-Encoding" in request.headers


def _refuse_doubles(members: list[tuple[str, Any]]) -> None:
    """Refuse an object that says a thing twice: parsers disagree which one counts."""
    names = [name for name, _ in members]
    if len(set(names)) < len(names):
        [twice, *_] = [name for name in names if names.count(name) > 1]
        said = json.dumps(twice, ensure_ascii=False)
        raise MalformedJson(
            Message("the body says {member} twice; say it once", member=said)
        )


def pointers(messages: Any, path: str = "") -> list[dict[str, Any]]:
    """Turn nested messages into a flat list with JSON pointers (RFC 6901)."""
    if isinstance(messages, Message):
        messages = [messages]
    if isinstance(messages, list):
        return [{"pointer": path, "detail": each_of(*messages)}]
    pointed = []
    for name, inner in messages.items():
        # marshmallow puts messages of a mapping's items under "key" and "value"
        skipped = name in ("key", "value", "_schema")
        step = "" if skipped else "/" + str(name).replace("~", "~0").replace("/", "~1")
        pointed += pointers(inner, path + step)
    return pointed


def read_query(known: Mapping[str, Message]) -> dict[str, str]:
    """Return the parameters of the query.

    *known* says what each parameter should be.

    :raises InvalidParameter: one is unknown or comes twice.
    """
    for name in request.args:
        if name not in known:
            out = Message("left out")
            names = tuple(known)
            raise InvalidParameter(name, _with_known(out, names) if names else out)
        if len(request.args.getlist(name)) > 1:
            raise InvalidParameter(name, Message("given once"))
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
    digits = text.isascii() and text.isdigit() and len(text) < 17
    if not digits or not minimum <= int(text) <= maximum:
        raise InvalidParameter(name, number_within(minimum, maximum))
    return int(text)


def read_names(
    query: Mapping[str, str], name: str, wanted: Message, known: Collection[str] = ()
) -> tuple[str, ...] | None:
    """Return what a parameter names with commas between, each once; None: nothing.

    *wanted* says what it should be; *known*, if given, which names there are.

    :raises InvalidParameter: a name is empty, or not known.
    """
    if name not in query:
        return None
    names = tuple(dict.fromkeys(query[name].split(",")))
    if not all(names) or (known and not set(names) <= set(known)):
        said = _with_known(wanted, tuple(known)) if known else wanted
        raise InvalidParameter(name, said)
    return names


def _with_known(wanted: Message, known: tuple[str, ...]) -> Message:
    return Message("{wanted}; known: {known}", wanted=wanted, known=known)


def read_time(query: Mapping[str, str], name: str) -> int | None:
    """Return a time of the query in milliseconds since 1970; None: there is none.

    :raises InvalidParameter: it is none, or does not say in which zone.
    """
    text = query.get(name)
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None or not EPOCH <= moment < DOOMSDAY:
        raise InvalidParameter(name, Message("a time such as 2026-11-22T10:00:00Z"))
    return (moment - EPOCH) // timedelta(milliseconds=1)


def read_expected_version(body: Mapping[str, Any]) -> int | None:
    """Return the version the client has seen, from If-Match or the body.

    :raises InvalidHeader: If-Match is not one strong ETag of ours.
    :raises InvalidBody: header and body disagree.
    """
    in_body: int | None = body.get("expected_version")
    header = request.headers.get("If-Match")
    if header is None:
        return in_body
    tag = _ETAG.fullmatch(header.strip())
    if tag is None:
        wanted = Message('one strong ETag of a match, such as "7"')
        raise InvalidHeader("If-Match", wanted)
    in_header = int(tag[1])
    if in_body not in (None, in_header):
        detail = Message(
            "is {version}, but If-Match says {other}", version=in_body, other=in_header
        )
        raise InvalidBody([{"pointer": "/expected_version", "detail": detail}])
    return in_header


class Scoped(Protocol):
    """Somebody whose idempotency keys are theirs alone."""

    @property
    def scope(self) -> str:
        """Return what these keys belong to."""


def read_idempotency_key(who: Scoped) -> IdempotencyKey | None:
    """Return the client's key for this request, scoped by who asks.

    :raises InvalidHeader: it is too long or not plain ASCII.
    """
    asked: Request = request._get_current_object()  # type: ignore[attr-defined]
    key = asked.environ.get("HTTP_IDEMPOTENCY_KEY")
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        raise _invalid_key()
    scoped = hashlib.sha256(f"{who.scope} {key}".encode()).hexdigest()[:32]
    later: Later | None = asked.environ.get(LATER)
    raw = asked.get_data() if later is None else later.body
    ordered = raw
    if _is_json(asked):  # another order of members asks the same
        ordered = _order_again(raw) if len(raw) <= SHORT else _order(raw)
    digest = _digest(asked, ordered)
    former = digest if ordered == raw else _digest(asked, raw)
    return IdempotencyKey(scoped, digest, former)


def need_idempotency_key(who: Scoped) -> IdempotencyKey:
    """Return the client's key for this request, as `read_idempotency_key` does.

    :raises InvalidHeader: there is none, or none that can be one.
    """
    key = read_idempotency_key(who)
    if key is None:
        raise _invalid_key()
    return key


def _invalid_key() -> InvalidHeader:
    wanted = Message("1 to 200 visible ASCII characters")
    return InvalidHeader("Idempotency-Key", wanted)


def _is_json(asked: Request) -> bool:
    named = asked.environ.get("CONTENT_TYPE", "")
    return named == "application/json" or asked.mimetype == "application/json"


def _order(raw: bytes) -> bytes:
    return orjson.dumps(orjson.loads(raw), option=orjson.OPT_SORT_KEYS)


_order_again = lru_cache(maxsize=RECURRING)(_order)


def _digest(asked: Request, body: bytes) -> str:
    """Return a digest of what a request asks for."""
    if_match = asked.environ.get("HTTP_IF_MATCH", "")
    head = "\n".join((asked.method, asked.path, if_match))
    return hashlib.sha256(head.encode() + b"\n" + body).hexdigest()[:32]
