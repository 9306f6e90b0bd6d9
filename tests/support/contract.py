"""Holds every answer that a test receives against openapi.yaml."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema_rs import Draft202012, Draft202012Validator, Registry
from werkzeug.test import TestResponse

CONTRACT = Path(__file__).parents[2] / "openapi.yaml"
SAFE = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""Every process of a test run reads the contract: in C it takes a tenth of the time."""

PARTIAL = "/schemas/Partial"
PLACE = "http://contract/"
METHODS = ("get", "post", "put", "patch", "delete")


@cache
def load_contract() -> dict[str, Any]:
    contract: dict[str, Any] = yaml.load(CONTRACT.read_text("utf-8"), Loader=SAFE)  # noqa: S506
    return contract


def operations(*, streams: bool = False) -> dict[tuple[str, str], dict[str, Any]]:
    """Return every operation of the API, or of the streams, by method and path."""
    return {
        (method.upper(), path): operation
        for path, item in load_contract()["paths"].items()
        for method, operation in item.items()
        if method in METHODS and ("servers" in item) == streams
    }


def find_operation(method: str, path: str) -> tuple[str, dict[str, Any]] | None:
    """Return the path template and the operation that a request belongs to."""
    for known, template, pattern, operation in _patterns():
        if known == method and pattern.fullmatch(path):
            return template, operation
    return None


@cache
def _patterns() -> list[tuple[str, str, re.Pattern[str], dict[str, Any]]]:
    return [
        (
            method,
            template,
            re.compile(re.sub(r"\\{\w+\\}", "[^/]+", re.escape(template))),
            operation,
        )
        for (method, template), operation in operations().items()
    ]


def resolve(value: dict[str, Any]) -> dict[str, Any]:
    """Follow a reference within the contract."""
    while "$ref" in value:
        part: Any = load_contract()
        for name in value["$ref"].removeprefix("#/").split("/"):
            part = part[name]
        value = part
    return value


def check_schema(
    schema: dict[str, Any], body: object, *, is_partial: bool = False
) -> None:
    """Fail unless a body is as described; partial only if it was asked for in part."""
    _validator(json.dumps(schema), is_partial).validate(body)


@cache
def _validator(schema_text: str, is_partial: bool) -> Any:
    schema = json.loads(schema_text)
    contract = load_contract() if is_partial else _whole(load_contract())
    registry = Registry([(PLACE, contract)], draft=Draft202012)
    schema = schema if is_partial else _whole(schema)
    return Draft202012Validator(_absolute(schema), registry=registry)


def _whole(value: Any) -> Any:
    """Leave out the partial answers among those that are possible."""
    if isinstance(value, dict):
        return {name: _whole(item) for name, item in value.items()}
    if isinstance(value, list):
        return [
            _whole(item)
            for item in value
            if not (isinstance(item, dict) and PARTIAL in item.get("$ref", ""))
        ]
    return value


def _absolute(schema: Any) -> Any:
    """Let references point into the contract, which the schema was taken out of."""
    if isinstance(schema, dict):
        return {
            name: f"{PLACE}{value}" if name == "$ref" else _absolute(value)
            for name, value in schema.items()
        }
    return [_absolute(item) for item in schema] if isinstance(schema, list) else schema


def check_answer(
    method: str, path: str, answer: TestResponse, *, is_partial: bool = False
) -> None:
    """Fail unless the answer is one that the contract describes."""
    assert re.fullmatch(r"[0-9A-Za-z._~+/=-]{1,64}", answer.headers["X-Request-Id"])
    described_at = find_operation(method, path)
    if described_at is None:  # an unknown path or method: a problem, and no operation
        if (answer.status_code, answer.mimetype) == (404, "text/html"):
            return  # for whoever looks with a browser
        assert answer.content_type == "application/problem+json"
        check_schema(
            {"$ref": "#/components/schemas/Problem"}, answer.get_json(force=True)
        )
        return
    template, operation = described_at
    status = str(answer.status_code)
    assert status in operation["responses"], (
        f"{method} {template} answered {status}: {answer.text}"
    )
    described = resolve(operation["responses"][status])
    for name, header in described.get("headers", {}).items():
        assert name in answer.headers, f"{method} {template} {status}: no {name}"
        schema = resolve(header)["schema"]
        if schema.get("pattern"):
            assert re.fullmatch(schema["pattern"], answer.headers[name])
    content = described.get("content")
    if content is None:
        assert answer.data == b""
        return
    assert answer.mimetype in content
    schema = content[answer.mimetype].get("schema")
    if schema:
        check_schema(schema, answer.get_json(force=True), is_partial=is_partial)
    if answer.status_code >= 400:
        problem = answer.get_json(force=True)
        assert problem["status"] == answer.status_code
        assert problem["request_id"] == answer.headers["X-Request-Id"]
