"""Plain moves, nearly all that is in a log: which they are, and read without JSON.

A move is plain if it causes nothing else: no pass, no disc given, no end. The rules
play them in bulk; a move that is not plain, or not right, is left to whoever takes the
long way.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from rules_core import Recorded
from services.eventlog import StoredEvent
from services.match.events import MovePlayed

MOVE_DATA = r'\{"digest":"([0-9a-f]{12})","move":"([A-Za-z0-9@]+)","seat":"([a-z]+)"\}'
"""The canonical text of a recorded move, as a regular expression."""

MOVE = re.compile(MOVE_DATA)

May = Callable[[str, str], bool]
"""Tells whether somebody, as an event names them, may move for a seat."""

PlainMove = tuple[str, str, str, str]
"""What a recorded move says, if it says no more: by whom, digest, move and seat."""

NO_MOVE: PlainMove = ("", "", "", "")
"""What stands in the place of everything else; it is legal nowhere."""


def plain_move(event: StoredEvent) -> PlainMove:
    """Return what an event of the log says if it may be a plain move."""
    move = None
    if event.type == MovePlayed.type:
        move = MOVE.fullmatch(event.data_text)
    return (event.by, move[1], move[2], move[3]) if move else NO_MOVE


def allowed(plain: Sequence[PlainMove], at: int, may: May) -> Iterator[Recorded]:
    """Yield the moves from an index on, up to the first of somebody who may not."""
    last_by = dict[str, str]()
    for by, digest, move, seat in islice(plain, at, None):
        if last_by.get(seat) != by:  # as it was at the last move of the seat
            if not may(by, seat):
                return
            last_by[seat] = by
        yield digest, move, seat
