"""What opening books are worth: games with one against the same search without.

`python -m tests.bench.openings [--game KEY] [--pairs N] [--nodes N]`. Each pair is two
games from the start with the seats swapped, which is what is counted; both sides look
at so many nodes a move, and only the draws of the book differ from pair to pair. Then
each side plays itself, and it is told how many of these games differ.
"""

import argparse
import random
import statistics
import sys
from collections.abc import Callable

from rules_core import GAMES, Game, Position, start
from rules_core.search.book import book_moves, find_book
from rules_core.search.thinking import Budget, think
from tests.support.measure import report

MOST_PLIES = 300
OWN_GAMES = 20
PATIENCE_S = 600.0

Choose = Callable[[Position, random.Random], str]


class Search:
    """Finds a move with some nodes, once for each position."""

    def __init__(self, nodes: int) -> None:
        self._budget = Budget(PATIENCE_S, nodes)
        self._known: dict[str, str] = {}

    def choose(self, position: Position, chance: random.Random) -> str:
        found = self._known.get(position.snapshot)
        if found is None:
            lines = think(position, self._budget, everything=False).lines
            found = lines[0].moves[0] if lines else position.legal_moves[0]
            self._known[position.snapshot] = found
        return found

    def open(self, position: Position, chance: random.Random) -> str:
        """Choose by the book, as far as it goes."""
        book = find_book(position.variant)
        good = book_moves(position, book) if book else ()
        return chance.choice(good) if good else self.choose(position, chance)


def play_out(game: Game, sides: tuple[Choose, Choose], seed: str) -> Position:
    """Return the last position of a game between who has the first seat and who not."""
    position, chance = start(game.key), random.Random(seed)
    for _ in range(MOST_PLIES):
        if position.to_move is None:
            break
        choose = sides[game.seats.index(position.to_move)]
        position = position.play(choose(position, chance))
    return position


def points(game: Game, last: Position) -> float:
    """Return the points of the first seat."""
    winner = last.outcome.winner if last.outcome else None
    return {game.seats[0]: 1.0, game.seats[1]: 0.0}.get(str(winner), 0.5)


def compare(game: Game, pairs: int, nodes: int) -> None:
    search, scores = Search(nodes), list[float]()
    for number in range(pairs):
        first = play_out(game, (search.open, search.choose), f"first {number}")
        second = play_out(game, (search.choose, search.open), f"second {number}")
        scores.append((points(game, first) + 1 - points(game, second)) / 2)
    won, lost = (sum(s > 0.5 for s in scores), sum(s < 0.5 for s in scores))
    rows = [
        (f"points with the book, {pairs} pairs", f"{statistics.mean(scores):.1%}"),
        ("pairs won, drawn, lost", f"{won} / {pairs - won - lost} / {lost}"),
    ]
    for name, side in (("with", search.open), ("without", search.choose)):
        ends = {
            play_out(game, (side, side), f"own {number}").digest
            for number in range(OWN_GAMES)
        }
        rows.append((f"ends of {OWN_GAMES} own games {name} it", str(len(ends))))
    report(f"{game.key}, {nodes:,} nodes a move", rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", choices=[game.key for game in GAMES])
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--nodes", type=int, default=20_000)
    given = parser.parse_args(sys.argv[1:] if __name__ == "__main__" else [])
    for game in GAMES:
        if given.game in (None, game.key):
            compare(game, given.pairs, given.nodes)


if __name__ == "__main__":
    main()
