"""How a book proves what a seat can make sure of, whatever the other plays.

Each seat in turn is the one that plays by the book. Where it is to move, one best move
is enough; where the other is, those are followed that leave it what it is due from the
start, or not much more: if the other gave away more than that, the search has that much
to lose. A line also ends where a search proves its position with the nodes of the book,
so that whoever plays by it needs no book any more. Positions are taken up in the order
of their plies.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from rules_core.compiled import fingerprint
from rules_core.origins import start
from rules_core.position import Position
from rules_core.search import Table, find_searcher
from rules_core.search.book import Book, Entry, Worth, key_of
from rules_core.search.book_growing import HUNDREDTHS, NO_TIME_LIMIT_S, CannotLook
from rules_core.search.cancel import Cancel
from rules_core.search.ending_tables import SHELF
from rules_core.search.root import Root, Stopped
from rules_core.search.symmetry import seen_alike
from rules_core.search.thinking import (
    DEPTH_TO_PROVE,
    NO_LIMIT,
    Budget,
    nodes_to_prove,
    think,
)

TABLE_MEGABYTES = 512
"""What is solved lies close together: most of it was looked at for the one before."""

FAR_TOO_MANY = 8
"""Where a proof is guessed to take so many times the nodes, none is tried with them."""


@dataclass(frozen=True, slots=True)
class _Place:
    """A position to take up, and whether who plays by the book is to move there.

    What it is worth to that seat is proven; *due*: so was the start.
    """

    position: Position
    ply: int
    by_book: bool
    value: int
    due: int


class Prover:
    """Makes a book larger, position by position, until both seats are proven.

    All that it keeps are proofs. What a search meets by chance decides nothing, so the
    same book grows the same way, however often it was put away in between.
    """

    def __init__(self, book: Book) -> None:
        """Take a book that was begun to prove something.

        :raises CannotLook: the game cannot be looked through to its end.
        """
        game = book.variant.game
        first = start(game.key, book.variant.options, rules=game.rules)
        if nodes_to_prove(first) == NO_LIMIT:
            raise CannotLook(f"nothing proves {game.rules} to its end")
        engine = fingerprint(game)
        if engine not in book.engines[-1:]:
            book = replace(book, engines=(*book.engines, engine))
        self.book = book
        self._views = book.views
        self._start = seen_alike(first, self._views)[0]
        self._table = Table(TABLE_MEGABYTES)
        self._waiting: deque[_Place] | None = None
        self._old, self._come_to = len(book.entries), set[str]()
        self._left: dict[str, bool] = {}
        self._followed = set[tuple[str, bool, int]]()

    def grow(self, cancel: Cancel | None = None) -> bool:
        """Prove one position more; return whether there was one, and time for it."""
        cancel = Cancel() if cancel is None else cancel
        known = self.book.entries
        try:
            if self._waiting is None:
                self._waiting = deque(self._begin(cancel))
            while self._waiting:
                place = self._waiting[0]
                key = key_of(place.position)
                is_new = key not in known and not self._is_left(place, key, cancel)
                if is_new:
                    worth = self._worth_in(place, cancel)
                    known[key] = Entry(place.ply, worth, dict(worth))
                if key in known:
                    self._waiting += self._follow(place, key, cancel)
                self._waiting.popleft()
                if is_new:
                    return True
        except Stopped:
            pass
        return False

    def _begin(self, cancel: Cancel) -> Iterator[_Place]:
        """Yield the start, for each seat that may play by the book."""
        entry = self.book.entries.get(key_of(self._start))
        if entry is not None:
            value = max(worth.value for worth in entry.worth.values())
        else:
            root = self._look(self._start, cancel)
            if not root.settled:
                root.prove()
            value = root.known[root.order[0]].value
        yield _Place(self._start, 0, by_book=False, value=-value, due=-value)
        yield _Place(self._start, 0, by_book=True, value=value, due=value)

    def _is_left(self, place: _Place, key: str, cancel: Cancel) -> bool:
        """Tell whether a position is left to the search, which proves it by itself.

        Of what a book that was put away comes to before its last position, all that it
        has not is such.

        :raises Stopped: it is cancelled.
        """
        nodes = self.book.nodes
        if len(self._come_to) < self._old:
            return True
        if nodes_to_prove(place.position) > FAR_TOO_MANY * nodes:
            return False
        if key not in self._left:
            budget = Budget(NO_TIME_LIMIT_S, nodes)
            found = think(place.position, budget, cancel=cancel, endings=False)
            if cancel.is_set():
                raise Stopped
            self._left[key] = bool(found.lines) and found.lines[0].exact
        return self._left[key]

    def _worth_in(self, place: _Place, cancel: Cancel) -> dict[str, Worth]:
        """Return what is proven of the moves of a position.

        That is one best move, beside which the others are worth no more; or all that
        leave who plays by the book not far ahead, and the others are worth less.

        :raises Stopped: it is cancelled.
        """
        root, moves = self._look(place.position, cancel), place.position.legal_moves
        if place.by_book:
            best = next(move for move in moves if root.is_worth(move, place.value))
            worth = {move: Worth(place.value) for move in moves}
            worth[best] = Worth(place.value, exact=True, decided=True)
            return worth
        least, most = self._least(place), -place.value
        return {move: self._worth_from(root, move, least, most) for move in moves}

    def _least(self, place: _Place) -> int:
        """Return what a move of the other is worth that is followed, at least."""
        return HUNDREDTHS * (1 - self.book.proves) - place.due

    def _worth_from(self, root: Root, move: str, least: int, most: int) -> Worth:
        """Return what a move is worth, if that is not less.

        :raises Stopped: it is cancelled.
        """
        if not root.is_worth(move, least):
            return Worth(least - HUNDREDTHS)
        value = least
        while value < most and root.is_worth(move, value + HUNDREDTHS):
            value += HUNDREDTHS
        return Worth(value, exact=True, decided=True)

    def _look(self, position: Position, cancel: Cancel) -> Root:
        """Return the moves of a position, and let the table know the good ones.

        :raises Stopped: it is cancelled.
        """
        self._table.begin(fresh=False)
        game = position.game
        searcher = find_searcher(game, NO_LIMIT, NO_TIME_LIMIT_S, cancel, self._table)
        endings = SHELF.find(position.variant)
        if endings is not None:
            searcher.use_endings(endings.values, endings.seeds)
        root = Root(position, searcher, 1)
        for depth in range(1, DEPTH_TO_PROVE + 1):
            root.look(depth)
            if root.settled:
                break
        return root

    def _follow(self, place: _Place, key: str, cancel: Cancel) -> Iterator[_Place]:
        """Yield what comes after a position of the book.

        :raises Stopped: it is cancelled.
        """
        entry, position = self.book.entries[key], place.position
        self._come_to.add(key)
        followed = key, place.by_book, place.due
        if entry.ply == self.book.plies or followed in self._followed:
            return
        worth: Mapping[str, Worth] = entry.worth
        if place.by_book:
            move = best_proven(entry)
            worth = {move: worth[move]}
        else:
            least = self._least(place)
            if not all(known.exact or known.value < least for known in worth.values()):
                worth = self._worth_in(place, cancel)  # kept was only a best move
            worth = {
                move: known
                for move, known in worth.items()
                if known.exact and known.value >= least
            }
        for move, known in worth.items():
            after = position.play(move)
            if after.outcome is not None:
                continue
            by_book = place.by_book == (after.to_move == position.to_move)
            value = known.value if place.by_book else -known.value
            alike, _ = seen_alike(after, self._views)
            yield _Place(alike, place.ply + 1, by_book, value, place.due)
        self._followed.add(followed)


def best_proven(entry: Entry) -> str:
    """Return the move of an entry that is proven to be the best; the first of such."""
    exact = [move for move, worth in entry.worth.items() if worth.exact]
    return max(exact, key=lambda move: entry.worth[move].value)
