"""How an export is sent: what a contract fuzzer makes up is written as JSON lines."""

from typing import Any

import orjson
import schemathesis


@schemathesis.serializer("application/x-ndjson")
def write_lines(_: object, value: Any) -> bytes:
    return value if isinstance(value, bytes) else orjson.dumps(value) + b"\n"
