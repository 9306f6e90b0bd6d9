"""What openapi.yaml says of the members of an object."""

from typing import Any

from tests.support.contract import load_contract

_SCHEMAS = load_contract()["components"]["schemas"]


def schema_at(place: str) -> Any:
    """Return a schema by its name, and the way into it behind slashes."""
    found: Any = _SCHEMAS
    for step in place.split("/"):
        found = found[int(step) if isinstance(found, list) else step]
    return found


def members(schema: Any) -> tuple[set[str], set[str]]:
    """Return all members that a schema names, and those that are always there."""
    if "$ref" in schema:
        return members(schema_at(schema["$ref"].rpartition("/")[2]))
    named, required = set(schema.get("properties", {})), set(schema.get("required", []))
    for part in schema.get("allOf", []):
        more, always = members(part)
        named, required = named | more, required | always
    return named, required
