"""Webhooks as they were recorded: kept, signed and told as ever."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson
import pytest
from redis import Redis
from standardwebhooks.webhooks import Webhook

from services.bootstrap import Services, connect
from services.settings import Settings
from services.webhooks import TYPES
from services.webhooks.message import payload_of
from tests.formats.dump import load_dump
from tests.formats.record import SECRET
from tests.formats.webhook_sample import AT_MS
from tests.support.samples import rows

SAMPLE = "webhooks-1.json"


@pytest.fixture
def recorded() -> Any:
    return rows(SAMPLE)


@pytest.fixture
def services(fake_redis: str, tmp_path: Path) -> Services:
    Redis.from_url(fake_redis).flushall()
    return connect(Settings(redis_url=fake_redis, secret=SECRET, data=tmp_path))


@pytest.fixture
def upgraded(services: Services, recorded: Any) -> Services:
    """Return today's code upon the Redis of the sample."""
    load_dump(
        Redis.from_url(services.settings.redis_url), json.dumps(recorded["redis"])
    )
    return services


def test_endpoints_and_deliveries_are_read(upgraded: Services, recorded: Any) -> None:
    first, other = upgraded.webhooks.endpoints.of_tenant("ten_a")
    deliveries = upgraded.webhooks.deliveries
    page, _ = deliveries.page(first.id, None, 100)
    canceled, _ = deliveries.page(other.id, None, 100)

    assert [first.id, other.id] == recorded["endpoints"]
    assert (first.generation, first.is_enabled, first.url) == (
        (2, True, "https://hooks.example/seedlog")
    )
    assert (other.status, other.reason) == ("disabled", "requested")
    assert [d.status for d in page].count("delivered") == 1
    assert page[0].type == "ping"
    assert page[-1].attempts[0].http_status in (204, 500)
    assert {d.status for d in canceled} == {"canceled"}
    assert first.id in deliveries.due_endpoints(AT_MS + 10_000)
    assert set(deliveries.due_lanes(first.id, AT_MS + 10_000, 10)) >= {"mat_1", "mat_2"}
    waiting = deliveries.next_of(first.id, "mat_1")
    assert waiting is not None
    assert (waiting.tries, waiting.next_ms) == (1, AT_MS + 6_512)


def test_secrets_sign_as_ever(services: Services, recorded: Any) -> None:
    """The library of Standard Webhooks signs alike."""
    endpoint, _ = recorded["endpoints"]
    secrets = services.webhooks.secrets
    at = datetime.fromtimestamp(AT_MS // 1_000, tz=UTC)

    derived = [secrets.derive(endpoint, generation) for generation in (1, 2)]
    assert derived == recorded["secrets"]
    for message in recorded["messages"]:
        body, name = message["body"], message["delivery"]
        headers = secrets.headers(endpoint, [2, 1], name, body.encode(), AT_MS // 1_000)
        assert headers == message["headers"]
        signed = [Webhook(s).sign(name, at, body) for s in reversed(derived)]
        assert headers["webhook-signature"] == " ".join(signed)


def test_messages_say_what_they_said(upgraded: Services, recorded: Any) -> None:
    """There may be more in them, and nothing of it may be otherwise."""
    endpoint, _ = recorded["endpoints"]
    types = set()
    for message in recorded["messages"]:
        delivery = upgraded.webhooks.deliveries.find(endpoint, message["delivery"])
        body = payload_of(delivery, upgraded.folds)
        assert body is not None
        said, says = orjson.loads(message["body"]), orjson.loads(body)
        data = says["data"]
        assert {**data, **said["data"]} == data
        assert {k: says[k] for k in said} | {"data": said["data"]} == said
        types.add(says["type"])

    assert types == {"ping", "match.your_turn", "match.seat_taken", "match.move_played"}
    assert types - {"ping"} <= set(TYPES)


def test_a_backup_puts_endpoints_back(services: Services, recorded: Any) -> None:
    """They have their secrets, and no id of a delivery comes a second time."""
    webhooks = services.webhooks
    webhooks.put_back(recorded["kept"])
    webhooks.put_back(recorded["kept"])

    first, other = webhooks.endpoints.of_tenant("ten_a")
    number = webhooks.deliveries.ping(first, AT_MS).delivery.number

    assert [first.id, other.id] == recorded["endpoints"]
    assert webhooks.secrets.derive(first.id, 2) == recorded["secrets"][1]
    assert number > 10**9
    assert {e["id"] for e in webhooks.kept()["endpoints"]} == {first.id, other.id}
