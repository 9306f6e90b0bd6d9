"""What the port `Feed` promises: every append is told once, and followed in order."""

import threading
import time

import pytest

from services.eventlog import EventLog, Note, VersionConflict, partition_of
from tests.support.appending import NOTE, append_one, empty, moves


def lasts(log: EventLog, stream: str) -> list[int]:
    """Return the last version of each entry that the feed has of a stream."""
    return [entry.last for entry in log.follow({}, 10_000) if entry.stream == stream]


def test_a_refused_append_leaves_nothing_in_the_feed(
    log: EventLog, stream: str
) -> None:
    log.append(stream, empty(stream), moves(1), NOTE)
    ends = log.feed_ends()

    with pytest.raises(VersionConflict):
        log.append(stream, empty(stream), moves(1), NOTE)

    assert log.feed_ends() == ends


def test_the_feed_tells_of_each_append_in_order(log: EventLog, stream: str) -> None:
    before = log.feed_ends()
    log.append(stream, empty(stream), moves(2), Note("s", "ten_a", awaits="ai"))
    state = log.load(stream)
    assert state is not None
    log.append(stream, state.head, moves(1, after=2), NOTE)

    entries = [e for e in log.follow(before) if e.stream == stream]

    assert [(e.first, e.last, e.tenant, e.awaits) for e in entries] == [
        (1, 2, "ten_a", "ai"),
        (3, 3, "ten_a", ""),
    ]
    assert {e.partition for e in entries} == {partition_of(stream)}
    after = {**before, entries[-1].partition: entries[-1].cursor}
    assert [e for e in log.follow(after) if e.stream == stream] == []


def test_a_follower_is_woken_by_an_append(log: EventLog, stream: str) -> None:
    ends = log.feed_ends()
    append = threading.Timer(
        0.1, lambda: log.append(stream, empty(stream), moves(1), NOTE)
    )
    append.start()

    entries = log.follow(ends, wait_s=5)

    append.join()
    assert [e.stream for e in entries] == [stream]


def test_members_of_a_group_share_the_feed(log: EventLog, stream: str) -> None:
    name = f"group-{stream}"
    group = log.join(name)
    group.release(group.take("a", limit=10_000))
    log.append(stream, empty(stream), moves(1), NOTE)

    first = group.take("a")
    second = log.join(name).take("b")

    assert [e.stream for e in first] == [stream]
    assert second == []
    group.forget_members(idle_s=0)  # nobody who holds an entry
    assert group.take_over("b", idle_s=60) == []
    assert group.take_over("b", idle_s=0) == first
    group.release(first)
    assert group.take_over("a", idle_s=0) == []


def test_trimming_spares_what_a_follower_has_not_read(
    log: EventLog, stream: str
) -> None:
    slow = f"slow-{stream}"
    begin = log.feed_ends()
    log.keep_from(slow, begin)
    head = empty(stream)
    for version in range(3):
        log.append(stream, head, moves(1, after=version), NOTE)
        state = log.load(stream)
        assert state is not None
        head = state.head
    group = log.join(f"trim-{stream}")
    group.release(group.take("m", limit=10_000))

    log.trim()
    assert len([e for e in log.follow(begin) if e.stream == stream]) == 3

    log.keep_from(slow, log.feed_ends())
    log.trim()
    left = [e.last for e in log.follow({}, 10_000) if e.stream == stream]
    assert 1 not in left


def test_trimming_spares_what_is_younger_than_asked(log: EventLog, stream: str) -> None:
    """For those who follow without having said so; what they had time for goes."""
    young = f"young-{stream}"
    append_one(log, stream)
    append_one(log, stream)
    log.keep_from(young, log.feed_ends())
    assert log.trim(keep_s=60) == 0
    assert lasts(log, stream) == [1, 2]

    time.sleep(1.1)
    append_one(log, stream)
    log.keep_from(young, log.feed_ends())
    assert log.trim(keep_s=1) == 2

    assert lasts(log, stream) == [3]


def test_nothing_is_trimmed_where_nobody_has_said_what_was_read(
    log: EventLog, stream: str
) -> None:
    append_one(log, stream)

    assert log.trim() == 0
    assert lasts(log, stream) == [1]


def test_what_a_forgotten_follower_has_not_read_is_trimmed(
    log: EventLog, stream: str
) -> None:
    log.keep_from("gone", log.feed_ends())
    for _ in range(3):
        append_one(log, stream)
    log.keep_from("here", log.feed_ends())
    assert log.trim() == 0
    assert sorted(log.followers()) == ["gone", "here"]

    log.forget("gone")

    assert log.followers() == ["here"]
    assert log.trim() == 2
    assert lasts(log, stream) == [3]
    log.forget("nobody")


def test_a_group_is_as_far_as_its_members_have_released(
    log: EventLog, stream: str
) -> None:
    """Who was given an entry may die with it."""
    group = log.join(f"group-{stream}")
    group.release(group.take("a", limit=10_000))
    log.append(stream, empty(stream), moves(1), NOTE)
    state = log.load(stream)
    assert state is not None
    log.append(stream, state.head, moves(1, after=1), NOTE)

    def unread() -> list[int]:
        entries = log.follow(group.cursors())
        return [entry.last for entry in entries if entry.stream == stream]

    assert unread() == [1, 2]
    first, second = (e for e in group.take("a", limit=10_000) if e.stream == stream)
    assert unread() == [1, 2]
    group.release([first])
    assert unread() == [2]
    group.release([second])
    assert unread() == []
