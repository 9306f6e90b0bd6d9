"""What the port `Streams` promises: events are recorded all or none, and read back."""

import pytest

from services.eventlog import (
    EventLog,
    Head,
    IdempotencyKey,
    KeyReused,
    Note,
    VersionConflict,
    chain,
    genesis,
    partition_of,
)
from tests.support.appending import NOTE, empty, moves, new_stream


def test_what_is_appended_is_read_back(log: EventLog, stream: str) -> None:
    events = moves(3)

    appended = log.append(stream, empty(stream), events, NOTE)

    assert (appended.first, appended.last, appended.replayed) == (1, 3, False)
    assert log.read(stream) == events
    assert log.read(stream, after=1) == events[1:]
    assert log.read(stream, after=1, limit=1) == events[1:2]
    assert log.read(stream, after=3) == []


def test_several_streams_are_read_at_once(log: EventLog, stream: str) -> None:
    names = [f"{stream}{number}" for number in range(3)]
    for length, name in enumerate(names, start=1):
        log.append(name, empty(name), moves(length), NOTE)

    read = log.read_each({names[0]: 0, names[1]: 1, names[2]: 3, stream: 0})

    assert [*read] == [*names, stream]
    assert [*read.values()] == [moves(1), moves(2)[1:], [], []]
    assert log.read_each({}) == {}


def test_the_snapshot_is_written_with_the_events(log: EventLog, stream: str) -> None:
    assert log.load(stream) is None

    log.append(stream, empty(stream), moves(2), NOTE)

    state = log.load(stream)
    assert state is not None
    assert (state.snapshot, state.tenant) == ("after", "ten_a")
    assert state.head.version == 2


def test_the_head_hash_is_the_chain_over_the_canonical_texts(
    log: EventLog, stream: str
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
    log: EventLog, stream: str
) -> None:
    log.append(stream, empty(stream), moves(2), NOTE)

    with pytest.raises(VersionConflict) as refused:
        log.append(stream, empty(stream), moves(1), Note("other", "ten_a"))

    assert refused.value.expected == 0
    assert refused.value.version == 2
    assert refused.value.actual == log.load(stream)
    assert len(log.read(stream)) == 2


def test_a_version_ahead_of_the_stream_is_refused(log: EventLog, stream: str) -> None:
    with pytest.raises(VersionConflict) as refused:
        log.append(stream, Head(8, "?"), moves(1, after=8), NOTE)

    assert refused.value.version == 0
    assert log.read(stream) == []


def test_events_must_follow_the_head(log: EventLog, stream: str) -> None:
    with pytest.raises(ValueError, match="after the head"):
        log.append(stream, empty(stream), moves(1, after=8), NOTE)
    with pytest.raises(ValueError, match="needs events"):
        log.append(stream, empty(stream), [], NOTE)


def test_the_same_key_and_digest_replays_the_first_answer(
    log: EventLog, stream: str
) -> None:
    key = IdempotencyKey("k1", "digest")
    assert log.find_key(stream, key) is None
    log.append(stream, empty(stream), moves(2), NOTE, key)

    again = log.append(stream, empty(stream), moves(2), NOTE, key)

    assert (again.first, again.last, again.replayed) == (1, 2, True)
    assert log.find_key(stream, key) == again
    assert len(log.read(stream)) == 2


def test_the_same_key_with_another_digest_is_refused(
    log: EventLog, stream: str
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


def test_a_record_of_a_former_version_is_recognized(log: EventLog, stream: str) -> None:
    """A retry across an upgrade is the same request still."""
    log.append(stream, empty(stream), moves(1), NOTE, IdempotencyKey("k", "old"))
    state = log.load(stream)
    assert state is not None
    key = IdempotencyKey("k", "new", former="old")

    again = log.append(stream, state.head, moves(1, after=1), NOTE, key)

    assert (again.first, again.last, again.replayed) == (1, 1, True)
    assert log.find_key(stream, key) == again


def test_a_key_belongs_to_its_stream(log: EventLog, stream: str) -> None:
    other = new_stream()
    key = IdempotencyKey("k", "d")
    log.append(stream, empty(stream), moves(1), NOTE, key)

    appended = log.append(other, empty(other), moves(1), NOTE, key)

    assert not appended.replayed


def test_streams_are_listed_by_partition(log: EventLog, stream: str) -> None:
    log.append(stream, empty(stream), moves(1), NOTE)

    assert stream in list(log.streams(partition_of(stream)))
    assert stream not in list(log.streams((partition_of(stream) + 1) % 64))


def test_the_log_answers(log: EventLog) -> None:
    log.check()


def test_a_stream_vanishes_for_good_and_the_feed_tells(
    log: EventLog, stream: str
) -> None:
    """A stream of another tenant does not; and one of that name may begin anew."""
    due = Note("after", "ten_a", "ai", due_ms=5, alarm_ms=7)
    log.append(stream, empty(stream), moves(2), due)
    assert not log.vanish(stream, "ten_b")
    assert log.load(stream) is not None

    assert log.vanish(stream, "ten_a")

    assert log.load(stream) is None
    assert log.read(stream) == []
    partition = partition_of(stream)
    assert stream not in log.streams(partition)
    assert stream not in log.overdue(10, 10_000)
    assert stream not in log.alarms(10, 10_000)
    told = [entry for entry in log.follow({}, 100_000) if entry.stream == stream]
    assert [(entry.first, entry.last, entry.has_vanished) for entry in told] == [
        (1, 2, False),
        (3, 3, True),
    ]
    assert not log.vanish(stream, "ten_a")
    log.append(stream, empty(stream), moves(1), NOTE)
    assert len(log.read(stream)) == 1
