"""The root of a search: the moves of a position, the best first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rules_core.position import Position
from rules_core.replay import play_all
from rules_core.search import INFINITE, SURE_WIN, WIN, Searcher
from rules_core.search.alphabeta import TO_THE_END
from rules_core.search.worth import A_SEED_MORE, final_value

A_SEED = 100
NEAR = 150
"""How far from its last value the value of a move is looked for first."""

TO_ANY_END = 2 * TO_THE_END


@dataclass(slots=True)
class Known:
    """What is known of a move, in the values of `worth`; at most that, if *bound*."""

    value: int
    proven: bool
    bound: bool = False


class Stopped(Exception):
    """The budget is used up."""


def all_there_is(position: Position) -> int:
    """Return how many seeds or squares there are in a game."""
    layout = position.game.layout(position.options)
    if layout.kind == "squares":
        return sum(map(len, layout.rows))
    return sum(int(count) for count in position.board.values())


def final_margin(position: Position) -> int:
    """Return by how much the first seat has won a game that is over, as it is searched.

    A draw is worth nothing; where winning is no matter of counting, a win is worth all
    there is.
    """
    engine, winner = position.game.engine, position.flat[position.game.engine.winner]
    if not winner:
        return 0
    if engine.counts:
        return engine.score(position.flat)
    return all_there_is(position) * (1 if winner == 1 else -1)


class Root:
    """The moves of a position, and what was found out about them at the last depth."""

    def __init__(self, position: Position, searcher: Searcher, wanted: int) -> None:
        """Take a position that is not over, and how many moves are wanted exactly."""
        self.position = position
        self.wanted = wanted
        self.searcher = searcher
        # not by `play`: an endless sowing takes plain Python long to find out
        self.after = {move: play_all(position, [move]) for move in position.legal_moves}
        self.order = list(self.after)
        self.known: dict[str, Known] = {}
        self._side = position.flat[position.game.engine.turn]
        self.is_certain = True
        """Whether no position has been there twice, so that a proof holds."""
        if position.game.engine.recurs:
            self._remember_what_came_up()

    def look(self, depth: int) -> None:
        """Look so many plies ahead.

        :raises Stopped: the budget is used up; then nothing has changed but the order.
        """
        self._go_through(lambda move: self._near(move, depth), depth)

    def prove(self) -> None:
        """Look to the end of every line; of a game that has banks.

        :raises Stopped: the budget is used up; then nothing has changed.
        """
        if self.wanted == 1:
            self._prove_best()
        else:
            self._go_through(self._zoom, TO_ANY_END)

    def is_worth(self, move: str, value: int) -> bool:
        """Tell whether a move is proven to be worth so much; of a game that has banks.

        :raises Stopped: the budget is used up.
        """
        return self.ask(move, value, TO_ANY_END).value >= value

    def ask(self, move: str, value: int, depth: int) -> Known:
        """Look so many plies ahead, and only whether a move is worth so much.

        :raises Stopped: the budget is used up.
        """
        return self._search(move, depth, value - 1, value)

    @property
    def settled(self) -> bool:
        """Whether more looking could change nothing."""
        best = self.known[self.order[0]].value
        if best > SURE_WIN and not self.position.game.engine.counts:
            return True
        return all(self.is_exact(move) for move in self.order[: self.wanted])

    def is_exact(self, move: str) -> bool:
        """Tell whether the value of a move is proven, and no later one better."""
        place = self.order.index(move)
        known = self.known[move]
        if abs(known.value) > SURE_WIN and not self.position.game.engine.counts:
            return True
        proven = all(self.known[other].proven for other in self.order[place:])
        return self.is_certain and proven and not known.bound

    def is_decided(self, move: str) -> bool:
        """Tell whether it is proven who wins after a move."""
        known = self.known[move]
        certain = self.is_certain and known.proven and not known.bound
        return certain or abs(known.value) > SURE_WIN

    def margin_of(self, move: str) -> float:
        """Return the value of a move in seeds or discs."""
        value = self.known[move].value
        if abs(value) <= SURE_WIN:
            return value / A_SEED
        if self.position.game.engine.counts:
            won = -((WIN - abs(value)) // A_SEED_MORE)
        else:
            won = all_there_is(self.position)
        return float(won if value > 0 else -won)

    # -- private

    def _remember_what_came_up(self) -> None:
        """Take note of what stands on the board now, and of what has been there twice.

        Where something has, a proof might lead to it a third time: nothing is certain.
        """
        position, turn = self.position, self.position.game.engine.turn
        boards = [position.flat]
        for key in set(position.seen):
            if position.seen.count(key) > 1:
                boards.append([*key, *position.flat[turn + 1 :]])
                self.is_certain = False
        self.searcher.remember(boards)

    def _go_through(self, exactly: Callable[[str], Known], depth: int) -> None:
        found: dict[str, Known] = {}
        for move in self.order:
            best = sorted((known.value for known in found.values()), reverse=True)
            if len(best) < self.wanted:
                found[move] = exactly(move)
                continue
            low = best[self.wanted - 1]
            known = self._search(move, depth, low, low + 1)
            if known.value <= low:
                known.bound = True
            elif depth == TO_ANY_END:
                known = self._zoom(move)
            else:
                known = self._search(move, depth, low, INFINITE)
            found[move] = known
        self.known = found
        self.order.sort(key=self._place)

    def _prove_best(self) -> None:
        """Ask of the best move alone what it is worth: it need not be the same."""
        least, most, proven = -INFINITE, INFINITE, True
        guess = self.known[self.order[0]].value
        while least < most:
            asked = guess + A_SEED if guess == least else guess
            found: dict[str, Known] = {}
            for move in self.order:
                found[move] = self._search(move, TO_ANY_END, asked - 1, asked)
                if found[move].value >= asked:
                    break
            guess = max(known.value for known in found.values())
            if guess < asked:
                most = guess
                proven = proven and all(known.proven for known in found.values())
            else:
                least = guess
                proven = proven and found[move].proven
                self.order.remove(move)
                self.order.insert(0, move)
        bound = {move: Known(guess, proven, bound=True) for move in self.order}
        self.known = bound | {self.order[0]: Known(guess, proven)}

    def _place(self, move: str) -> tuple[bool, int, bool]:
        """Sort by value; but a win that is proven is not given up for a promise."""
        known = self.known[move]
        won = known.proven and known.value > 0 and not known.bound and self.is_certain
        return not won, -known.value, known.bound

    def _near(self, move: str, depth: int) -> Known:
        last = self.known.get(move)
        low, high = -INFINITE, INFINITE
        if last is not None and abs(last.value) < SURE_WIN:
            low, high = last.value - NEAR, last.value + NEAR
        known = self._search(move, depth, low, high)
        if known.value <= low:
            known = self._search(move, depth, -INFINITE, known.value + 1)
        elif known.value >= high:
            known = self._search(move, depth, known.value - 1, INFINITE)
        return known

    def _zoom(self, move: str) -> Known:
        """Find the value by asking again and again whether it is as much as that."""
        least, most, proven = -INFINITE, INFINITE, True
        guess = self.known[move].value
        while least < most:
            asked = guess + A_SEED if guess == least else guess
            known = self._search(move, TO_ANY_END, asked - 1, asked)
            proven = proven and known.proven
            guess = known.value
            if guess < asked:
                most = guess
            else:
                least = guess
        return Known(guess, proven)

    def _search(self, move: str, depth: int, low: int, high: int) -> Known:
        after, searcher = self.after[move], self.searcher
        engine = self.position.game.engine
        if after.outcome is not None:  # also a standstill, which depends on the way
            return Known(final_value(engine, after.flat, self._side, 0), proven=True)
        if after.flat[engine.turn] == self._side:  # moves again
            value = searcher.value(after.flat, depth - 1, low, high)
        else:
            value = -searcher.value(after.flat, depth - 1, -high, -low)
        if searcher.stopped:
            raise Stopped
        return Known(value, searcher.proven)
