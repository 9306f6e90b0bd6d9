"""By what a position is remembered, and whether it has come up before."""

from __future__ import annotations

from rules_core.engine import Engine
from rules_core.kernel import Board, rule
from rules_core.search.memory import Memory, fingerprint
from rules_core.search.swapping import may_swap


@rule
def key_of(game: Engine, board: Board) -> int:
    """Return a number that stands for a position.

    What is banked is no part of it where nothing depends on that any more: the same
    seeds in play are remembered once, whatever was captured before.
    """
    first = -1
    if game.banks and not may_swap(game, board):
        first = game.banked(board, 0)
    if first < 0:
        return fingerprint(board, game.size)
    second = game.banked(board, 1)
    south, north = board[first], board[second]
    board[first] = 0
    board[second] = 0
    key = fingerprint(board, game.size)
    board[first] = south
    board[second] = north
    return key


@rule
def banked_value(game: Engine, board: Board, side: int) -> int:
    """Return what a seat is ahead by that is banked, where that is left out of keys."""
    first = game.banked(board, 0)
    if first < 0 or may_swap(game, board):
        return 0
    lead = 100 * (board[first] - board[game.banked(board, 1)])
    return -lead if side else lead


@rule
def has_come_up(memory: Memory, key: int, ply: int) -> bool:
    """Tell whether a position stands on the way here, or twice in what was played."""
    for index in range(memory.before):
        if memory.played[index] == key:
            return True
    index = 0
    while index < ply and memory.keys[index] != key:
        index += 1
    return index < ply
