"""What the port `Deadlines` promises: what is late is found, oldest first."""

from services.eventlog import EventLog, Note
from tests.eventlog.appending import NOTE, empty, moves, new_stream


def test_deadlines_come_oldest_first_and_go_with_the_next_append(
    log: EventLog, stream: str
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
