"""Alpha-beta search over the flat board of any game, in the integer subset.

Values are hundredths of a seed or disc, from the view of the seat to move. A seat may
move twice in a row (an extra turn, a forced pass of the other): the sign changes with
the seat, not with the ply. Repetition (G9) is not looked at inside the search: a
position that would be a standstill is valued as if it came up for the first time.
"""

from __future__ import annotations

from collections.abc import Callable

from rules_core.engine import Engine
from rules_core.kernel import Board, Moves, rule
from rules_core.search.memory import (
    MAX_PLY,
    Memory,
    find_entry,
    fingerprint,
    out_of_budget,
    put_entry,
)

WIN = 1_000_000
"""A win at once; a later one is worth a little less."""

INFINITE = 2_000_000
SURE_WIN = WIN - 1_000

EXACT, AT_LEAST, AT_MOST = 0, 1, 2

Evaluate = Callable[[Board], int]


@rule
def negamax(
    game: Engine,
    evaluate: Evaluate,
    memory: Memory,
    ply: int,
    depth: int,
    alpha: int,
    beta: int,
) -> int:
    """Return the value of `memory.boards[ply]`; worthless once the search stopped."""
    memory.nodes += 1
    board: Board = memory.boards[ply]
    side = board[game.turn]
    if board[game.over]:
        return final_value(game, board, side, ply)
    if out_of_budget(memory):
        memory.stopped = True
        return 0
    if depth <= 0 or ply >= MAX_PLY:
        value = evaluate(board)
        return -value if side else value
    key = fingerprint(board, game.size)
    entry = find_entry(memory, key)
    first = -1
    if entry >= 0:
        first = entry & 255
        value = from_entry(entry, ply)
        kind = (entry >> 8) & 3
        if ((entry >> 10) & 255) >= depth and (
            kind == EXACT
            or (kind == AT_LEAST and value >= beta)
            or (kind == AT_MOST and value <= alpha)
        ):
            return value
    moves: Moves = memory.moves[ply]
    count = game.legal(board, moves)
    order(game, memory, ply, count, first)
    after: Board = memory.boards[ply + 1]
    best = -INFINITE
    best_move = 0
    low = alpha
    for index in range(count):
        move = moves[index]
        for cell in range(game.size):
            after[cell] = board[cell]
        game.apply(after, move, None)
        if after[game.turn] == side:
            value = negamax(game, evaluate, memory, ply + 1, depth - 1, low, beta)
        else:
            value = -negamax(game, evaluate, memory, ply + 1, depth - 1, -beta, -low)
        if memory.stopped:
            return 0
        if value > best:
            best = value
            best_move = move
        if value > low:
            low = value
        if low >= beta:
            memory.killers[ply] = move
            memory.history[side * game.move_ids + move] += depth * depth
            break
    kind = EXACT
    if best <= alpha:
        kind = AT_MOST
    elif best >= beta:
        kind = AT_LEAST
    put_entry(memory, key, to_entry(best, ply, depth, kind, best_move))
    return best


@rule
def final_value(game: Engine, board: Board, side: int, ply: int) -> int:
    """Return what a finished game is worth: soon won is best, late lost is better."""
    winner = board[game.winner]
    if winner == 0:
        return 0
    if winner == side + 1:
        return WIN - ply
    return ply - WIN


@rule
def to_entry(value: int, ply: int, depth: int, kind: int, move: int) -> int:
    """Pack what is known of a position; wins are counted from here, not the root."""
    if value > SURE_WIN:
        value += ply
    elif value < -SURE_WIN:
        value -= ply
    return ((value + INFINITE) << 18) | (depth << 10) | (kind << 8) | move


@rule
def from_entry(entry: int, ply: int) -> int:
    """Unpack the value of an entry."""
    value = (entry >> 18) - INFINITE
    if value > SURE_WIN:
        value -= ply
    elif value < -SURE_WIN:
        value += ply
    return value


@rule
def order(game: Engine, memory: Memory, ply: int, count: int, first: int) -> None:
    """Sort the moves: the remembered one, the last to refute here, then by history."""
    moves: Moves = memory.moves[ply]
    ranks: Moves = memory.ranks[ply]
    side = memory.boards[ply][game.turn]
    for index in range(count):
        move = moves[index]
        rank = memory.history[side * game.move_ids + move]
        if move == first:
            rank += 2_000_000_000
        elif move == memory.killers[ply]:
            rank += 1_000_000_000
        place = index
        while place > 0 and ranks[place - 1] < rank:
            ranks[place] = ranks[place - 1]
            moves[place] = moves[place - 1]
            place -= 1
        ranks[place] = rank
        moves[place] = move
