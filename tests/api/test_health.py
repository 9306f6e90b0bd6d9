"""Readiness tells what goes worse than it should, and goes on."""

from collections.abc import Callable

import pytest
from redis import Redis
from structlog.testing import capture_logs

from services.bootstrap import Services
from services.eventlog import (
    LogFull,
    LogGone,
    LogUnavailable,
    Room,
    TooFewReplicas,
    identity,
)
from services.eventlog.keys import META
from services.http import health
from services.http.authentication import is_valid
from services.http.context import EXTENSION
from services.http.problems import answers
from services.languages import Message
from services.logs import Seldom
from services.players import Erasures
from services.tenants import Tenants
from tests.support.app import Client
from tests.support.contract import check_schema

KEPT = (
    "analyses/ana_00000000000000000000",
    "players/ply_00000000000000000000",
    "seeks/sek_00000000000000000000",
    "webhook-endpoints/whk_00000000000000000000",
)
"""Paths of what is kept beside matches; none of it is there."""


@pytest.fixture
def _staffed(services: Services) -> None:
    """Let a process of each kind live."""
    for kind in health.BESIDE_SERVERS:
        services.presence.tell(kind, "one")


@pytest.mark.usefixtures("_staffed")
def test_all_is_well_and_nothing_else_is_said(client: Client) -> None:
    """Where rules are compiled, which the tests do not ask for."""
    told = client.get("/health/ready").get_json()

    assert told.pop("status") == "ok"
    assert set(told) <= {"plain_rules"}


def test_what_nobody_does_is_told_and_leaves_it_ready(
    client: Client, services: Services
) -> None:
    for kind in ("projector", "archiver", "dispatcher"):
        services.presence.tell(kind, "one")

    answer = client.get("/health/ready")

    assert answer.status_code == 200
    absent = ["ai-worker", "analysis-worker", "webhook-worker"]
    assert sorted(answer.get_json()["absent"]) == absent


@pytest.mark.usefixtures("_staffed")
def test_what_goes_worse_is_told_and_leaves_it_ready(
    client: Client, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Room, "lack", lambda _: "the log holds 5 of 4 MiB")
    monkeypatch.setattr(Erasures, "trouble", lambda _: "Redis refuses")
    monkeypatch.setattr(health, "plain_games", lambda: ["oware"])
    services.match_list.note_stop("mat_1: an event")

    answer = client.get("/health/ready")

    assert answer.status_code == 200
    assert answer.get_json() == {
        "status": "ok",
        "full": "the log holds 5 of 4 MiB",
        "stopped_views": {"matches": "mat_1: an event"},
        "erasures": "Redis refuses",
        "plain_rules": ["oware"],
    }
    healthy = "#/components/responses/Healthy/content/application~1json/schema"
    check_schema({"$ref": healthy}, answer.get_json())


def test_in_an_emptied_log_nothing_is_said_not_to_exist(
    begin: Callable[..., Client], real_redis: str
) -> None:
    """Apps would believe it, and forget their matches and keys."""
    client = begin()
    place = f"/v1/matches/{client.open_match()['id']}"
    kept = [place, *(f"/v1/{name}" for name in KEPT)]
    assert [client.get(path).status_code for path in kept] == [200, *[404] * len(KEPT)]
    Redis.from_url(real_redis).flushall()

    move = {"move": "A", "expected_version": 3, "seat": "south"}
    for answer in (
        client.get("/health/ready"),
        *map(client.get, kept),
        client.post(f"{place}/moves", move),
        client.holding("sk_unknown").get(place),
    ):
        assert answer.status_code == 503, answer.text
        assert answer.get_json()["type"] == "/problems/log-gone"


def test_beside_another_log_nothing_is_told_or_acknowledged(
    begin: Callable[..., Client], real_redis: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A copy put back elsewhere, say: what is revoked there is so only there."""
    monkeypatch.setattr(identity, "WATCHED_EVERY_S", 0.0)
    redis, client = Redis.from_url(real_redis), begin()
    match, hook = client.open_match(), {"url": "https://example.org/hook"}
    spectators = f"/v1/matches/{match['id']}/spectator-tokens"
    south = client.holding(match["seat_tokens"]["south"])
    known = redis.hget(META, "id")
    redis.hset(META, "id", "another")
    held = {key: redis.dump(key) for key in redis.scan_iter()}

    for answer in (
        client.get("/v1/matches"),
        client.get("/v1/events"),
        client.get("/v1/webhook-endpoints"),
        client.post("/v1/webhook-endpoints", hook),
        client.post("/v1/seeks", {"game": "kalah", "player": "u-1"}),
        client.post("/v1/guest-matches", {"game": "kalah"}),
        client.call("DELETE", "/v1/players/u-1"),
        client.call("DELETE", spectators),
        client.post(spectators),
        south.post(f"/v1/matches/{match['id']}/draw-offers"),
    ):
        assert answer.status_code == 503, answer.text
        assert answer.get_json()["type"] == "/problems/log-gone"
    assert {key: redis.dump(key) for key in redis.scan_iter()} == held
    assert client.get("/v1/games").status_code == 200

    redis.hset(META, "id", known)
    assert client.get("/v1/matches").status_code == 200
    assert client.post(spectators).status_code == 201


def test_a_key_that_was_not_found_in_an_emptied_log_is_valid_once_it_is_back(
    begin: Callable[..., Client], real_redis: str
) -> None:
    """Nor does its owner guess at keys, who asks meanwhile."""
    redis, client = Redis.from_url(real_redis), begin(rate_guesses=1)
    client.open_match()
    app = client.holding(Tenants(real_redis).create_key("mine")[0])
    whole = {key: redis.dump(key) for key in redis.scan_iter()}
    redis.flushall()

    for _ in range(3):
        assert app.get("/v1/matches").get_json()["type"] == "/problems/log-gone"
    for name, value in whole.items():
        redis.restore(name, 0, value, replace=True)

    assert app.get("/v1/matches").status_code == 200


def test_a_key_that_another_log_lacks_is_not_called_revoked(
    begin: Callable[..., Client], real_redis: str
) -> None:
    """Or the streams that are open by it would end for ever."""
    client = begin()
    services: Services = client.flask.application.extensions[EXTENSION]
    services.event_log.check()
    assert not is_valid(services, "sk_unknown")
    Redis.from_url(real_redis).flushall()

    with pytest.raises(LogGone):
        is_valid(services, "sk_unknown")


@pytest.mark.parametrize(
    ("kind", "type_", "title"),
    [
        (LogUnavailable, "log-unavailable", "The event log cannot be reached now"),
        (LogFull, "log-full", "The event log is full"),
        (
            LogGone,
            "log-gone",
            "The event log is not the one that was here before",
        ),
        (TooFewReplicas, "too-few-replicas", "Too few replicas hold the event log"),
    ],
)
def test_why_the_log_refuses_has_a_name_and_its_hosts_are_for_the_log_alone(
    client: Client,
    services: Services,
    monkeypatch: pytest.MonkeyPatch,
    kind: type[LogUnavailable],
    type_: str,
    title: str,
) -> None:
    error = kind(Message("Redis did not answer"), "Error 111 at redis-2:6379")

    def refuse() -> None:
        raise error

    monkeypatch.setattr(services.event_log, "check", refuse)
    monkeypatch.setattr(answers, "_unavailable", Seldom(10))

    with capture_logs() as lines:
        answer = client.get("/health/ready")

    told = answer.get_json()
    assert (answer.status_code, told["type"]) == (503, f"/problems/{type_}")
    assert (told["title"], told["detail"]) == (title, "Redis did not answer")
    assert "redis-2" not in answer.text
    [line] = [line for line in lines if "unavailable" in line["event"]]
    assert str(line["reason"]) == "Redis did not answer: Error 111 at redis-2:6379"
