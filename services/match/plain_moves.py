"""Plain moves, nearly all that is in a log: read without JSON, and played in bulk.

A move is plain if it causes nothing else: no pass, no disc given, no end. Compiled
rules play it where they are at hand; the result is that of `Position.play` to the last
cell. A move that is not plain, or not right, is left to whoever takes the long way.
"""

import hashlib
import re
from collections.abc import Callable, Iterable
from typing import Any

from rules_core import Position
from rules_core.compiled import find_compiled, text_writer
from rules_core.position import count_position
from rules_core.snapshot import format_rest
from services.eventlog import StoredEvent
from services.match.events import MovePlayed

# What stands in a text is compared with what is due; here it need but be text.
TEXT = r'"([^"\\\x00-\x1f]+)"'
MOVE_DATA = re.compile(rf'\{{"digest":{TEXT},"move":{TEXT},"seat":{TEXT}\}}')

May = Callable[[str, str], bool]
"""Tells whether somebody, as an event names them, may move for a seat."""

PlainMove = tuple[str, str, str, str]
"""What a recorded move says, if it says no more: by whom, digest, move and seat."""

NO_MOVE: PlainMove = ("", "", "", "")
"""What stands in the place of everything else; it is legal nowhere."""


def plain_move(event: StoredEvent) -> PlainMove:
    """Return what an event of the log says if it may be a plain move."""
    found = None
    if event.type == MovePlayed.type:
        found = MOVE_DATA.fullmatch(event.data_text)
    return (event.by, found[1], found[2], found[3]) if found else NO_MOVE


def play_plain_moves(
    position: Position, moves: Iterable[PlainMove], may: May
) -> tuple[Position, int]:
    """Play the moves that are plain and right, up to the first that is not.

    Returns the position after them, and how many they were.
    """
    compiled = find_compiled(position.game)
    if compiled is None:
        return _play(position, moves, may)
    return _play_compiled(position, moves, may, compiled)


def _play(
    position: Position, moves: Iterable[PlainMove], may: May
) -> tuple[Position, int]:
    count = 0
    for by, digest, move, seat in moves:
        if seat != position.to_move or not may(by, seat):
            break
        if move not in position.legal_moves:
            break
        after = position.play(move)
        if after.digest != digest or after.passes or after.given:
            break
        if after.to_move is None:
            break
        position, count = after, count + 1
    return position, count


def _play_compiled(
    position: Position, moves: Iterable[PlainMove], may: May, compiled: Any
) -> tuple[Position, int]:
    """Do the same on the flat board, which is what the compiled rules know."""
    variant, board, seen = position.variant, position.flat, position.seen
    engine, ids, seats = variant.engine, variant.move_ids, variant.seats
    turn, over, repeats = engine.turn, engine.over, engine.standstill is not None
    passed, given = engine.passed, engine.given
    step, write = compiled.step, text_writer(variant, compiled)
    sha256, hidden = hashlib.sha256, variant.face.hidden
    mover, count, known = None, 0, dict[str, str]()
    for by, digest, text, seat in moves:
        if seats[board[turn]] != seat:
            break
        if known.get(seat) != by:  # as it was at the last move of the seat
            if not may(by, seat):
                break
            known[seat] = by
        after = step(board, ids.get(text, -1))
        if after is None:
            break
        now = count_position(variant, board, after, seen, None) if repeats else seen
        if after[over] or (passed >= 0 and after[passed]):
            break
        if given >= 0 and after[given]:
            break
        rest = format_rest(variant, after, now) if repeats else hidden(after)
        whole = f"{write(after)}|{rest}".encode()
        if sha256(whole).hexdigest()[:12] != digest:
            break
        mover, board, seen, count = board[turn], after, now, count + 1
    return Position(variant, board, seen, mover) if count else position, count
