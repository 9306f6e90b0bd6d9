"""API keys that were made once are valid as long as they were meant to be."""

import json

import pytest
from redis import Redis

from services.analysis import Analyses, Question
from services.analysis.showing import analysis_json
from services.eventlog import IdempotencyKey, LogDamaged, RedisEventLog
from services.invitations import Invitation, Invitations
from services.lobby import Pairing, Seek
from services.lobby.seek import paired
from services.match.phrases import PHRASES
from services.match.seat_tokens import SeatTokens
from services.names import sandbox_of
from services.players import NoSuchPlayer, Players
from services.spectators import Spectators
from services.tenants import ApiKey
from services.tenants.api_key import read_key
from services.tenants.given_limits import read_limits
from services.tenants.origins import read_origins
from tests.formats.dump import load_dump
from tests.formats.record import NOW_MS, SECRET, lobby_seeks
from tests.support.samples import SAMPLES, rows

MADE_MS = 1_795_262_400_000


def test_api_keys_on_record_are_understood() -> None:
    keys = [read_key(record) for record in rows("api-keys-1.json")]
    usual = ApiKey("key_1", "ten_a", "shop", MADE_MS, tenant_name="Acme")

    assert keys[0] == usual
    assert [key.id for key in keys] == ["key_1", "key_2", "key_3", "key_4"]
    assert [key.role for key in keys] == ["admin", "admin", "play", "read"]
    assert [key.status(MADE_MS) for key in keys] == ["valid", "revoked"] + ["valid"] * 2
    assert keys[2].status(MADE_MS + 60_000) == "expired"


def test_limits_of_tenants_on_record_are_understood() -> None:
    names = ("open_matches", "followers", "webhook_endpoints", "requests", "analyses")
    read = [read_limits(record) for record in rows("tenant-limits-1.json")]
    assert read == [dict.fromkeys(names, 5), {"open_matches": 0}]
    with pytest.raises(LogDamaged, match="format 2"):
        read_limits('{"format":2}')


def test_origins_of_tenants_on_record_are_understood() -> None:
    [origins] = [read_origins(record) for record in rows("tenant-origins-1.json")]
    assert origins == ("https://app.example", "http://localhost:3000")
    with pytest.raises(LogDamaged, match="format 2"):
        read_origins('{"format":2,"origins":[]}')


def test_a_key_of_before_there_were_roles_may_everything() -> None:
    """And the usual key is written as it was: a version from before can read it."""
    usual = rows("api-keys-1.json")[0]
    assert "role" not in usual
    assert read_key(usual).may("admin")
    former = '{"id":"key_a","tenant":"acme","label":"","created_at_ms":1}'
    assert read_key(former).may("admin")


def test_analyses_on_record_are_understood(fake_redis: str) -> None:
    """One has ended, one is thought about, and one waits; each by its request."""
    redis = Redis.from_url(fake_redis)
    redis.flushall()
    load_dump(redis, (SAMPLES / "analyses-1.json").read_text("utf-8"))
    analyses = Analyses(fake_redis, lambda: NOW_MS)
    position, hint, match = (
        analyses.find(IdempotencyKey(f"key of a {kind}", "digest"))
        for kind in ("position", "hint", "match")
    )
    assert position is not None
    assert hint is not None
    assert match is not None
    statuses = [analysis.status for analysis in (position, hint, match)]
    assert statuses == ["finished", "running", "waiting"]
    shown = analysis_json(position, analyses.events(position.id))
    assert shown["lines"][0]["moves"] == ["C", "D"]
    assert (shown["position"], shown["depth"]) == ("4,4,4,4,4,4/4,4,4,4,4,4 0,0 S", 2)
    asked = hint.question
    assert (asked.match, asked.version, asked.seat) == ("mat_sample", 3, "south")
    assert analyses.take_next() == match.id
    with pytest.raises(LogDamaged, match="format 2"):
        Question.read('{"format":2}')


def test_tokens_of_spectators_on_record_are_understood(fake_redis: str) -> None:
    """The first was revoked since; what says so is in the record."""
    told = rows("spectator-tokens-1.json")
    redis = Redis.from_url(fake_redis)
    redis.flushall()
    load_dump(redis, json.dumps(told["redis"]))
    spectators = Spectators(fake_redis, SeatTokens(SECRET))
    first, second = (spectators.read(token) for token in told["tokens"])
    assert first is not None
    assert second is not None
    assert (first.match_id, first.generation) == ("mat_sample", 0)
    assert (first.ends_s, second.ends_s) == (NOW_MS // 1000, NOW_MS // 1000 + 60)
    assert not spectators.is_current(first)
    assert spectators.is_current(second)


def test_invitations_on_record_are_understood() -> None:
    invitations = Invitations("redis://nowhere", SeatTokens(SECRET))
    told = rows("invitations-1.json")
    assert len(told) == 2
    for token, said in told:
        assert invitations.read(token) == Invitation(*said)
        assert invitations.read(token[:-1]) is None


def test_seeks_and_pairings_on_record_are_understood() -> None:
    """They last for an hour at the most: as long as an upgrade may take."""
    *seeks, pairing = rows("lobby-1.json")
    assert tuple(map(Seek.read, seeks)) == lobby_seeks()
    found = Pairing.read(pairing)
    assert found == paired(*lobby_seeks(), "mat_sample", ("south", "north"))
    with pytest.raises(LogDamaged, match="'pairing' is in format 2"):
        Pairing.read(pairing.replace('"format":"1"', '"format":"2"'))


def test_players_on_record_are_found(fake_redis: str) -> None:
    redis = Redis.from_url(fake_redis)
    redis.flushall()
    load_dump(redis, (SAMPLES / "players-1.json").read_text("utf-8"))
    players = Players(fake_redis)
    for own_id in ("u-42", "auth0|beth"):
        reference, known = players.read("ten_a", own_id)
        assert known == (f"name of {own_id}", own_id)
        assert players.identify("ten_a", own_id) == reference
        assert players.known([reference]) == {reference: known}
    with pytest.raises(NoSuchPlayer):
        players.read("ten_a", "gone@example.org")


def test_sandboxes_on_record_are_those_of_today(fake_redis: str) -> None:
    """Another id would be another tenant; and a match that vanished stays away."""
    told = rows("sandboxes-1.json")
    assert {tenant: sandbox_of(tenant) for tenant in told["of"]} == told["of"]
    redis = Redis.from_url(fake_redis)
    redis.flushall()
    load_dump(redis, json.dumps(told["redis"]))
    log = RedisEventLog(fake_redis, phrases=PHRASES)
    entries = log.follow({})
    assert [entry.has_vanished for entry in entries] == [False, True]
    assert {entry.tenant for entry in entries} == {"ten_sandbox_local"}
    assert log.load("mat_sample") is None
