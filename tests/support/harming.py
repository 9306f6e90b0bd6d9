"""A log that holds what nobody has recorded: other events, and keys of another kind."""

from collections.abc import Callable, Iterable

from services.eventlog.connection import Connections
from services.eventlog.keys import keys_of

Entry = tuple[str, list[str]]


def rewrite(
    redis: Connections,
    match_id: str,
    change: Callable[[list[Entry]], Iterable[Entry]],
) -> None:
    """Let the stream of a match hold other entries than it does."""
    key = keys_of(match_id).events
    entries = redis.call("XRANGE", key, "-", "+")
    redis.call("DEL", key)
    for entry, fields in change([(entry, fields) for entry, fields in entries]):
        redis.call("XADD", key, entry, *fields)


def with_field(
    number: int, place: int, value: str
) -> Callable[[list[Entry]], list[Entry]]:
    """Return a change of one field of one event, both counted from 0."""

    def changed(entries: list[Entry]) -> list[Entry]:
        entries[number][1][place] = value
        return entries

    return changed


def garble(redis: Connections, match_id: str) -> None:
    """Let no event of a match be one."""
    rewrite(
        redis,
        match_id,
        lambda entries: [(entry, [fields[0], "no event"]) for entry, fields in entries],
    )


def put_another_kind(redis: Connections, key: str) -> None:
    """Let a key hold a text, whatever belongs there."""
    redis.call("DEL", key)
    redis.call("SET", key, "no stream, no hash")
