"""Endings of games in which play can go in circles: bounds, narrowed from both sides.

What a circle is worth depends on the way (G9), so a table holds no values but two
bounds: of how many seeds the seat to move can make sure, and how many the other cannot
keep it from, in play that comes to an end. Whoever needs a circle gets nothing of it.
Both begin as wide as they can be; then all positions of as many seeds are looked at
again and again, until nothing changes. Captures lead to fewer seeds, which are known.

A position has two bytes, the lower bound first, at twice its place (`endings`). One
from which nobody moves has UNKNOWN in both.

Where a seat that has more than half wins at once (`majority`) what is captured stays
captured, whatever goes in circles afterwards: the bounds are from none to all seeds.
Elsewhere a standstill may take back what was won: NONE, and more than there are, say
that the seat in question cannot make the game end at all.
"""

from __future__ import annotations

from rules_core.engine import Engine
from rules_core.kernel import Board, Moves, rule
from rules_core.search.endings import UNKNOWN, ending_place, seeds_in_ring, set_pits
from rules_core.search.memory import (
    Memory,
    binomial,
    ending_at,
    link_at,
    put_ending,
    put_link,
)
from rules_core.search.ordering import play_into
from rules_core.search.worth import margin_value

NONE = -1
"""As a lower bound: not even the end of the game is sure."""

PLIES_TO_WIN = 60
"""How far behind a position of a table a win that it promises is thought to be: with
the ply of that position still less than what a larger win is worth."""


@rule
def link_endings(
    game: Engine, memory: Memory, seeds: int, begin: int, end: int
) -> None:
    """Begin the bounds of places by what their captures lead to; link the other moves.

    All have so many seeds, and those of fewer are known. Row 0 holds a board without
    seeds, of the game that is meant. A place has a link that keeps the upper bound by
    captures, and one for each other move: twice the place that it leads to, and one
    more if the same seat moves again. NONE ends them.
    """
    empty: Board = memory.boards[0]
    board: Board = memory.boards[1]
    moves: Moves = memory.moves[0]
    first = binomial(seeds + game.ring_size(empty) - 1, game.ring_size(empty))
    low = NONE
    if game.majority:
        low = 0
    for place in range(begin, end):
        for cell in range(game.size):
            board[cell] = empty[cell]
        set_pits(game, board, place, seeds)
        game.settle(board, None)
        put_ending(memory, 2 * place, UNKNOWN)
        put_ending(memory, 2 * place + 1, UNKNOWN)
        if board[game.over] == 0 and board[game.turn] == 0:
            put_ending(memory, 2 * place, low)
            put_ending(memory, 2 * place + 1, seeds - low)
            link_moves(
                game,
                memory,
                seeds,
                place,
                (place - first) * (game.max_moves + 1),
                game.legal(board, moves),
            )


@rule
def link_moves(
    game: Engine, memory: Memory, seeds: int, place: int, link: int, count: int
) -> None:
    """Begin the bounds of a place, whose board and moves are written; link it."""
    moves: Moves = memory.moves[0]
    low, most = ending_at(memory, 2 * place), NONE
    at = link + 1
    for slot in range(count):
        play_into(game, memory, 1, 2 + slot, moves[slot])
        board: Board = memory.boards[2 + slot]
        if board[game.over] == 0 and seeds_in_ring(game, board) == seeds:
            again = 1 - board[game.turn]
            put_link(memory, at, 2 * ending_place(game, board) + again)
            at += 1
        else:
            sure = sure_of(game, memory, board, seeds, 0)
            if sure > low:
                low = sure
            sure = seeds - sure_of(game, memory, board, seeds, 1)
            if sure > most:
                most = sure
    put_link(memory, link, most)
    put_ending(memory, 2 * place, low)
    if at == link + 1:
        put_ending(memory, 2 * place + 1, most)
    if at <= link + game.max_moves:
        put_link(memory, at, NONE)


@rule
def sure_of(game: Engine, memory: Memory, board: Board, seeds: int, seat: int) -> int:
    """Return of how many of all seeds a seat is sure after a move of the first seat.

    The move has captured or ended the game.
    """
    left = seeds_in_ring(game, board)
    lead = game.score(board)
    if seat:
        lead = -lead
    own = (seeds - left + lead) // 2
    if board[game.over]:
        if left and game.majority == 0:
            return NONE
        return own
    place = ending_place(game, board)
    if board[game.turn] == seat:
        sure = ending_at(memory, 2 * place)
    else:
        sure = left - ending_at(memory, 2 * place + 1)
    if sure == NONE:
        return NONE
    return own + sure


@rule
def narrow_endings(
    game: Engine, memory: Memory, seeds: int, begin: int, end: int
) -> int:
    """Go once through linked places; count those whose bounds are narrower now."""
    empty: Board = memory.boards[0]
    pits = game.ring_size(empty)
    first = binomial(seeds + pits - 1, pits)
    changed = 0
    for place in range(begin, end):
        old_low = ending_at(memory, 2 * place)
        old_most = ending_at(memory, 2 * place + 1)
        if old_low != old_most:
            link = (place - first) * (game.max_moves + 1)
            low, most = old_low, link_at(memory, link)
            after = 0
            slot = 1
            while slot <= game.max_moves and after != NONE:
                after = link_at(memory, link + slot)
                slot += 1
                if after != NONE:
                    sure = seeds - ending_at(memory, after | 1)
                    not_sure = seeds - ending_at(memory, after - (after & 1))
                    if after & 1:  # the same seat moves again
                        sure, not_sure = seeds - not_sure, seeds - sure
                    if sure > low:
                        low = sure
                    if not_sure > most:
                        most = not_sure
            if low != old_low or most != old_most:
                put_ending(memory, 2 * place, low)
                put_ending(memory, 2 * place + 1, most)
                changed += 1
    return changed


@rule
def sure_margin(game: Engine, lead: int, seeds: int, low: int, most: int) -> int:
    """Return the final margin of which a seat is sure that is ahead by *lead* now.

    Of the seeds in play it is sure to get *low*, and can be kept from more than *most*.
    With *low* more than half of all seeds it wins; where that ends the game, the other
    may have all that is not needed for it, and the rest stays where it is. A seat that
    cannot be made to lose is sure of the draw which a circle is, where it is one.
    """
    margin = lead + 2 * low - seeds
    if margin > 0 and low != NONE:
        if game.majority:
            return margin // 2 + 1
        return margin
    if game.draws and (most > seeds or lead + 2 * most - seeds >= 0):
        return 0
    if margin == 0 and low != NONE:
        return 0
    if low == NONE:
        low = 0
    if game.majority:
        return lead - seeds + low
    return lead - seeds + 2 * low


@rule
def margin_from(game: Engine, memory: Memory, board: Board, seat: int) -> int:
    """Return the final margin of which a seat is sure, by the table."""
    seeds = seeds_in_ring(game, board)
    place = ending_place(game, board)
    low = ending_at(memory, 2 * place)
    most = ending_at(memory, 2 * place + 1)
    lead = game.score(board)
    if seat:
        lead = -lead
    if board[game.turn] == seat:
        return sure_margin(game, lead, seeds, low, most)
    return sure_margin(game, lead, seeds, seeds - most, seeds - low)


@rule
def ending_is_known(game: Engine, memory: Memory, board: Board) -> bool:
    """Tell whether a position stands in the table that is at hand."""
    if memory.ending_seeds == 0:
        return False
    return seeds_in_ring(game, board) <= memory.ending_seeds


@rule
def lowest_value(game: Engine, board: Board, margin: int, ply: int) -> int:
    """Return the value of a margin that is sure: a win is not near, a loss may be."""
    if margin > 0:
        return margin_value(game, board, margin, ply + PLIES_TO_WIN)
    return margin_value(game, board, margin, ply)
