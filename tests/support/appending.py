"""Short words for appends, where it matters little what is appended."""

import uuid

from services.eventlog import (
    Head,
    NewEvent,
    Note,
    StoredEvent,
    Streams,
    genesis,
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


def append_one(log: Streams, stream: str) -> None:
    state = log.load(stream)
    head = state.head if state else empty(stream)
    log.append(stream, head, moves(1, after=head.version), NOTE)
