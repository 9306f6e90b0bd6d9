"""What every adapter of the event log must do; the adapters' tests inherit it."""

import threading
import time
import uuid

import pytest

from services.eventlog import (
    EventLog,
    Head,
    IdempotencyKey,
    KeyReused,
    NewEvent,
    Note,
    StoredEvent,
    VersionConflict,
    chain,
    genesis,
    partition_of,
    with_versions,
)

NOTE = Note(snapshot="after", tenant="ten_a")


def new_stream() -> str:
    return f"mat_{uuid.uuid4().hex}"


def empty(stream: str) -> Head:
    return Head(0, genesis(stream))


def moves(count: int, after: int = 0) -> list[StoredEvent]:
    facts = [
        NewEvent("match.move_played", "seat", {"move": f"m{i}"}) for i in range(count)
    ]
    return with_versions(facts, after, 1_700_000_000_123)


def lasts(log: EventLog, stream: str) -> list[int]:
    """Return the last version of each entry that the feed has of a stream."""
    return [entry.last for entry in log.follow({}, 10_000) if entry.stream == stream]


class EventLogContract:
    """Inherit, and provide a fixture ``log``."""

    @pytest.fixture
    def stream(self) -> str:
        return new_stream()

    def test_what_is_appended_is_read_back(self, log: EventLog, stream: str) -> None:
        events = moves(3)

        appended = log.append(stream, empty(stream), events, NOTE)

        assert (appended.first, appended.last, appended.replayed) == (1, 3, False)
        assert log.read(stream) == events
        assert log.read(stream, after=1) == events[1:]
        assert log.read(stream, after=1, limit=1) == events[1:2]
        assert log.read(stream, after=3) == []

    def test_the_snapshot_is_written_with_the_events(
        self, log: EventLog, stream: str
    ) -> None:
        assert log.load(stream) is None

        log.append(stream, empty(stream), moves(2), NOTE)

        state = log.load(stream)
        assert state is not None
        assert (state.snapshot, state.tenant) == ("after", "ten_a")
        assert state.head.version == 2

    def test_the_head_hash_is_the_chain_over_the_canonical_texts(
        self, log: EventLog, stream: str
    ) -> None:
        events = moves(3)
        log.append(stream, empty(stream), events[:1], NOTE)
        middle = log.load(stream)
        assert middle is not None
        log.append(stream, middle.head, events[1:], NOTE)

        expected = genesis(stream)
        for event in log.read(stream):
            expected = chain(expected, event.text)
        state = log.load(stream)
        assert state is not None
        assert state.head == Head(3, expected)

    def test_an_unexpected_version_is_refused_with_what_is_there(
        self, log: EventLog, stream: str
    ) -> None:
        log.append(stream, empty(stream), moves(2), NOTE)

        with pytest.raises(VersionConflict) as refused:
            log.append(stream, empty(stream), moves(1), Note("other", "ten_a"))

        assert refused.value.expected == 0
        assert refused.value.version == 2
        assert refused.value.actual == log.load(stream)
        assert len(log.read(stream)) == 2

    def test_a_version_ahead_of_the_stream_is_refused(
        self, log: EventLog, stream: str
    ) -> None:
        with pytest.raises(VersionConflict) as refused:
            log.append(stream, Head(8, "?"), moves(1, after=8), NOTE)

        assert refused.value.version == 0
        assert log.read(stream) == []

    def test_events_must_follow_the_head(self, log: EventLog, stream: str) -> None:
        with pytest.raises(ValueError, match="after the head"):
            log.append(stream, empty(stream), moves(1, after=8), NOTE)
        with pytest.raises(ValueError, match="needs events"):
            log.append(stream, empty(stream), [], NOTE)

    def test_a_refused_append_leaves_nothing_in_the_feed(
        self, log: EventLog, stream: str
    ) -> None:
        log.append(stream, empty(stream), moves(1), NOTE)
        ends = log.feed_ends()

        with pytest.raises(VersionConflict):
            log.append(stream, empty(stream), moves(1), NOTE)

        assert log.feed_ends() == ends

    def test_the_same_key_and_digest_replays_the_first_answer(
        self, log: EventLog, stream: str
    ) -> None:
        key = IdempotencyKey("k1", "digest")
        assert log.find_key(stream, key) is None
        log.append(stream, empty(stream), moves(2), NOTE, key)

        again = log.append(stream, empty(stream), moves(2), NOTE, key)

        assert (again.first, again.last, again.replayed) == (1, 2, True)
        assert log.find_key(stream, key) == again
        assert len(log.read(stream)) == 2

    def test_the_same_key_with_another_digest_is_refused(
        self, log: EventLog, stream: str
    ) -> None:
        log.append(stream, empty(stream), moves(1), NOTE, IdempotencyKey("k", "one"))
        state = log.load(stream)
        assert state is not None

        with pytest.raises(KeyReused):
            log.append(
                stream, state.head, moves(1, after=1), NOTE, IdempotencyKey("k", "two")
            )
        with pytest.raises(KeyReused):
            log.find_key(stream, IdempotencyKey("k", "two"))

        assert len(log.read(stream)) == 1

    def test_a_record_of_a_former_version_is_recognized(
        self, log: EventLog, stream: str
    ) -> None:
        """A retry across an upgrade is the same request still."""
        log.append(stream, empty(stream), moves(1), NOTE, IdempotencyKey("k", "old"))
        state = log.load(stream)
        assert state is not None
        key = IdempotencyKey("k", "new", former="old")

        again = log.append(stream, state.head, moves(1, after=1), NOTE, key)

        assert (again.first, again.last, again.replayed) == (1, 1, True)
        assert log.find_key(stream, key) == again

    def test_a_key_belongs_to_its_stream(self, log: EventLog, stream: str) -> None:
        other = new_stream()
        key = IdempotencyKey("k", "d")
        log.append(stream, empty(stream), moves(1), NOTE, key)

        appended = log.append(other, empty(other), moves(1), NOTE, key)

        assert not appended.replayed

    def test_the_feed_tells_of_each_append_in_order(
        self, log: EventLog, stream: str
    ) -> None:
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

    def test_a_follower_is_woken_by_an_append(self, log: EventLog, stream: str) -> None:
        ends = log.feed_ends()
        append = threading.Timer(
            0.1, lambda: log.append(stream, empty(stream), moves(1), NOTE)
        )
        append.start()

        entries = log.follow(ends, wait_s=5)

        append.join()
        assert [e.stream for e in entries] == [stream]

    def test_members_of_a_group_share_the_feed(
        self, log: EventLog, stream: str
    ) -> None:
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
        self, log: EventLog, stream: str
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

    def test_trimming_spares_what_is_younger_than_asked(
        self, log: EventLog, stream: str
    ) -> None:
        """For those who follow without having said so; what they had time for goes."""
        young = f"young-{stream}"
        self.append_one(log, stream)
        self.append_one(log, stream)
        log.keep_from(young, log.feed_ends())
        assert log.trim(keep_s=60) == 0
        assert lasts(log, stream) == [1, 2]

        time.sleep(1.1)
        self.append_one(log, stream)
        log.keep_from(young, log.feed_ends())
        assert log.trim(keep_s=1) == 2

        assert lasts(log, stream) == [3]

    def test_nothing_is_trimmed_where_nobody_has_said_what_was_read(
        self, log: EventLog, stream: str
    ) -> None:
        self.append_one(log, stream)

        assert log.trim() == 0
        assert lasts(log, stream) == [1]

    def test_what_a_forgotten_follower_has_not_read_is_trimmed(
        self, log: EventLog, stream: str
    ) -> None:
        log.keep_from("gone", log.feed_ends())
        for _ in range(3):
            self.append_one(log, stream)
        log.keep_from("here", log.feed_ends())
        assert log.trim() == 0
        assert sorted(log.followers()) == ["gone", "here"]

        log.forget("gone")

        assert log.followers() == ["here"]
        assert log.trim() == 2
        assert lasts(log, stream) == [3]
        log.forget("nobody")

    def append_one(self, log: EventLog, stream: str) -> None:
        state = log.load(stream)
        head = state.head if state else empty(stream)
        log.append(stream, head, moves(1, after=head.version), NOTE)

    def test_deadlines_come_oldest_first_and_go_with_the_next_append(
        self, log: EventLog, stream: str
    ) -> None:
        other = new_stream()
        log.append(stream, empty(stream), moves(1), Note("s", "t", "ai", due_ms=20))
        log.append(other, empty(other), moves(1), Note("s", "t", "ai", due_ms=10))

        assert [s for s in log.overdue(30) if s in (stream, other)] == [other, stream]
        assert stream not in log.overdue(15)

        log.postpone({other: 100})
        assert other not in log.overdue(30)
        state = log.load(stream)
        assert state is not None
        log.append(stream, state.head, moves(1, after=1), NOTE)
        assert stream not in log.overdue(1_000)
        log.postpone({stream: 50})
        assert stream not in log.overdue(1_000)

    def test_streams_are_listed_by_partition(self, log: EventLog, stream: str) -> None:
        log.append(stream, empty(stream), moves(1), NOTE)

        assert stream in list(log.streams(partition_of(stream)))
        assert stream not in list(log.streams((partition_of(stream) + 1) % 64))

    def test_the_log_answers(self, log: EventLog) -> None:
        log.check()
