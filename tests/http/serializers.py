"""How a contract fuzzer sends: an export as JSON lines, and without long waits."""

from typing import Any

import orjson
import schemathesis


@schemathesis.serializer("application/x-ndjson")
def write_lines(_: object, value: Any) -> bytes:
    return value if isinstance(value, bytes) else orjson.dumps(value) + b"\n"


@schemathesis.hook
def before_call(_: object, case: Any, __: object) -> None:
    """Let no request wait for an opponent who never comes."""
    for given in (case.body, case.query):
        if isinstance(given, dict) and given.get("wait_s") in range(2, 26):
            given["wait_s"] = 1
