"""Tokens of spectators: they read one match for a time, and do nothing."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from services.archive import restore_backup, write_backup
from services.bootstrap import Services, connect, now_ms
from services.eventlog.library import connect_redis
from services.spectators import Spectators
from tests.support.app import Client
from tests.support.archived import none_damaged, silent
from tests.support.contract import operations

FORK = ("POST", "/v1/matches/{match_id}/forks")
"""What spectators may do with a match of guests, and with no other."""

READ = [
    asked
    for asked, operation in operations().items()
    if {"spectatorToken": []} in operation.get("security", ()) and asked != FORK
]
QUERIES = {"/v1/matches/{match_id}/diff": "?from=1&to=3"}


def issue(client: Client, match: dict[str, Any], **given: Any) -> Client:
    path = f"/v1/matches/{match['id']}/spectator-tokens"
    answer = client.post(path, given)
    assert answer.status_code == 201
    return client.holding(answer.get_json()["token"])


def test_a_spectator_reads_one_match(client: Client) -> None:
    match, other = client.open_match(hints=True), client.open_match()
    spectator = issue(client, match)
    asked = spectator.post(f"/v1/matches/{match['id']}/analyses").get_json()
    assert len(READ) > 5
    for method, path in READ:
        query = QUERIES.get(path, "")
        own = path.format(match_id=match["id"], analysis_id=asked["id"]) + query
        assert spectator.call(method, own).status_code in (200, 202, 204), path
        if "{match_id}" in path:
            for foreign in (other["id"], "mat_none"):
                refused = spectator.call(method, path.format(match_id=foreign) + query)
                assert refused.status_code == 403, path
    seen = spectator.get(f"/v1/matches/{match['id']}").get_json()
    assert seen == client.get(f"/v1/matches/{match['id']}").get_json()


def test_a_spectator_does_nothing(client: Client) -> None:
    match = client.open_match()
    spectator = issue(client, match)
    places = defaultdict(lambda: "x", match_id=match["id"], seat="south")
    tried = 0
    for (method, path), operation in operations().items():
        of_all = (method, path) in READ
        if method == "GET" or of_all or operation.get("security") == []:
            continue
        tried += 1
        body = None if method == "DELETE" else {"move": "A", "seat": "south"}
        answer = spectator.call(method, path.format_map(places), body)
        assert answer.status_code == 403, path
    assert tried > 20
    assert client.get(f"/v1/matches/{match['id']}").get_json()["version"] == 3


def test_a_token_of_a_spectator_expires(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = client.open_match()
    spectator, longer = issue(client, match, expires_in_s=60), issue(client, match)
    path = f"/v1/matches/{match['id']}"
    hours_later = now_ms() + 4 * 3_600_000
    monkeypatch.setattr("services.http.authentication.now_ms", lambda: hours_later)
    refused = spectator.get(path)
    assert refused.status_code == 401
    assert "expired" in refused.get_json()["detail"]
    assert longer.get(path).status_code == 200


def test_all_tokens_of_a_match_are_revoked_at_once(
    client: Client, services: Services
) -> None:
    match, other = client.open_match(), client.open_match()
    first, second = issue(client, match), issue(client, match)
    elsewhere = issue(client, other)
    path = f"/v1/matches/{match['id']}"
    assert client.call("DELETE", f"{path}/spectator-tokens").status_code == 204
    for spectator in (first, second):
        refused = spectator.get(path)
        assert refused.status_code == 401
        assert "revoked" in refused.get_json()["detail"]
    assert elsewhere.get(f"/v1/matches/{other['id']}").status_code == 200
    assert issue(client, match).get(path).status_code == 200
    seat = client.holding(match["seat_tokens"]["south"])
    assert seat.get(path).status_code == 200
    unbelieving = Spectators(services.settings.redis_url, services.seat_tokens)
    claim = unbelieving.read(first.token)
    assert claim is not None
    assert not unbelieving.is_current(claim)


def test_a_request_that_is_repeated_is_answered_alike(client: Client) -> None:
    """Also after all were revoked: what was answered is answered."""
    match = client.open_match()
    path = f"/v1/matches/{match['id']}/spectator-tokens"
    first = client.post(path, {"expires_in_s": 600}, Idempotency_Key="a")
    again = client.post(path, {"expires_in_s": 600}, Idempotency_Key="a")
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.get_json() == again.get_json()
    other = client.post(path, {"expires_in_s": 601}, Idempotency_Key="a")
    assert other.get_json()["type"] == "/problems/idempotency-key-reused"
    client.call("DELETE", path)
    late = client.post(path, {"expires_in_s": 600}, Idempotency_Key="a")
    assert late.get_json() == first.get_json()


@pytest.mark.parametrize("life", [0, 59, 30 * 86_400 + 1, "60", None, True])
def test_a_life_that_cannot_be_is_refused(client: Client, life: object) -> None:
    path = f"/v1/matches/{client.open_match()['id']}/spectator-tokens"
    assert client.post(path, {"expires_in_s": life}).status_code == 422


def test_a_token_that_was_made_up_is_refused(client: Client) -> None:
    match = client.open_match()
    genuine = issue(client, match).token
    path = f"/v1/matches/{match['id']}"
    name, generation, ends, mac = genuine.split(".")
    seat_mac = match["seat_tokens"]["south"].rpartition(".")[2]
    for forged in (
        f"{name}.{generation}.{int(ends) + 1}.{mac}",
        f"{name}.1.{ends}.{mac}",
        f"{name}.{generation}.{ends}.{seat_mac}",
        f"{name}.south.1.{seat_mac}",
        genuine[:-1],
        "sp_",
        "sp_...",
        "sp_é.0.1.x",
        genuine.replace("sp_", "st_"),
    ):
        assert client.holding(forged).get(path).status_code == 401, forged


def test_what_was_revoked_stays_so_after_a_restore(
    client: Client, services: Services, tmp_path: Path
) -> None:
    match = client.open_match()
    token = issue(client, match).token
    client.call("DELETE", f"/v1/matches/{match['id']}/spectator-tokens")
    redis = connect_redis(services.settings.redis_url)
    file = tmp_path / "backup"
    write_backup(services.event_log, redis, file, silent, {}, none_damaged)
    redis.flushall()
    restored = connect(services.settings)
    arguments = (restored.event_log, restored.matches, redis, file)
    restore_backup(*arguments, silent, silent, none_damaged)
    claim = restored.spectators.read(token)
    assert claim is not None
    assert not restored.spectators.is_current(claim)
