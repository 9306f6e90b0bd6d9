"""Streams are counted for their tenant, and given back when they go."""

import time

from tests.stream.streams import Reader, Running, Streams
from tests.support.patience import wait_for

QUOTA = {"SEEDLOG_FOLLOWERS": "2"}


def await_count(streams: Streams, tenant: str, expected: int) -> None:
    """Wait until so many streams are told of."""
    crowds = streams.services.crowds
    wait_for(f"{expected} streams", lambda: crowds.used(tenant) == expected)


def opened(streams: Streams, path: str) -> Reader:
    """Follow, as soon as a stream that was closed is known to be."""

    def find() -> Reader | None:
        reader = streams.get(path)
        return reader if reader.status == 200 else None

    return wait_for("a place", find)


def test_a_tenant_has_so_many_streams_and_no_more(
    running: Running, redis_url: str
) -> None:
    streams = running(redis_url, **QUOTA)
    tenant = "ten_full"
    streams.key = streams.services.tenants.create_key(tenant)[0]
    match = streams.open_match(tenant=tenant)
    other = streams.open_match(tenant="ten_other")
    path = f"/v1/matches/{match.id}/stream"
    first, _ = streams.follow(match), streams.get("/v1/stream")

    refused = streams.get(path)
    assert refused.status == 409
    problem = refused.body()
    assert problem["type"] == "/problems/quota-exceeded"
    assert (problem["quota"], problem["limit"], problem["used"]) == ("followers", 2, 2)
    assert streams.get(path, method="HEAD").status == 200  # follows nothing

    foreign = streams.services.tenants.create_key("ten_other")[0]
    theirs = streams.get(f"/v1/matches/{other.id}/stream", foreign)
    assert theirs.status == 200
    await_count(streams, tenant, 2)

    first.close()
    opened(streams, path)
    assert streams.get(path).status == 409


def test_streams_of_another_process_count(running: Running, redis_url: str) -> None:
    first, second = running(redis_url, **QUOTA), running(redis_url, **QUOTA)
    match = first.open_match(tenant="ten_two")
    key = first.services.tenants.create_key("ten_two")[0]
    path = f"/v1/matches/{match.id}/stream"
    readers = [first.get(path, key) for _ in range(2)]
    await_count(first, "ten_two", 2)
    assert second.get(path, key).status == 409
    for reader in readers:
        reader.close()
    await_count(first, "ten_two", 0)
    assert second.get(path, key).status == 200


def test_asking_for_streams_is_limited_too(running: Running, redis_url: str) -> None:
    behind_proxy = {
        "SEEDLOG_RATE_PER_ADDRESS": "1",
        "SEEDLOG_TRUSTED_PROXIES": "1",
    }
    streams = running(redis_url, **behind_proxy)

    def ask(address: str) -> Reader:
        return streams.get("/v1/stream", X_Forwarded_For=address)

    followed = ask("203.0.113.1")
    assert followed.status == 200
    assert '"address";r=0;t=' in followed.headers["RateLimit"]
    refused = ask("203.0.113.1")
    assert (refused.status, int(refused.headers["Retry-After"]) > 0) == (429, True)
    assert ask("203.0.113.2").status == 200


def test_a_spectator_follows_until_all_are_sent_away(
    running: Running, redis_url: str
) -> None:
    streams = running(redis_url)
    match, other = streams.open_match(), streams.open_match()
    spectators = streams.services.spectators
    ends_s = int(time.time()) + 600
    token = spectators.issue(match.id, ends_s).token
    path = f"/v1/matches/{match.id}/stream"
    follower = streams.get(path, token)
    assert follower.status == 200
    assert streams.get(f"/v1/matches/{other.id}/stream", token).status == 403
    assert streams.get("/v1/stream", token).status == 403
    frames = follower.frames()
    assert next(frames).event == "snapshot"
    streams.play(match, 1)
    assert next(frames).event == "match.move_played"

    spectators.revoke(match.id)
    assert [frame.event for frame in frames][-1] == "revoked"
    assert streams.get(path, token).status == 401


def test_a_spectators_stream_ends_with_the_token(
    running: Running, redis_url: str
) -> None:
    streams = running(redis_url)
    match = streams.open_match()
    token = streams.services.spectators.issue(match.id, int(time.time()) + 3).token
    follower = streams.get(f"/v1/matches/{match.id}/stream", token)
    assert follower.status == 200
    assert [frame.event for frame in follower.frames()][-1] == "revoked"


def test_who_follows_a_match_of_a_sandbox_hears_that_it_is_gone(
    running: Running, redis_url: str
) -> None:
    streams = running(redis_url)
    tenant = "ten_sandbox_a"
    match = streams.open_match(tenant=tenant)
    key = streams.services.tenants.create_key(tenant)[0]
    follower = streams.get(f"/v1/matches/{match.id}/stream", key)
    feed = streams.get("/v1/stream", key)
    frames = follower.frames()
    assert (next(frames).event, feed.status) == ("snapshot", 200)

    assert streams.services.event_log.vanish(match.id, tenant)

    assert [frame.event for frame in frames][-1] == "gone"
    assert streams.get(f"/v1/matches/{match.id}/stream", key).status == 404
