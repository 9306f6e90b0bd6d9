"""The largest imports there may be, made to cost as much as they can."""

import random
from collections.abc import Callable, Iterator
from itertools import count, cycle

from rules_core import GAMES
from tests.support.tables import MATCH_ID, Table

LARGEST = 4_194_304


def table_of(events: int = 60, name: str = MATCH_ID) -> Table:
    """Return a match of so many events or more."""
    chance = random.Random(3)
    while True:
        table = Table(GAMES[0], chance, name)
        table.open(starter="south")
        table.play(400)
        if table.match.version >= events:
            return table


def exported() -> list[bytes]:
    return table_of().export().splitlines(keepends=True)


def filled(lines: Iterator[bytes]) -> bytes:
    """Return the largest import there may be, with such lines in the middle."""
    first, *_, last = exported()
    parts, size = [first], len(first) + len(last)
    for line in lines:
        size += len(line)
        if size > LARGEST:
            break
        parts.append(line)
    return b"".join([*parts, last])


def event_line(number: int, text: bytes = b"{}") -> bytes:
    """Return a short line of an event, with a signature that takes long to check."""
    signature = b"%0112x" % (number + 1) + b"0" * 16
    line = b'{"event":%b,"hash":"%064x","signature":"%b"}\n'
    return line % (text, number, signature)


def own_lines(change: Callable[[list[bytes]], list[bytes]]) -> Iterator[bytes]:
    """Yield the lines of an export again and again, changed."""
    return cycle(change(exported()[1:-1]))


HOSTILE: dict[str, Callable[[], Iterator[bytes]]] = {
    "wrong signatures": lambda: map(event_line, count()),
    "wrong versions": lambda: (
        event_line(n, b'{"version":%d}' % (n + 7)) for n in count()
    ),
    "one event for ever": lambda: own_lines(lambda lines: lines[5:6]),
    "events again and again": lambda: own_lines(list),
    "backwards": lambda: own_lines(lambda lines: lines[::-1]),
    "garbage": lambda: cycle([b"x\n"]),
    "nothing": lambda: cycle([b"\n"]),
    "beginnings": lambda: cycle([b'{"event":\n']),
    "headers": lambda: cycle(exported()[:1]),
    "heads": lambda: cycle(exported()[-1:]),
}
