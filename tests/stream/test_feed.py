"""Following the feed of a tenant: every event of all of its matches, once."""

import random
import signal
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from rules_core import find_game
from services.api import create_app
from services.archive import Archiver
from services.bootstrap import Services, now_ms
from services.eventlog.connection import Connections
from services.match import Resign
from services.views import run_projectors
from tests.stream.streams import NDJSON, Heard, Running, Streams
from tests.support.app import Client
from tests.support.contract import check_schema
from tests.support.tables import Table


@pytest.fixture
def projected(redis_url: str, running: Running, tmp_path: Path) -> Iterator[Streams]:
    """Yield a stream process with a projector beside it, on an empty log."""
    Connections(redis_url).call("FLUSHALL")
    streams = running(redis_url, SEEDLOG_ARCHIVE=str(tmp_path / "archive"))
    stopping = threading.Event()
    services = streams.services
    arguments = (services.event_log, services.views, stopping.is_set)
    thread = threading.Thread(target=run_projectors, args=arguments)
    thread.start()
    yield streams
    stopping.set()
    thread.join()


def events(frames: Iterator[Heard], count: int) -> list[Heard]:
    told = (frame for frame in frames if frame.event.startswith("match."))
    return list(islice(told, count))


def test_it_begins_now_and_tells_every_event(projected: Streams) -> None:
    match = projected.open_match()
    before = projected.get("/v1/events?cursor=0").frames()
    assert [frame.id for frame in events(before, 3)] == [1, 2, 3]
    frames = projected.get("/v1/events").frames()

    first = next(frames)
    projected.play(match, 2)
    other = projected.open_match()

    assert (first.event, first.id) == ("snapshot", 3)
    assert first.data == {"type": "snapshot", "seq": 3}
    heard = events(frames, 5)
    assert [frame.id for frame in heard] == [4, 5, 6, 7, 8]
    told = [(frame.data["match"], frame.data["version"]) for frame in heard]
    assert [v for match_id, v in told if match_id == match.id] == [4, 5]
    assert [v for match_id, v in told if match_id == other.id] == [1, 2, 3]
    assert all(frame.data["type"] == frame.event for frame in heard)


def test_pages_and_stream_tell_the_same(projected: Streams) -> None:
    """A page goes on where the one before it ended, and so does the stream."""
    api = Client(create_app(projected.services).test_client(), projected.key)
    for _ in range(30):
        projected.open_match()
    lines = projected.get("/v1/events?cursor=0", Accept=NDJSON).lines()
    told = list(islice((line for line in lines if "seq" in line), 90))

    paged: list[dict[str, Any]] = []
    cursor: str | None = "0"
    while cursor is not None:
        page = api.get(f"/v1/events?cursor={cursor}&limit=40").get_json()
        paged += page["data"]
        cursor = page["next_cursor"]

    assert paged == told
    check_schema({"$ref": "#/components/schemas/Feed"}, page)
    assert [entry["seq"] for entry in told] == list(range(1, 91))
    assert api.get("/v1/events?cursor=90").get_json()["data"] == []


def test_each_entry_is_the_frame_of_the_stream_of_its_match(
    projected: Streams,
) -> None:
    """Heard as it happens, afterwards, or as pages; with some matches archived since.

    Who follows all the while is told from what is remembered, the others by a replay.
    """
    chance = random.Random(5)
    services = projected.services
    lines = projected.get("/v1/events?cursor=0", Accept=NDJSON).lines()
    tables = [
        Table(find_game(game), chance, f"mat_{game.replace('-', '')}{number}")
        for game in ("kalah", "oware-abapa", "congkak", "bao-kujifunza", "reversi")
        for number in range(2)
    ]
    for table in tables:
        table.service = services.matches
        table.open()
    for _ in range(30):
        for table in chance.sample(tables, 6):
            table.play(2)
    for table in tables[::2]:
        if not table.match.is_over:
            table.act(Resign(seat=table.game.seats[0]), "key:abc")
    count = sum(table.match.version for table in tables)

    heard = {"at once": entries(lines, count)}
    archived = archive_what_is_over(services)
    lines = projected.get("/v1/events?cursor=0", Accept=NDJSON).lines()
    heard["afterwards"] = entries(lines, count)
    api = Client(create_app(services).test_client(), projected.key)
    heard["in pages"] = []
    for cursor in range(0, count, 70):
        page = api.get(f"/v1/events?cursor={cursor}&limit=70").get_json()
        heard["in pages"] += page["data"]

    assert 4 < archived < len(tables)
    frames = {}
    for table in tables:
        path = f"/v1/matches/{table.id}/events?after=0"
        told = projected.get(path, Accept=NDJSON).lines()
        for frame in islice(told, table.match.version):
            frames[table.id, frame["version"]] = frame
    types = {frame["type"] for frame in frames.values()}
    assert {"match.takeback_accepted", "match.draw_offered", "match.ended"} <= types
    for way, told in heard.items():
        assert len(told) == count, way
        for seq, entry in enumerate(told, start=1):
            frame = frames[entry["match"], entry["version"]]
            assert entry == {"seq": seq, "match": entry["match"], **frame}, way


def entries(lines: Iterator[dict[str, Any]], count: int) -> list[dict[str, Any]]:
    return list(islice((line for line in lines if "seq" in line), count))


def archive_what_is_over(services: Services) -> int:
    """Move all matches that are over to the archive; return how many they are."""
    archiver = Archiver(
        services.event_log,
        services.matches,
        services.archive,
        now_ms,
        archive_after_ms=0,
        abandon_after_ms=10**12,
    )
    return archiver.run_once()


def test_a_follower_goes_on_after_the_last_number(projected: Streams) -> None:
    """Also when the process was killed in between, and much has happened."""
    frames = projected.get("/v1/events?cursor=0").frames()
    match = projected.open_match()
    heard = [frame.id for frame in events(frames, 3)]

    projected.stop(signal.SIGKILL)
    for _ in range(20):
        projected.play(projected.open_match(), 2)
    projected.start()

    again = projected.get("/v1/events", Last_Event_ID=str(heard[-1])).frames()
    heard += [frame.id for frame in events(again, 100)]
    projected.play(match, 1)
    heard += [frame.id for frame in events(again, 1)]
    assert heard == list(range(1, 105))


def test_a_follower_hears_of_its_own_tenant_alone(projected: Streams) -> None:
    frames = projected.get("/v1/events").frames()
    assert next(frames).event == "snapshot"

    projected.open_match(tenant="ten_b")
    own = projected.open_match()

    assert [frame.data["match"] for frame in events(frames, 3)] == [own.id] * 3


def test_a_seat_token_is_not_enough(projected: Streams) -> None:
    match = projected.open_match()
    token = projected.services.seat_tokens.issue(match.id, "south", 1)

    answer = projected.get("/v1/events", token=token)

    assert (answer.status, answer.body()["type"]) == (403, "/problems/forbidden")


def test_who_comes_back_to_a_trimmed_feed_is_told_so(projected: Streams) -> None:
    """Before the stream begins; with the number from which on it can go on."""
    match = projected.open_match()
    frames = projected.get("/v1/events?cursor=0").frames()
    assert [frame.id for frame in events(frames, 3)] == [1, 2, 3]
    projected.services.tenant_feed.trim(lambda *_: True)

    refused = projected.get("/v1/events", Last_Event_ID="2")

    assert refused.status == 410
    assert refused.body()["oldest"] == "3"
    again = projected.get("/v1/events", Last_Event_ID="3").frames()
    projected.play(match, 1)
    assert [frame.id for frame in events(again, 1)] == [4]


def test_who_comes_back_from_beyond_the_end_is_told_so(projected: Streams) -> None:
    """Before the stream begins, by header or by query; the end itself is a place."""
    frames = projected.get("/v1/events?cursor=0").frames()
    match = projected.open_match()
    assert [frame.id for frame in events(frames, 3)] == [1, 2, 3]

    for refused in (
        projected.get("/v1/events", Last_Event_ID="4"),
        projected.get("/v1/events?cursor=4"),
    ):
        body = refused.body()
        assert (refused.status, body["newest"]) == (404, "3")
        assert body["type"] == "/problems/no-such-entry"
    again = projected.get("/v1/events", Last_Event_ID="3").frames()
    projected.play(match, 1)
    assert [frame.id for frame in events(again, 1)] == [4]
