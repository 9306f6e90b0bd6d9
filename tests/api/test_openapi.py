"""The contract and the API are the same thing, seen from both sides."""

import json
import re
from typing import Any

import pytest
import yaml
from flask import Flask
from openapi_spec_validator import validate

from services.api import create_app
from services.api.schema_fields import LEVELS
from services.bootstrap import Services
from services.http.problems import PROBLEMS
from services.match import EVENTS
from services.stream.app import create_stream_app
from services.webhooks import ALL, TYPES
from services.webhooks.delivery import STATUSES
from services.webhooks.endpoint import REASONS
from tests.api.examples import holder, own_places, prepare
from tests.support.app import Client
from tests.support.contract import check_schema, load_contract, operations, resolve

PAGE = {("GET", "/"), ("GET", "/static/{name}"), ("GET", "/words/{code}.js")}
PAGE |= {("GET", "/assets/{name}"), ("GET", "/notices-worker.js")}
EMBEDDED = {("GET", "/embed.js"), ("GET", "/verifier.js"), ("GET", "/proof")}
REFERENCE = {("GET", "/docs"), ("GET", "/docs/{name}")}
FORMER = {("GET", "/v1/matches/{match_id}/events"), ("GET", "/v1/events")}


def routes(app: Flask) -> set[tuple[str, str]]:
    served = set()
    for rule in app.url_map.iter_rules():
        path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            served.add((method, path))
    return served


def test_the_contract_is_openapi() -> None:
    validate(load_contract())


def test_every_route_is_in_the_contract_and_back(services: Services) -> None:
    streams = create_stream_app(services, lambda: False)
    health = {key for key in operations() if key[1].startswith("/health/")}

    assert (
        routes(create_app(services)) == set(operations()) | PAGE | EMBEDDED | REFERENCE
    )
    assert routes(streams) == set(operations(streams=True)) | health | FORMER


def test_operations_are_named_verb_and_noun() -> None:
    described = [*operations().values(), *operations(streams=True).values()]
    names = [operation["operationId"] for operation in described]

    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+([A-Z][a-z]+)+|resign", name) for name in names)


def test_the_served_contract_is_this_one(client: Client) -> None:
    answer = client.get("/openapi.yaml")

    told = answer.text.replace("http://localhost:8001", "http://127.0.0.1:8001")
    assert yaml.safe_load(told) == load_contract()


def test_the_contract_as_json_says_the_same(client: Client) -> None:
    """A time is a text there, as it is in JSON."""
    answer = client.get("/openapi.json")
    again = client.get("/openapi.json", If_None_Match=answer.headers["ETag"])

    def as_text(moment: Any) -> str:
        return str(moment.isoformat()).replace("+00:00", "Z")

    told = json.dumps(load_contract(), default=as_text)
    told = told.replace("http://127.0.0.1:8001", "http://localhost:8001")
    assert answer.get_json() == json.loads(told)
    assert again.status_code == 304


def test_every_event_type_is_in_the_contract() -> None:
    body = load_contract()["components"]["schemas"]["EventBody"]

    assert set(body["properties"]["type"]["enum"]) == {kind.type for kind in EVENTS}


def test_every_type_of_webhook_is_in_the_contract() -> None:
    schemas = load_contract()["components"]["schemas"]
    told = schemas["WebhookEvent"]["properties"]["type"]["enum"]

    assert set(schemas["EventFilter"]["items"]["enum"]) == {ALL, *TYPES}
    assert set(told) == {kind.type for kind in EVENTS}
    reasons = schemas["EndpointBody"]["properties"]["reason"]["enum"]
    assert set(reasons) == {*REASONS, None}
    assert schemas["Delivery"]["properties"]["status"]["enum"] == list(STATUSES)


def test_every_level_is_in_the_contract() -> None:
    level = load_contract()["components"]["schemas"]["Level"]

    assert range(level["minimum"], level["maximum"] + 1) == LEVELS


def test_every_status_of_a_problem_is_answered_somewhere() -> None:
    described = {
        status
        for operation in operations().values()
        for status in operation["responses"]
    }
    default = load_contract()["components"]["responses"]["Unreadable"]["description"]
    known = {str(problem.status) for problem in PROBLEMS.values()}

    for_all = set(re.findall(r"\d{3}", default))
    assert "default" in described
    assert {status for status in described if status[0] in "45"} == (
        known - for_all | {"400"}
    )
    assert for_all <= known | {"500"}


def bodies() -> list[Any]:
    return [
        pytest.param(*key, operation, id=operation["operationId"])
        for key, operation in operations().items()
        if "application/json" in operation.get("requestBody", {}).get("content", ())
    ]


@pytest.mark.parametrize(("method", "path", "operation"), bodies())
def test_the_example_of_an_operation_works(
    client: Client, method: str, path: str, operation: dict[str, Any]
) -> None:
    """Each is sent to a match on which it makes sense."""
    content = operation["requestBody"]["content"]["application/json"]
    check_schema(content["schema"], content["example"])
    match = prepare(client, operation["operationId"])

    places = {"seat": "south", **own_places(client, path)}

    asking = holder(client, operation["operationId"], match)
    where = path.format(match_id=match["id"], **places)
    answer = asking.call(method, where, content["example"], Idempotency_Key="example")

    assert answer.status_code in (200, 201, 202)
    described = operation["responses"][str(answer.status_code)]["content"]
    told = described["application/json"].get("example")
    assert told in (None, answer.get_json())


def test_reused_answers_are_described_once() -> None:
    described = load_contract()["components"]["responses"]
    used = set(re.findall(r"#/components/responses/(\w+)", str(load_contract())))

    assert used == set(described)
    assert all(resolve({"$ref": f"#/components/responses/{name}"}) for name in used)
