"""Principal variation search over the flat board of any game, in the integer subset.

A seat may move twice in a row (an extra turn, a forced pass of the other): the sign
changes with the seat, not with the ply. What is told of values stands in `worth`.

Whether a value is *proven* is found on the way: it stands on finished games alone, in
the direction that it says. A proven value does not depend on the depth, so a deeper
search takes it as it is. Repetition (G9): a position that has come up on the way here
is valued as the standstill it will be, which proves nothing: it depends on the way.
What is proven holds whatever has come up before (`thinking` says where it does not): a
shortest proof never comes to the same position twice.
"""

from __future__ import annotations

from collections.abc import Callable

from rules_core.engine import Engine
from rules_core.kernel import Board, Moves, rule
from rules_core.search.circles import (
    PLIES_TO_WIN,
    ending_is_known,
    lowest_value,
    margin_from,
)
from rules_core.search.endings import ending_place
from rules_core.search.memory import (
    MAX_PLY,
    Memory,
    ending_at,
    find_entry,
    out_of_budget,
    put_entry,
)
from rules_core.search.ordering import (
    LOOK_DEPTH,
    SLOTS,
    never_ends,
    play_into,
    rank_moves,
    remember_cut,
    sort_moves,
    try_moves,
)
from rules_core.search.remembering import banked_value, has_come_up, key_of
from rules_core.search.solving import solved_value
from rules_core.search.swapping import better_side, either_way, may_swap
from rules_core.search.worth import (
    AT_LEAST,
    AT_MOST,
    EXACT,
    INFINITE,
    entry_depth,
    entry_kind,
    entry_move,
    entry_proven,
    final_value,
    from_entry,
    margin_value,
    to_entry,
)

LAST_TO_SOLVE = 120
"""Behind this ply there may be too few rows left for an ending of 60 plies."""

TO_THE_END = 100
"""Of a depth beyond this nothing is left out: it is to prove something."""

FITTED_DEPTH, FITTED_FROM, FITTED_BY = 4, 3, 1
"""How late moves are looked at less deep where insight does not count: from this depth
and move on, by so many plies. Levels with a budget were fitted so."""

Evaluate = Callable[[Board], int]


@rule
def negamax(
    game: Engine,
    evaluate: Evaluate,
    memory: Memory,
    row: int,
    ply: int,
    depth: int,
    alpha: int,
    beta: int,
) -> int:
    """Return the value of `memory.boards[row]`; worthless once the search stopped."""
    memory.nodes += 1
    memory.proven = 1
    board: Board = memory.boards[row]
    side = board[game.turn]
    if board[game.over]:
        return final_value(game, board, side, ply)
    if out_of_budget(memory):
        memory.stopped = True
        return 0
    if game.bounded:
        up_to, from_on = game.most(board), game.least(board)
        if may_swap(game, board):
            up_to = either_way(up_to, from_on)
            from_on = -up_to
        elif side:
            up_to, from_on = -from_on, -up_to
        highest = margin_value(game, board, up_to, ply)
        lowest = margin_value(game, board, from_on, ply)
        if lowest >= beta or lowest == highest:
            return lowest
        if highest <= alpha:
            return highest
        is_ending = game.has_endings and up_to - from_on <= 2 * memory.ending_seeds
        if is_ending and not game.recurs and not may_swap(game, board):
            gain = ending_at(memory, ending_place(game, board))
            return banked_value(game, board, side) + 100 * gain
    if game.solves and ply <= LAST_TO_SOLVE and game.solvable(memory, board):
        return solved_value(game, memory, board, ply, alpha, beta)
    bottom, top = -INFINITE, INFINITE
    if (
        game.has_endings
        and game.recurs
        and not may_swap(game, board)
        and ending_is_known(game, memory, board)
    ):
        if has_come_up(memory, key_of(game, board), ply):
            return standstill_value(game, evaluate, memory, row, ply)
        from_on = margin_from(game, memory, board, side)
        up_to = -margin_from(game, memory, board, 1 - side)
        if from_on == up_to:
            return margin_value(game, board, from_on, ply + PLIES_TO_WIN)
        bottom = lowest_value(game, board, from_on, ply)
        top = -lowest_value(game, board, -up_to, ply)
        if bottom >= beta:
            return bottom
        if top <= alpha:
            return top
    if depth <= 0 or ply >= MAX_PLY:
        memory.proven = 0
        value = evaluate(board)
        if memory.insight:
            value += game.insight(board)
        if side:
            value = -value
        if may_swap(game, board):
            return better_side(game, board, side, value)
        return between(bottom, value, top)
    banked = 0
    if game.banks:
        banked = banked_value(game, board, side)
    key = key_of(game, board)
    if game.recurs:
        if has_come_up(memory, key, ply):
            return standstill_value(game, evaluate, memory, row, ply)
        memory.keys[ply] = key
    entry = find_entry(memory, key)
    first = -1
    if entry >= 0:
        first = entry_move(entry)
        if entry_proven(entry) or entry_depth(entry) >= depth:
            value = from_entry(entry, ply) + banked
            kind = entry_kind(entry)
            if (
                kind == EXACT
                or (kind == AT_LEAST and value >= beta)
                or (kind == AT_MOST and value <= alpha)
            ):
                memory.proven = entry_proven(entry)
                return value
    moves: Moves = memory.moves[ply]
    count = game.candidates(board, moves) if game.tries else game.legal(board, moves)
    if depth >= LOOK_DEPTH:
        value = try_moves(game, memory, row, ply, depth, count, beta)
        if memory.stopped:
            return 0
        if value >= beta:
            return value
    else:
        rank_moves(game, memory, side, ply, count)
    sort_moves(memory, ply, count, first)
    ranks: Moves = memory.ranks[ply]
    best = -INFINITE
    best_move = 0
    low = alpha
    all_proven = 1
    proven = 0
    searched = 0
    for index in range(count):
        slot = ranks[index] & (SLOTS - 1)
        move = moves[slot]
        after = 1 + ply * game.max_moves + slot
        if depth < LOOK_DEPTH:
            play_into(game, memory, row, after, move)
        if never_ends(game, memory.boards[after]):
            continue
        reduced, again = 0, 1
        value = 0
        if searched:  # is it better than the best so far, at all?
            reduced = less_deep(game, memory, depth, searched)
            value = value_after(
                game,
                evaluate,
                memory,
                after,
                ply,
                side,
                depth - 1 - reduced,
                low,
                low + 1,
            )
            again = value > low and (reduced or value < beta)
        if again and not memory.stopped:
            value = value_after(
                game, evaluate, memory, after, ply, side, depth - 1, low, beta
            )
        if memory.stopped:
            return 0
        searched += 1
        proven = memory.proven
        all_proven &= proven
        if value > best:
            best = value
            best_move = move
        if value > low:
            low = value
        if low >= beta:
            remember_cut(game, memory, side, depth, move)
            break
    kind = EXACT
    if best <= alpha:
        kind = AT_MOST
    elif best >= beta:
        kind = AT_LEAST
        all_proven = proven
    put_entry(
        memory, key, to_entry(best - banked, ply, depth, kind, all_proven, best_move)
    )
    memory.proven = all_proven
    return best


@rule
def less_deep(game: Engine, memory: Memory, depth: int, searched: int) -> int:
    """Return by how much a move is looked at less deep first, after so many others."""
    from_depth, from_on, by = FITTED_DEPTH, FITTED_FROM, FITTED_BY
    if memory.insight:
        from_depth, from_on, by = game.late_depth, game.late_from, game.late_by
    if searched < from_on or depth < from_depth or depth >= TO_THE_END:
        return 0
    return by


@rule
def between(least: int, value: int, most: int) -> int:
    """Return what of a value lies within bounds."""
    if value < least:
        return least
    if value > most:
        return most
    return value


@rule
def value_after(
    game: Engine,
    evaluate: Evaluate,
    memory: Memory,
    row: int,
    ply: int,
    side: int,
    depth: int,
    low: int,
    high: int,
) -> int:
    """Return what the board after a move is worth to the seat that has moved."""
    after: Board = memory.boards[row]
    if after[game.turn] == side:
        if game.whole_turns and memory.insight and depth < TO_THE_END:
            depth += 1
        return negamax(game, evaluate, memory, row, ply + 1, depth, low, high)
    return -negamax(game, evaluate, memory, row, ply + 1, depth, -high, -low)


@rule
def standstill_value(
    game: Engine, evaluate: Evaluate, memory: Memory, row: int, ply: int
) -> int:
    """Return what it is worth that a position comes up again and again."""
    board: Board = memory.boards[row]
    after: Board = memory.boards[1 + ply * game.max_moves]
    for cell in range(game.size):
        after[cell] = board[cell]
    game.standstill(after, None)  # type: ignore[misc]  # asked if positions recur
    memory.proven = 0
    side = board[game.turn]
    if after[game.over]:
        return final_value(game, after, side, ply)
    value = evaluate(after)
    return -value if side else value
