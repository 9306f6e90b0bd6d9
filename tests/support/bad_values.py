"""Values that are wrong in some way, and requests that are wrong in one place."""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

from tests.support.contract import resolve

Path = tuple[str | int, ...]
RAW = "@@raw{}@@"
RAWS = ["1e400", "-0", "1.0", "NaN", "9" * 400, '"\\ud800"', '"\\u0000"', "[" * 300]
"""JSON, or nearly, that no value of Python stands for."""

TEXTS = [
    *(
        "",
        " ",
        "\0",
        "\n",
        "\u202e",
        "\u200d",
        "\x85",
        "é",
        "e\u0301",
        "\U0001d49c",
        "0",
        "-1",
    ),
    *("null", "true", "*", ".", "..", ":", "a:b", "a b", "a.b.c", "a|b", "a,b", "%00"),
    *("%2F", "{1}", "{lobby}:seeks", "feed", "mat_", "mat_none", "mat_x.south.1.y"),
    *("ply_x", "usr_x", "ai:3", "ai:99", "key_", "whe_" + "0" * 24, "dlv_x_1", "skg_x"),
    *("sk_x", "st_x.south.0.y", "sp_x.0.1.y", "in_x.south..1.y", "ten_a", "ten_b"),
    *("https://", "http://[::1", "https://a@b:99999/", "javascript:1", "<b>", "'\"`"),
    *("{0.__class__}", "%(x)s", "{seat!r}", "SOUTH", "south ", "kalah\0", "x" * 70),
    *("x" * 500, "9" * 17, "9" * 30, "٣", "²", "1_0", "+1", "0x1", "1e3", "\ufeff1"),
]
NUMBERS = [0, -1, 1, 2, 9, 1.5, 10**9 + 1, 2**31, 2**53 + 1, 2**63, 2**64, -(10**30)]
OTHERS: list[Any] = [
    None,
    True,
    False,
    [],
    {},
    [[]],
    [None],
    {"": None},
    {"a": {"b": 1}},
]


def bad_value(chance: random.Random, schema: dict[str, Any]) -> Any:
    """Return a value that may well not be what a schema describes."""
    near = list(_near(schema))
    if near and chance.random() < 0.4:
        return chance.choice(near)
    sources = (TEXTS, NUMBERS, OTHERS, [RAW.format(n) for n in range(len(RAWS))])
    return copy.deepcopy(chance.choice(chance.choice(sources)))


def _near(schema: dict[str, Any]) -> Iterator[Any]:
    """Yield what is just beyond the bounds of a schema, or looks like a right value."""
    for name, step in (("minimum", -1), ("maximum", 1)):
        if name in schema:
            yield schema[name] + step
            yield str(schema[name])
            yield schema[name] + step / 2
    if "maxLength" in schema:
        yield "x" * (schema["maxLength"] + 1)
    if "maxItems" in schema:
        yield ["x"] * (schema["maxItems"] + 1)
    for right in schema.get("enum", []):
        yield [right]
        yield f"{right} "
        yield str(right).upper()


def fields(schema: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield every field that a schema describes, however deep, and its own schema."""
    if not isinstance(schema, dict):  # true or false: anything, or nothing
        return
    schema = resolve(schema)
    yield path, schema
    for part in ("oneOf", "anyOf", "allOf"):
        for option in schema.get(part, []):
            yield from (found for found in fields(option, path) if found[0] != path)
    for name, inner in schema.get("properties", {}).items():
        yield from fields(inner, (*path, name))
    if isinstance(inner := schema.get("additionalProperties"), dict):
        yield from fields(inner, (*path, "south"))
    if "items" in schema:
        yield from fields(schema["items"], (*path, 0))


def with_value(body: Any, path: Path, value: Any) -> Any:
    """Return a body with a value in one place, and what it takes to get there."""
    if not path:
        return value
    first, *rest = path
    if isinstance(first, int):
        held = list(body) if isinstance(body, list) and body else [None]
        held[0] = with_value(held[0], tuple(rest), value)
        return held
    members = dict(body) if isinstance(body, dict) else {}
    return members | {first: with_value(members.get(first), tuple(rest), value)}


def bad_body(chance: random.Random, right: Any, schema: dict[str, Any]) -> bytes:
    """Return a body that is wrong in one place: a value, or a member too much."""
    path, found = chance.choice(list(fields(schema)))
    body = with_value(right, path, bad_value(chance, found))
    way = chance.random()
    if way < 0.05 and isinstance(right, dict) and right:
        body = {name: right[name] for name in list(right)[1:]}
    elif way < 0.1:
        body = with_value(right, (*path[:-1], chance.choice(TEXTS)), 1)
    text = json.dumps(body)
    if way > 0.95 and isinstance(body, dict) and body:
        name = chance.choice(list(body))
        text = f"{{{json.dumps(name)}: 1, {text[1:]}"
    for number, raw in enumerate(RAWS):
        text = text.replace(json.dumps(RAW.format(number)), raw)
    return text.encode()
