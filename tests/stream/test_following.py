"""Following a match: what comes first, what comes next, and how it ends."""

from itertools import islice
from typing import Any

import pytest

from services.http.representation import events_json
from services.match import RenewSeatToken
from tests.stream.streams import NDJSON, Running, Streams
from tests.support.contract import check_schema


def shown(streams: Streams, match_id: str) -> list[dict[str, Any]]:
    """Return the log as the API shows it."""
    events = streams.services.matches.events(match_id)
    return list(events_json(match_id, events, 0, positions=True))


def test_the_first_frame_is_the_match_as_it_is(streams: Streams) -> None:
    match = streams.play(streams.open_match(), 2)

    reader = streams.follow(match)

    first = next(reader.frames())
    assert (first.event, first.id) == ("snapshot", match.version)
    assert first.data.pop("type") == "snapshot"
    check_schema({"$ref": "#/components/schemas/Match"}, first.data)
    assert reader.headers["Content-Type"] == "text/event-stream"
    assert reader.headers["Cache-Control"] == "no-store"


def test_events_come_as_they_happen_with_position_and_steps(streams: Streams) -> None:
    match = streams.open_match()
    frames = streams.follow(match).frames()
    next(frames)

    match = streams.play(match, 3)

    heard = list(islice(frames, 3))
    assert [(frame.event, frame.id) for frame in heard] == [
        ("match.move_played", version) for version in (4, 5, 6)
    ]
    assert [frame.data for frame in heard] == shown(streams, match.id)[3:]
    assert heard[0].data["steps"]
    assert heard[2].data["legal_moves"]


@pytest.mark.parametrize("game", ["kalah", "reversi", "bao-kujifunza"])
def test_the_whole_log_can_be_asked_for_and_ends_with_the_match(
    streams: Streams, game: str
) -> None:
    match = streams.play(streams.open_match(game))

    heard = list(streams.follow(match, "?after=0").frames())

    assert [frame.data for frame in heard[:-1]] == shown(streams, match.id)
    assert [frame.id for frame in heard[:-1]] == list(range(1, match.version + 1))
    end = heard[-1]
    assert (end.event, end.id, end.data["last"]) == ("end", None, match.version)


def test_a_stream_ends_when_its_match_does(streams: Streams) -> None:
    match = streams.open_match()
    frames = streams.follow(match).frames()

    match = streams.play(match)

    heard = list(frames)
    assert [frame.id for frame in heard[1:-1]] == list(range(4, match.version + 1))
    assert heard[-1].event == "end"


def test_it_goes_on_after_the_last_event_that_was_seen(streams: Streams) -> None:
    """The header of a returning reader comes before the query they began with."""
    match = streams.play(streams.open_match(), 5)

    reader = streams.follow(match, "?after=1", Last_Event_ID="6")

    heard = list(islice(reader.frames(), 2))
    assert [(frame.event, frame.id) for frame in heard] == [
        ("match.move_played", 7),
        ("match.move_played", 8),
    ]


def test_whoever_has_seen_the_end_need_not_come_back(streams: Streams) -> None:
    match = streams.play(streams.open_match())
    path = f"/v1/matches/{match.id}/events"

    assert streams.get(path, Last_Event_ID=str(match.version)).status == 204


def test_the_same_objects_come_as_lines(streams: Streams) -> None:
    match = streams.play(streams.open_match(), 4)

    reader = streams.follow(match, Accept=NDJSON)
    lines = reader.lines()
    snapshot = next(lines)
    match = streams.play(match)

    assert (snapshot["type"], snapshot["version"]) == ("snapshot", 7)
    *events, end = lines
    assert events == shown(streams, match.id)[7:]
    assert end["type"] == "end"
    assert reader.headers["Content-Type"] == NDJSON


def test_a_player_follows_with_the_token_of_a_seat(streams: Streams) -> None:
    match = streams.open_match()
    token = streams.services.seat_tokens.issue(match.id, "south", 1)

    frames = streams.follow(match, token=token).frames()

    assert next(frames).event == "snapshot"
    streams.play(match, 1)
    assert next(frames).id == 4


def test_a_renewed_token_ends_the_streams_of_the_old_one(streams: Streams) -> None:
    match = streams.open_match()
    issue = streams.services.seat_tokens.issue
    frames = streams.follow(match, token=issue(match.id, "south", 1)).frames()
    others = streams.follow(match, token=issue(match.id, "north", 1)).frames()
    assert next(frames).event == next(others).event == "snapshot"

    renew = RenewSeatToken(seat="south")
    streams.services.matches.handle(match.id, renew, by="key:k")

    assert [frame.event for frame in frames] == ["revoked"]
    assert next(others).event == "match.seat_token_renewed"
    again = streams.follow(match, token=issue(match.id, "south", 2))
    assert next(again.frames()).event == "snapshot"


def test_heartbeats_come_while_nothing_happens(
    redis_url: str, running: Running
) -> None:
    streams = running(redis_url, SEEDLOG_HEARTBEAT_S="1")
    match = streams.open_match()

    frames = streams.follow(match).frames()
    lines = streams.follow(match, Accept=NDJSON).lines()

    assert [next(frames).event for _ in range(3)] == [
        "snapshot",
        "heartbeat",
        "heartbeat",
    ]
    assert [next(lines)["type"] for _ in range(2)] == ["snapshot", "heartbeat"]


def test_a_revoked_key_ends_its_streams(redis_url: str, running: Running) -> None:
    """Within the 5 s for which a key is believed, and a heartbeat."""
    streams = running(redis_url, SEEDLOG_HEARTBEAT_S="1")
    match = streams.open_match()
    secret, key = streams.services.tenants.create_key("ten_a")
    frames = streams.follow(match, token=secret).frames()
    assert next(frames).event == "snapshot"

    streams.services.tenants.revoke_key(key.id)

    *beats, last = [frame.event for frame in frames]
    assert set(beats) == {"heartbeat"}
    assert last == "revoked"
