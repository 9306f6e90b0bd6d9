"""Where positions come from: a start, a text, a list of moves, a snapshot."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from rules_core.catalog import find_game
from rules_core.compiled import find_compiled
from rules_core.errors import (
    IllegalMove,
    InvalidOptions,
    InvalidPosition,
    InvalidSnapshot,
)
from rules_core.face import Malformed
from rules_core.game import Variant
from rules_core.kernel import Board
from rules_core.position import Position, count_position, legal_moves
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
        raise InvalidOptions("starter", starter, " or ".join(game.starters))
    return _start(variant, variant.seats.index(starter))


@lru_cache(maxsize=256)
def _start(variant: Variant, seat: int) -> Position:
    board, engine = variant.deal(), variant.engine
    board[engine.turn] = seat
    if engine.starter >= 0:
        board[engine.starter] = seat
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
        raise InvalidPosition(text, str(reason)) from None
    if over:
        raise InvalidPosition(text, "a finished position is shown, but not read")
    return _first(variant, board)


def _first(variant: Variant, board: Board) -> Position:
    variant.engine.settle(board, None)
    return Position(variant, board, count_position(variant, board, board, (), None))


def from_moves(
    key: str,
    options: Mapping[str, object] | None,
    starter: str | None,
    moves: Iterable[str],
    rules: str | None = None,
) -> Position:
    """Return the position after all these moves from the start.

    :raises IllegalMove: at the first that is not legal, with its ply.
    """
    return play_all(start(key, options, starter, rules), moves)


def play_all(first: Position, moves: Iterable[str]) -> Position:
    """Return the position after all these moves, played in bulk.

    :raises IllegalMove: at the first that is not legal, with its ply.
    """
    played, compiled = list(moves), find_compiled(first.game)
    if not played:
        return first
    if compiled is None:
        return replay_plain(first, played)
    return replay_compiled(first, played, compiled)


def replay_plain(first: Position, moves: list[str]) -> Position:
    """Play the moves one by one on one flat board."""
    variant, board, seen = first.variant, first.flat, first.seen
    engine, ids = variant.engine, variant.move_ids
    out = [0] * engine.max_moves
    mover: int | None = None
    for ply, move in enumerate(moves, start=1):
        found = engine.legal(board, out)
        wanted = ids.get(move, -1)
        if wanted not in out[:found]:
            raise IllegalMove(move, legal_moves(variant, board), ply)
        before, mover = board, board[engine.turn]
        if engine.standstill is not None:
            board = before.copy()
        engine.apply(board, wanted, None)
        seen = count_position(variant, before, board, seen, None)
    return Position(variant, board, seen, mover)


def replay_compiled(first: Position, moves: list[str], compiled: Any) -> Position:
    """Let the extension of the game play the moves."""
    variant = first.variant
    ids = [variant.move_ids.get(move, -1) for move in moves]
    done, board, seen, mover = compiled.replay(first.flat, first.seen, ids)
    if done < len(moves):
        raise IllegalMove(moves[done], legal_moves(variant, board), done + 1)
    return Position(variant, board, seen, None if mover < 0 else mover)


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
        raise InvalidSnapshot(snapshot, f"expected the format {FORMAT!r}")
    text, _, rest = body.partition("|")
    try:
        over = variant.face.read(text, board)
        position = Position(variant, board, read_rest(variant, board, rest, over))
    except Malformed as reason:
        raise InvalidSnapshot(snapshot, str(reason)) from None
    if position.snapshot != snapshot:
        raise InvalidSnapshot(snapshot, "it is not in its canonical form")
    return position
