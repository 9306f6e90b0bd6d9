"""How an opening book grows: from the start, along the moves that may well be played.

Of all moves behind which nothing was looked at yet, the next is the one that both seats
lose least on the way to: a ply costs as much as a quarter of a seed or disc. What is
behind it is searched with the same budget as all others, all moves at once, so that
they compare; then every move of the book is worth what the best reply to it is.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, replace

from rules_core.compiled import fingerprint
from rules_core.game import Variant
from rules_core.origins import start
from rules_core.position import Position
from rules_core.search.book import Book, Entry, Worth, key_of
from rules_core.search.cancel import Cancel
from rules_core.search.symmetry import find_symmetry, seen_alike
from rules_core.search.thinking import Budget, Line, think

PLY_COST, MOST_LOSS, PROVEN_COST = 25, 400, 200
"""What it costs to come a ply further, and what a move adds that loses beside the best
one, at most: nobody plays the best move always. To follow what is proven costs more: a
search proves it again, at once. In hundredths of a seed or disc."""

NO_TIME_LIMIT_S = 1e6
HUNDREDTHS = 100


class CannotLook(Exception):
    """The budget of a position is too small for one look at each move."""


@dataclass(frozen=True, slots=True)
class _Reply:
    """Where a move leads: to whom it looks as to who is to move there."""

    key: str
    position: Position
    is_same_seat: bool


def begin_book(variant: Variant, nodes: int, plies: int) -> Book:
    """Return an empty book of a game."""
    return Book(variant, find_symmetry(variant), nodes, plies)


class Grower:
    """Makes a book larger, position by position.

    The same book grows the same way, however often it was put away in between.
    """

    def __init__(self, book: Book) -> None:
        """Take a book, and find the boards of its positions again."""
        game = book.variant.game
        self.book = book.by(fingerprint(game))
        self._views = book.views
        self._replies: dict[str, dict[str, _Reply]] = {}
        first = start(game.key, rules=game.rules)
        self._start = seen_alike(first, self._views)[0]
        waiting = [self._start]
        while waiting:
            position = waiting.pop()
            key = key_of(position)
            if key in book.entries and key not in self._replies:
                self._follow(key, position)
                waiting += [reply.position for reply in self._replies[key].values()]

    def grow(self, cancel: Cancel | None = None) -> bool:
        """Look at one position more; return whether there was one, and time for it.

        :raises CannotLook: the budget is too small.
        """
        found = self._next()
        if found is None:
            return False
        ply, key, position = found
        budget, moves = Budget(NO_TIME_LIMIT_S, self.book.nodes), position.legal_moves
        thought = think(
            position, budget, lines=len(moves), cancel=cancel, everything=False
        )
        if cancel is not None and cancel.is_set():
            return False
        if not thought.lines:
            raise CannotLook(
                f"{self.book.nodes:,} nodes are too few for one look at {len(moves)} "
                "moves"
            )
        worth = {line.moves[0]: _worth_of(line) for line in thought.lines}
        searched = {move: worth[move] for move in moves}
        self.book.entries[key] = Entry(ply, searched, dict(searched))
        self._follow(key, position)
        self._back_up()
        return True

    def _follow(self, key: str, position: Position) -> None:
        """Find out where the moves of a position lead; those that end a game, nowhere.

        Nothing has come up before in what is looked at.
        """
        replies = self._replies[key] = {}
        for move in position.legal_moves:
            after = position.play(move)
            if after.outcome is None:
                is_same_seat = after.to_move == position.to_move
                alike, _ = seen_alike(after, self._views)
                replies[move] = _Reply(key_of(alike), alike, is_same_seat)

    def _next(self) -> tuple[int, str, Position] | None:
        """Return the next position to look at: the cheapest to come to."""
        number, done = 0, set[str]()
        waiting = [(0, number, 0, key_of(self._start), self._start)]
        while waiting:
            cost, _, ply, key, position = heapq.heappop(waiting)
            entry = self.book.entries.get(key)
            if entry is None:
                return ply, key, position
            if key in done or entry.ply == self.book.plies:
                continue
            done.add(key)
            best = max(worth.rank for worth in entry.worth.values())
            for move, reply in self._replies[key].items():
                worth = entry.worth[move]
                loss = min(best - worth.rank, MOST_LOSS)
                proven = PROVEN_COST if worth.decided else 0
                number += 1
                further = (cost + PLY_COST + proven + loss, number, entry.ply + 1)
                heapq.heappush(waiting, (*further, reply.key, reply.position))
        return None

    def _back_up(self) -> None:
        """Let every move be worth what follows it, from the last positions on.

        Only what is further from the start than a position tells of it; so none is
        valued by itself where a position can come up again.
        """
        entries, counts = self.book.entries, self.book.variant.engine.counts
        for key in sorted(entries, key=lambda key: -entries[key].ply):
            entry = entries[key]
            for move, reply in self._replies[key].items():
                child = entries.get(reply.key)
                if child is not None and child.ply > entry.ply:
                    found = best_of(child, counts=counts)
                    if not reply.is_same_seat:
                        found = replace(found, value=-found.value)
                    if found.exact or not entry.searched[move].exact:
                        entry.worth[move] = found


def best_of(entry: Entry, *, counts: bool) -> Worth:
    """Return what a position is worth to who is to move there.

    Where winning is no matter of counting (not *counts*), nothing is better than a win.
    """
    every = entry.worth.values()
    best = max(every, key=lambda worth: (worth.rank, worth.decided))
    is_won = best.decided and best.value > 0
    return Worth(
        best.value,
        exact=all(worth.exact for worth in every) or (is_won and not counts),
        decided=is_won or all(worth.decided for worth in every),
    )


def _worth_of(line: Line) -> Worth:
    return Worth(round(HUNDREDTHS * line.value), line.exact, line.decided)
