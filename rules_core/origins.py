"""Where positions come from: a start, a text, a snapshot; `replay` plays moves on."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from rules_core.boards.face import Malformed
from rules_core.catalog import find_game
from rules_core.errors import InvalidOptions, InvalidPosition, InvalidSnapshot
from rules_core.game import Variant
from rules_core.kernel import Board
from rules_core.messages import Message, any_of
from rules_core.position import Position, count_position
from rules_core.snapshot import FORMAT, read_rest


def start(
    key: str,
    options: Mapping[str, object] | None = None,
    starter: str | None = None,
    rules: str | None = None,
) -> Position:
    """Return the position at the start; without *starter* the game's first begins.

    :raises UnknownGame: when there is no such game.
    :raises InvalidOptions: also when that seat cannot begin.
    """
    game = find_game(key, rules)
    variant = game.variant(options)
    if starter is None:
        starter = game.starters[0]
    if starter not in game.starters:
        raise InvalidOptions("starter", starter, any_of(*game.starters))
    return _start(variant, variant.seats.index(starter))


@lru_cache(maxsize=256)
def _start(variant: Variant, seat: int) -> Position:
    board, engine = variant.deal(), variant.engine
    board[engine.turn] = seat
    if engine.starter >= 0:
        board[engine.starter] = seat
    if engine.swapping >= 0 and board[engine.swapping]:
        board[engine.swapping] = 2 - seat
    return _first(variant, board)


def parse(
    key: str,
    text: str,
    options: Mapping[str, object] | None = None,
    rules: str | None = None,
) -> Position:
    """Return the position that a text describes (G6), settled as after a move.

    :raises InvalidPosition: saying what is wrong with the text.
    """
    variant = find_game(key, rules).variant(options)
    board = variant.deal()
    try:
        over = variant.face.read(text, board)
    except Malformed as reason:
        raise InvalidPosition(text, reason.message) from None
    if over:
        raise InvalidPosition(
            text, Message("a finished position is shown, but not read")
        )
    return _first(variant, board)


def _first(variant: Variant, board: Board) -> Position:
    variant.engine.settle(board, None)
    return Position(variant, board, count_position(variant, board, board, (), None))


def restore(
    key: str,
    options: Mapping[str, object] | None,
    snapshot: str,
    rules: str | None = None,
) -> Position:
    """Return the position of a snapshot.

    :raises InvalidSnapshot: saying what is wrong with it.
    """
    variant = find_game(key, rules).variant(options)
    board = variant.deal()
    tag, _, body = snapshot.partition("|")
    if tag != FORMAT:
        raise InvalidSnapshot(
            snapshot, Message("expected the format {format!r}", format=FORMAT)
        )
    text, _, rest = body.partition("|")
    try:
        over = variant.face.read(text, board)
        position = Position(variant, board, read_rest(variant, board, rest, over))
    except Malformed as reason:
        raise InvalidSnapshot(snapshot, reason.message) from None
    if position.snapshot != snapshot:
        raise InvalidSnapshot(snapshot, Message("it is not in its canonical form"))
    return position
