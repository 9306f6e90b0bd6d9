"""What the ports `Deadlines` and `Alarms` promise: what is due is found, in order."""

from services.eventlog import EventLog, IdempotencyKey, Note
from tests.support.appending import NOTE, empty, moves, new_stream


def test_deadlines_come_oldest_first_and_go_with_the_next_append(
    log: EventLog, stream: str
) -> None:
    other, before = new_stream(), log.deadlines()
    log.append(stream, empty(stream), moves(1), Note("s", "t", "ai", due_ms=20))
    log.append(other, empty(other), moves(1), Note("s", "t", "ai", due_ms=10))
    assert log.deadlines() == before + 2

    assert [s for s in log.overdue(30) if s in (stream, other)] == [other, stream]
    assert stream not in log.overdue(15)

    log.postpone({other: 100})
    assert other not in log.overdue(30)
    state = log.load(stream)
    assert state is not None
    log.append(stream, state.head, moves(1, after=1), NOTE)
    assert stream not in log.overdue(1_000)
    assert log.deadlines() == before + 1
    log.postpone({stream: 50})
    assert stream not in log.overdue(1_000)


def test_an_append_sets_moves_and_ends_an_alarm_and_one_without_leaves_it(
    log: EventLog, stream: str
) -> None:
    other, plain = new_stream(), new_stream()
    log.append(stream, empty(stream), moves(1), Note("s", "t", alarm_ms=20))
    key = IdempotencyKey("k", "d")
    log.append(other, empty(other), moves(1), Note("s", "t", alarm_ms=10), key)
    log.append(plain, empty(plain), moves(1), Note("s", "t", "ai", due_ms=5))

    assert list(log.alarms(20).items()) == [(other, 10), (stream, 20)]
    assert log.alarms(19, 5) == log.alarms(20, 1) == {other: 10}
    log.put_off({other: 30, plain: 30})
    assert log.alarms(100) == {stream: 20, other: 30}

    def append(note: Note) -> None:
        state = log.load(stream)
        assert state is not None
        events = moves(1, after=state.head.version)
        log.append(stream, state.head, events, note)

    append(Note("s", "t", alarm_ms=40))
    assert log.alarms(100) == {other: 30, stream: 40}
    append(Note("s", "t"))
    assert log.alarms(100) == {other: 30, stream: 40}
    append(Note("s", "t", alarm_ms=0))
    assert log.alarms(100) == {other: 30}
    assert log.overdue(100) == [plain]
    again = log.append(other, empty(other), moves(1), Note("s", "t", alarm_ms=9), key)
    assert (again.replayed, log.alarms(100)) == (True, {other: 30})
