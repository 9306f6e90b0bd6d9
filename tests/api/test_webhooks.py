"""Endpoints of webhooks over HTTP: whose they are, what they show, what they refuse."""

from typing import Any

import pytest

from services.api import create_app
from services.bootstrap import Services, connect, now_ms
from services.settings import Settings
from tests.support.app import Client
from tests.support.contract import operations

PATH = "/v1/webhook-endpoints"
PLACE = "https://93.184.215.14/hooks"


def make(client: Client, events: Any = ("*",), **headers: str) -> dict[str, Any]:
    body = {"url": PLACE, "events": list(events)}
    answer = client.post(PATH, body, **headers)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.get_json()
    return made


def test_the_secret_is_shown_once(client: Client) -> None:
    endpoint = make(client)
    path = f"{PATH}/{endpoint['id']}"

    again = client.get(path).get_json()
    listed = client.get(PATH).get_json()["data"]

    assert endpoint.pop("secret").startswith("whsec_")
    assert listed == [again] == [endpoint]
    assert client.patch(path, {"status": "disabled"}).get_json()["reason"] == (
        "requested"
    )


def test_another_tenants_endpoint_is_nowhere(client: Client, stranger: Client) -> None:
    """Whatever is asked of it, and with the right id of a delivery, too."""
    endpoint = make(client)["id"]
    ping = client.post(f"{PATH}/{endpoint}/ping").get_json()["id"]
    theirs = make(stranger)["id"]
    bodies = {"changeEndpoint": {"status": "disabled"}}

    for (method, path), operation in operations().items():
        if "{endpoint_id}" in path:
            body = bodies.get(operation["operationId"])
            place = path.format(endpoint_id=endpoint, delivery_id=ping)
            assert stranger.call(method, place, body).status_code == 404, place
    of_theirs = f"{PATH}/{theirs}/deliveries/{ping}"

    assert stranger.get(of_theirs).status_code == 404
    assert stranger.post(f"{of_theirs}/redelivery").status_code == 404
    assert client.get(f"{PATH}/{endpoint}").get_json()["status"] == "enabled"
    assert [e["id"] for e in stranger.get(PATH).get_json()["data"]] == [theirs]


def test_a_tenant_has_so_many_endpoints(client: Client, stranger: Client) -> None:
    made = [make(client)["id"] for _ in range(10)]

    refused = client.post(PATH, {"url": PLACE, "events": ["*"]})
    make(stranger)
    client.call("DELETE", f"{PATH}/{made[0]}")
    make(client)

    assert refused.status_code == 409
    assert refused.get_json()["limit"] == 10


@pytest.mark.parametrize("what", ["", "/secrets", "/ping", "/redelivery"])
def test_a_retry_has_one_effect_and_one_answer(client: Client, what: str) -> None:
    endpoint = make(client)["id"]
    path, body = f"{PATH}/{endpoint}{what}", {}
    if what == "":
        path, body = PATH, {"url": PLACE, "events": ["*"]}
    elif what == "/redelivery":
        ping = client.post(f"{PATH}/{endpoint}/ping").get_json()["id"]
        path = f"{PATH}/{endpoint}/deliveries/{ping}/redelivery"

    answers = [client.post(path, body, Idempotency_Key="k") for _ in range(3)]
    other = {"url": f"{PLACE}/2", "events": ["*"]} if what == "" else None
    elsewhere = client.post(PATH, other or {"url": PLACE, "events": ["*"]},
                            Idempotency_Key="k")  # fmt: skip

    assert len({answer.text for answer in answers}) == 1
    assert elsewhere.status_code == 422
    assert len(client.get(PATH).get_json()["data"]) == (2 if what == "" else 1)
    waiting = client.get(f"{PATH}/{endpoint}/deliveries").get_json()["data"]
    assert len(waiting) == (1 if what in ("/ping", "/redelivery") else 0)


def test_a_new_secret_is_another_one(client: Client) -> None:
    endpoint = make(client)

    first = client.post(f"{PATH}/{endpoint['id']}/secrets").get_json()
    second = client.post(f"{PATH}/{endpoint['id']}/secrets").get_json()

    assert len({endpoint["secret"], first["secret"], second["secret"]}) == 3


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://93.184.215.14/", "https://"),
        ("ftp://hooks.example/", "https://"),
        ("hooks.example/x", "https://"),
        ("https://127.0.0.1/", "public internet"),
        ("https://[::1]/", "public internet"),
        ("https://[::ffff:10.0.0.1]/", "public internet"),
        ("https://169.254.169.254/latest/meta-data", "public internet"),
        ("https://localhost/", "this machine"),
        ("https://hooks.example:22/", "port"),
        ("https://user:word@hooks.example/", "user"),
        ("https://hooks.example/#x", "fragment"),
        ("https://hooks.example\\@127.0.0.1/", ""),
        ("https://bücher.example/", "ASCII"),
        ("https://a b/", "ASCII"),
        ("https://hooks..example/", "name of a host"),
        ("https://hooks.example:99999/", "URL"),
        ("https://[::1", "URL"),
    ],
)
def test_a_url_that_cannot_be_right_is_refused(
    client: Client, url: str, why: str
) -> None:
    answer = client.post(PATH, {"url": url, "events": ["*"]})

    assert answer.status_code == 422
    [error] = answer.get_json()["errors"]
    assert error["pointer"] == "/url"
    assert why in error["detail"]


@pytest.mark.parametrize(
    "events",
    [[], ["match.ended", "match.ended"], ["*", "match.ended"], ["match.unknown"], "*",
     None, [1]],
)  # fmt: skip
def test_events_are_types_that_there_are(client: Client, events: Any) -> None:
    answer = client.post(PATH, {"url": PLACE, "events": events})

    assert answer.status_code == 422
    assert answer.get_json()["errors"][0]["pointer"].startswith("/events")


def test_private_addresses_are_a_setting(services: Services) -> None:
    private = Settings(
        redis_url=services.settings.redis_url,
        secret="test secret",
        data=services.settings.data,
        webhook_private=1,
    )
    app = create_app(connect(private)).test_client()
    client = Client(app, services.tenants.create_key("ten_a")[0])

    answer = client.post(PATH, {"url": "http://127.0.0.1:9/", "events": ["*"]})

    assert answer.status_code == 201


def test_deliveries_are_listed_page_by_page(client: Client) -> None:
    path = f"{PATH}/{make(client)['id']}"
    pings = [client.post(f"{path}/ping").get_json()["id"] for _ in range(5)]

    found, cursor = [], ""
    while cursor is not None:
        page = client.get(f"{path}/deliveries?limit=2{cursor}").get_json()
        found += [delivery["id"] for delivery in page["data"]]
        more = page["next_cursor"]
        cursor = None if more is None else f"&cursor={more}"

    assert found == pings[::-1]
    shown = client.get(f"{path}/deliveries/{pings[0]}").get_json()
    assert (shown["type"], shown["status"], shown["attempts"]) == (
        ("ping", "waiting", [])
    )


def test_readiness_tells_how_late_webhooks_are(
    client: Client, services: Services
) -> None:
    """Nothing follows here, and nothing sends."""
    endpoint = make(client)["id"]
    client.post(f"{PATH}/{endpoint}/ping")
    hour_ms = 3_600_000

    behind = services.webhooks.lag(now_ms() + hour_ms)
    ready = client.get("/health/ready").get_json()

    assert 3_600 <= behind["planning_behind_s"] < 3_700
    assert 3_600 <= behind["sending_behind_s"] < 3_700
    assert "webhooks" not in ready
