"""In which order moves are searched: the sooner the best, the less is left to do."""

from __future__ import annotations

from rules_core.engine import Engine
from rules_core.kernel import NEVER_ENDS, Board, Moves, rule
from rules_core.search.memory import (
    Memory,
    fetch_entry,
    find_entry,
    is_late,
    out_of_budget,
)
from rules_core.search.remembering import banked_value, key_of
from rules_core.search.worth import (
    AT_LEAST,
    AT_MOST,
    INFINITE,
    entry_depth,
    entry_kind,
    entry_proven,
    from_entry,
)

LOOK_DEPTH = 2
"""From this depth on every move is tried before the first is searched, to sort them."""

CUT_DEPTH = 2
"""From this depth on what is remembered after a move may end the search here."""

FIRST, AGAIN, GAIN = 1 << 40, 5 << 25, 1 << 26
"""Ranks: the move that is remembered; another turn, as good as two seeds and a half; a
seed that is gained. Killers, and history in Kalah, made the tree larger."""

MOST_HISTORY = (1 << 24) - 1
SLOTS = 256
"""A rank ends with the place of its move in the list, below this."""


@rule
def play_into(game: Engine, memory: Memory, row: int, after: int, move: int) -> None:
    """Write the board after a move into another row."""
    memory.plays += 1
    board: Board = memory.boards[row]
    played: Board = memory.boards[after]
    for cell in range(game.size):
        played[cell] = board[cell]
    game.apply(played, move, None)


@rule
def never_ends(game: Engine, board: Board) -> bool:
    """Tell whether the move that was tried here is endless, and so not legal."""
    return game.tries and board[game.over] == NEVER_ENDS


@rule
def rank_moves(game: Engine, memory: Memory, side: int, ply: int, count: int) -> None:
    """Rank moves by what has been said of them elsewhere."""
    moves: Moves = memory.moves[ply]
    ranks: Moves = memory.ranks[ply]
    for slot in range(count):
        rank = slot  # near the own store: what moves again there moves little else
        if not game.banks:
            rank = memory.history[side * game.move_ids + moves[slot]]
        ranks[slot] = rank * SLOTS + slot


@rule
def try_moves(
    game: Engine,
    memory: Memory,
    row: int,
    ply: int,
    depth: int,
    count: int,
    beta: int,
) -> int:
    """Play each move into a row of its own, and rank it by what it does.

    Returns a value of *beta* or more when one is remembered to be as good as that.
    """
    board: Board = memory.boards[row]
    moves: Moves = memory.moves[ply]
    ranks: Moves = memory.ranks[ply]
    keys: Moves = memory.keys_after[ply]
    side = board[game.turn]
    lead = game.score(board)
    rank_moves(game, memory, side, ply, count)
    for slot in range(count):
        after = 1 + ply * game.max_moves + slot
        late = 0  # a dozen endless sowings take a millisecond or two
        if game.tries:
            late = slot & 3 == 3 and is_late(memory)
        elif game.work > game.size:
            late = out_of_budget(memory)
        if late:
            memory.stopped = True
            return -INFINITE
        play_into(game, memory, row, after, moves[slot])
        played: Board = memory.boards[after]
        if never_ends(game, played):
            continue
        rank = 0
        if played[game.turn] == side:
            rank = AGAIN
        if not game.words:  # discs are no seeds: few are better than many
            gain = game.score(played) - lead
            if side:
                gain = -gain
            rank += GAIN * gain
        ranks[slot] += rank * SLOTS
        if depth >= CUT_DEPTH:
            keys[slot] = key_of(game, played)
            fetch_entry(memory, keys[slot])
    if depth >= CUT_DEPTH:
        for slot in range(count):
            after = 1 + ply * game.max_moves + slot
            if never_ends(game, memory.boards[after]):
                continue
            value = remembered_after(
                game, memory, after, keys[slot], ply, side, depth, beta
            )
            if value >= beta:
                return value
    return -INFINITE


@rule
def remembered_after(
    game: Engine,
    memory: Memory,
    row: int,
    key: int,
    ply: int,
    side: int,
    depth: int,
    beta: int,
) -> int:
    """Return a value of *beta* or more that is remembered of the board after a move."""
    board: Board = memory.boards[row]
    entry = find_entry(memory, key)
    if entry < 0 or (entry_proven(entry) == 0 and entry_depth(entry) < depth - 1):
        return -INFINITE
    value = from_entry(entry, ply + 1)
    mover = board[game.turn]
    if game.banks:
        value += banked_value(game, board, mover)
    wrong = AT_MOST
    if mover != side:
        value = -value
        wrong = AT_LEAST
    if value < beta or entry_kind(entry) == wrong:
        return -INFINITE
    memory.proven = entry_proven(entry)
    return value


@rule
def sort_moves(memory: Memory, ply: int, count: int, first: int) -> None:
    """Sort the ranks, the highest first; a remembered move goes before all."""
    moves: Moves = memory.moves[ply]
    ranks: Moves = memory.ranks[ply]
    for index in range(count):
        rank = ranks[index]
        if moves[rank & (SLOTS - 1)] == first:
            rank += FIRST * SLOTS
        place = index
        while place > 0 and ranks[place - 1] < rank:
            ranks[place] = ranks[place - 1]
            place -= 1
        ranks[place] = rank


@rule
def remember_cut(
    game: Engine, memory: Memory, side: int, depth: int, move: int
) -> None:
    """Note that a move was enough here: it may be elsewhere, too."""
    place = side * game.move_ids + move
    memory.history[place] += depth * depth
    if memory.history[place] > MOST_HISTORY:
        for index in range(2 * game.move_ids):
            memory.history[index] = memory.history[index] >> 1
