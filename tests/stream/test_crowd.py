"""Many followers of one match: the news is sent by several threads at once."""

import os
import socket
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from services.match import Resign
from services.stream.crowd import CROWD, send_at_once
from tests.stream.streams import NDJSON, Running, ids, talk


def test_everybody_in_a_crowd_hears_everything_once(
    redis_url: str, running: Running
) -> None:
    """Also who reads lines, and who takes little at a time."""
    streams = running(redis_url)
    match = streams.open_match()
    crowd = [streams.follow(match) for _ in range(CROWD)]
    lines = [streams.follow(match, Accept=NDJSON) for _ in range(10)]
    small = [streams.follow(match, buffer=4096) for _ in range(10)]

    match = talk(streams, match, 30)
    match = streams.services.matches.handle(
        match.id, Resign(seat="south"), by="seat"
    ).match

    due = list(range(4, match.version + 1))
    for reader in (*crowd, *small):
        snapshot, *frames, end = reader.frames()
        assert (snapshot.event, end.event) == ("snapshot", "end")
        assert ids(frames) == due
    for reader in lines:
        _, *told, end = (line["type"] for line in reader.lines())
        assert (len(told), end) == (len(due), "end")


def test_who_falls_behind_a_crowd_is_dropped_and_loses_nothing(
    redis_url: str, running: Running
) -> None:
    streams = running(redis_url)
    match = streams.open_match()
    crowd = [streams.follow(match) for _ in range(CROWD)]
    slow = [streams.follow(match, buffer=4096) for _ in range(5)]
    heard = [reader.frames() for reader in crowd]
    for frames in heard:
        assert next(frames).event == "snapshot"

    for _ in range(8):
        match = talk(streams, match, 60)
        for frames in heard:
            assert ids(frames, 60)[-1] == match.version

    for reader in slow:
        _, *frames, last = reader.frames()
        before = ids(frames)
        assert last.event == "dropped"
        assert before == list(range(4, before[-1] + 1))
        again = streams.follow(match, Last_Event_ID=str(before[-1])).frames()
        rest = ids(again, match.version - before[-1])
        assert rest == list(range(before[-1] + 1, match.version + 1))


def test_it_is_told_how_much_each_socket_has_taken() -> None:
    """A full one takes a part, one that is gone nothing; the others have it all."""
    pairs = [socket.socketpair() for _ in range(7)]
    for ours, _ in pairs:
        ours.setblocking(False)
    gone, full = pairs[2], pairs[5]
    gone[1].close()
    data = os.urandom(4 * 1024 * 1024)
    with ThreadPoolExecutor(2) as senders:
        sizes = send_at_once(senders, [ours.fileno() for ours, _ in pairs], b"news")
        assert sizes == [4, 4, 0, 4, 4, 4, 4]
        [size] = send_at_once(senders, [full[0].fileno()], data)
        assert 0 < size < len(data)
        assert send_at_once(senders, [full[0].fileno()], data) == [0]
        assert send_at_once(senders, [], data) == []
    for ours, theirs in islice(pairs, 5):
        ours.close()
        theirs.close()
    for pair in (full, pairs[6]):
        for end in pair:
            end.close()
