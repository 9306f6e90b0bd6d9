"""Endings: the value of every position of few seeds, worked out backwards.

In a game whose stores bear on nothing (`banked`) and in which seeds only move on, each
position leads to fewer seeds, or to the same number farther on. So one pass through all
of them, by the number of seeds, values each from those that are valued already; what is
kept is how much the seat to move will gain from here to the end.

A position has the place that its seeds give it: with the sums s0 <= s1 <= ... of the
pits up to each one, counted from the seat to move, that is the sum of all
C(si + i, i + 1). So all positions of fewer seeds come before those of more.
"""

from __future__ import annotations

from rules_core.engine import Engine
from rules_core.kernel import Board, Moves, rule
from rules_core.search.memory import (
    Memory,
    binomial,
    ending_at,
    put_ending,
)
from rules_core.search.ordering import play_into
from rules_core.search.remembering import banked_value

UNKNOWN = -128


@rule
def ending_place(game: Engine, board: Board) -> int:
    """Return the place of a position among all of the same pits."""
    found = 0
    seeds = 0
    for index in range(game.ring_size(board)):
        seeds += board[game.ring_cell(board, index)]
        found += binomial(seeds + index, index + 1)
    return found


@rule
def seeds_in_ring(game: Engine, board: Board) -> int:
    """Count the seeds in all pits."""
    seeds = 0
    for index in range(game.ring_size(board)):
        seeds += board[game.ring_cell(board, index)]
    return seeds


@rule
def ending_value(game: Engine, memory: Memory, row: int, ply: int) -> int:
    """Return what the seat to move will gain, in seeds; work it out if need be."""
    board: Board = memory.boards[row]
    place = ending_place(game, board)
    best = ending_at(memory, place)
    if best != UNKNOWN:
        return best
    side = board[game.turn]
    lead = banked_value(game, board, side)
    moves: Moves = memory.moves[ply]
    for slot in range(game.legal(board, moves)):
        after = 1 + ply * game.max_moves + slot
        play_into(game, memory, row, after, moves[slot])
        played: Board = memory.boards[after]
        gain = (banked_value(game, played, side) - lead) // 100
        if played[game.over] == 0:
            if played[game.turn] == side:
                gain += ending_value(game, memory, after, ply + 1)
            else:
                gain -= ending_value(game, memory, after, ply + 1)
        if gain > best:
            best = gain
    put_ending(memory, place, best)
    return best


@rule
def fill_endings(game: Engine, memory: Memory, seeds: int) -> int:
    """Value all positions of so many seeds, when those of fewer are; count them.

    Row 0 holds a board without seeds, of the game that is meant.
    """
    board: Board = memory.boards[0]
    pits = game.ring_size(board)
    first = binomial(seeds + pits - 1, pits)
    end = binomial(seeds + pits, pits)
    for place in range(first, end):
        set_pits(game, board, place, seeds)
        game.settle(board, None)
        if board[game.over] or board[game.turn]:  # nobody comes to move here
            board[game.over] = 0
            board[game.banked(board, 0)] = 0
            board[game.banked(board, 1)] = 0
        else:
            ending_value(game, memory, 0, 0)
    return end - first


@rule
def set_pits(game: Engine, board: Board, place: int, seeds: int) -> None:
    """Write the seeds that a place stands for into the pits."""
    board[game.turn] = 0
    left = place
    up_to = seeds
    index = game.ring_size(board) - 1
    while index > 0:
        left -= binomial(up_to + index, index + 1)
        below = up_to
        while binomial(below + index - 1, index) > left:
            below -= 1
        board[game.ring_cell(board, index)] = up_to - below
        up_to = below
        index -= 1
    board[game.ring_cell(board, 0)] = up_to
