"""What a position keeps that its text does not show, as text."""

from __future__ import annotations

from rules_core.boards.face import Malformed
from rules_core.game import Variant
from rules_core.kernel import Board
from rules_core.messages import Message
from rules_core.outcome import REASONS

FORMAT = "p1"
"""The tag of a snapshot; a reader refuses what it does not know."""

DRAW = "draw"
DIGITS = bytes((count + 48) % 256 for count in range(256))
BETWEEN = bytes([DIGITS.index(b",")])
"""What becomes a comma; it is more than any pit holds."""

Seen = tuple[bytes, ...]
"""Positions since the last change for good, one entry for each time they came up."""


def position_key(variant: Variant, board: Board) -> bytes:
    """Return what G9 compares: the pits and the seat to move."""
    return bytes(board[: variant.engine.turn + 1])


def format_rest(variant: Variant, board: Board, seen: Seen) -> str:
    """Write the hands, how it ended, and what was seen before."""
    hidden = variant.face.hidden(board)
    parts = [hidden] if hidden else []
    engine = variant.engine
    if board[engine.over]:
        winner = board[engine.winner]
        name = variant.seats[winner - 1] if winner else DRAW
        parts.append(f"end={REASONS[board[engine.over] - 1]}/{name}")
    elif len(seen) > 1:
        keys = BETWEEN.join(sorted(seen)).translate(DIGITS)
        parts.append(f"seen={keys.decode()}")
    return " ".join(parts)


def read_rest(variant: Variant, board: Board, rest: str, over: bool) -> Seen:
    """Read it back into a board that was read from the position text.

    :raises Malformed: saying what is wrong.
    """
    parts = rest.split(" ") if rest else []
    if variant.face.hidden(board):
        variant.face.read_hidden(parts.pop(0) if parts else "", board)
    last = parts.pop() if parts else ""
    if parts:
        raise Malformed(Message("{text!r} does not belong here", text=parts[0]))
    if over:
        read_end(variant, board, last)
        return ()
    return read_seen(variant, board, last)


def read_end(variant: Variant, board: Board, text: str) -> None:
    """Read why a finished game is over, and who has won."""
    reason, _, winner = text.removeprefix("end=").partition("/")
    winners = (DRAW, *variant.seats)
    if reason not in REASONS or winner not in winners:
        raise Malformed(Message("expected end=<reason>/<winner>"))
    board[variant.engine.over] = REASONS.index(reason) + 1
    board[variant.engine.winner] = winners.index(winner)


def read_seen(variant: Variant, board: Board, text: str) -> Seen:
    """Read the positions that have come up, this one among them."""
    engine = variant.engine
    if engine.standstill is None or (engine.claiming >= 0 and board[engine.claiming]):
        return ()
    key = position_key(variant, board)
    if not text:
        return (key,)
    keys = text.removeprefix("seen=").split(",")
    if any(not k.isascii() or len(k) != len(key) or min(k) < "0" for k in keys):
        raise Malformed(Message("expected seen=<positions>"))
    seen = tuple(bytes(ord(character) - 48 for character in k) for k in keys)
    if key not in seen or any(seen.count(other) > 2 for other in seen):
        raise Malformed(Message("the positions seen do not fit this one"))
    return seen
