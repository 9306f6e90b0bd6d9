"""A Redis as a readable file: every key with its kind and what it holds, and back."""

import base64
import json
from collections.abc import Mapping
from typing import Any

from redis import Redis

Dump = dict[str, dict[str, Any]]


def write_dump(redis: "Redis") -> str:
    """Return what a Redis holds as JSON, one key a line."""
    keys = sorted(redis.scan_iter(count=1000))
    lines = [
        f"{json.dumps(_text(key))}: {json.dumps(_value(redis, key))}" for key in keys
    ]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def load_dump(redis: "Redis", text: str) -> Dump:
    """Put everything of a dump into an empty Redis; return the dump as well."""
    dump: Dump = json.loads(text)
    pipe = redis.pipeline(transaction=False)
    for key, value in dump.items():
        _put(pipe, key, value)
    pipe.execute()
    return dump


def _value(redis: Any, key: bytes) -> dict[str, Any]:
    kind = redis.type(key).decode()
    match kind:
        case "string":
            return {"string": _text(redis.get(key))}
        case "hash":
            pairs = sorted(redis.hgetall(key).items())
            return {"hash": {_text(name): _text(value) for name, value in pairs}}
        case "set":
            return {"set": sorted(map(_text, redis.smembers(key)))}
        case "list":
            return {"list": [_text(item) for item in redis.lrange(key, 0, -1)]}
        case "zset":
            scored = redis.zrange(key, 0, -1, withscores=True)
            return {"zset": [[_text(member), score] for member, score in scored]}
        case "stream":
            entries = redis.execute_command("XRANGE", key, "-", "+", NEVER_DECODE=True)
            groups = {
                _text(group["name"]): _text(group["last-delivered-id"])
                for group in redis.xinfo_groups(key)
            }
            told = [[_text(at), *_pairs(fields)] for at, fields in entries]
            return {"stream": told, "groups": groups}
    raise ValueError(f"{key!r} is a {kind}")


def _pairs(fields: Any) -> list[Any]:
    """Return names and values of a stream entry in their order, which matters."""
    flat = (
        [part for pair in fields.items() for part in pair]
        if isinstance(fields, Mapping)
        else fields
    )
    return [_text(part) for part in flat]


def _put(redis: Any, key: str, value: dict[str, Any]) -> None:
    match value:
        case {"string": text}:
            redis.set(key, _bytes(text))
        case {"hash": fields}:
            redis.hset(
                key, mapping={name: _bytes(text) for name, text in fields.items()}
            )
        case {"set": members}:
            redis.sadd(key, *map(_bytes, members))
        case {"list": items}:
            redis.rpush(key, *map(_bytes, items))
        case {"zset": scored}:
            redis.zadd(key, dict(scored))
        case {"stream": entries, "groups": groups}:
            for at, *fields in entries:
                redis.execute_command("XADD", key, at, *map(_bytes, fields))
            for group, last in groups.items():
                redis.xgroup_create(key, group, last, mkstream=True)


def _text(value: bytes) -> Any:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}


def _bytes(value: Any) -> bytes:
    if isinstance(value, dict):
        return base64.b64decode(value["base64"])
    return str(value).encode()
