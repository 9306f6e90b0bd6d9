"""Whether the highest level loses what it need not: games of Kalah(6,4) and the theory.

`python -m tests.bench.perfect [--games N] [--first N] [--rival NAME] [--time S]
[--every] [--no-tables]`. The level thinks as a job lets it, with its book and the small
tables of `seedlog tables`, against itself by other seeds, a Monte Carlo tree search of
0.1 s a move, and moves by chance; it takes each seat in turn. What the start is worth
stands in `tests/search/kalah_values.json`. Of a game that came out worse for the level
it is told which of its moves gave that away, solved backwards from the end; with
`--every`, of all games, whether it did in the end or not.
"""

import argparse
import json
import math
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rules_core import Position, find_game, start
from rules_core.kernel import Board
from rules_core.levels import latest_ladder, levels_of
from rules_core.search.ending_tables import (
    SHELF,
    build_endings,
    count_small,
    file_name,
    write_endings,
)
from rules_core.search.thinking import Budget, think
from tests.bench.exact import VALUES
from tests.support.measure import report
from workers.ai import choose
from workers.ai.levels import TIME_S

GAME = find_game("kalah")
HIGHEST = len(levels_of(GAME, latest_ladder(GAME)))
PATIENCE_S, MCTS_S, CURIOSITY = 900.0, 0.1, 1.0

Choose = Callable[[Position, int], str]
"""Position and the seed of a job to a move."""


class Node:
    """A board of a Monte Carlo tree, and what came of the games through it."""

    def __init__(self, board: Board, mover: int) -> None:
        engine, legal = GAME.engine, [0] * GAME.engine.max_moves
        self.board, self.mover = board, mover
        self.untried = legal[: engine.legal(board, legal)]
        self.after: dict[int, Node] = {}
        self.visits = self.points = 0.0

    def promise(self, visits: float) -> float:
        """Return by how much its mover should look here next (UCB1)."""
        doubt = math.sqrt(math.log(visits) / self.visits)
        return self.points / self.visits + CURIOSITY * doubt


def by_mcts(position: Position, seed: int) -> str:
    """Choose by UCT with random games to the end, for `MCTS_S` seconds."""
    until, chance = time.monotonic() + MCTS_S, random.Random(f"{seed} {position}")
    root = Node(position.flat, -1)
    while not root.after or time.monotonic() < until:
        path = [root]
        while not path[-1].untried and path[-1].after:
            visits, after = path[-1].visits, path[-1].after
            path.append(max(after.values(), key=lambda node: node.promise(visits)))
        if path[-1].untried:
            path.append(grown(path[-1], chance))
        points = played_out(path[-1].board.copy(), chance)
        for node in path:
            node.visits += 1
            node.points += points if node.mover == 0 else 1 - points
    move = max(root.after, key=lambda move: root.after[move].visits)
    return position.variant.move_names[move]


def grown(node: Node, chance: random.Random) -> Node:
    move = node.untried.pop(chance.randrange(len(node.untried)))
    board = node.board.copy()
    GAME.engine.apply(board, move, None)
    node.after[move] = Node(board, node.board[GAME.engine.turn])
    return node.after[move]


def played_out(board: Board, chance: random.Random) -> float:
    """Return the points of the first seat after moves by chance."""
    engine, legal = GAME.engine, [0] * GAME.engine.max_moves
    while not board[engine.over]:
        count = engine.legal(board, legal)
        engine.apply(board, legal[chance.randrange(count)], None)
    score = engine.score(board)
    return 0.5 if score == 0 else float(score > 0)


def by_chance(position: Position, seed: int) -> str:
    return random.Random(f"{seed} {position}").choice(position.legal_moves)


@dataclass
class Played:
    """A game: its positions, and the moves between them."""

    positions: list[Position]
    moves: list[str]

    def margin_of(self, seat: str) -> int:
        score = GAME.engine.score(self.positions[-1].flat)
        return score if seat == GAME.seats[0] else -score


def play(sides: tuple[Choose, Choose], seeds: tuple[int, int]) -> Played:
    """Play a game from the start; *seeds* are the two sides' for all of it."""
    game = Played([start(GAME.key)], [])
    while (position := game.positions[-1]).to_move is not None:
        index = GAME.seats.index(position.to_move)
        game.moves.append(sides[index](position, seeds[index]))
        game.positions.append(position.play(game.moves[-1]))
    return game


class Theory:
    """What positions are worth, solved when it is asked for."""

    def __init__(self) -> None:
        known = json.loads(VALUES.read_text("utf-8"))
        first = start(GAME.key)
        pits, seeds = str(first.options["pits"]), int(first.options["seeds"] or 0)
        self.start = int(known["no_empty_capture"][pits][seeds - 1])
        self._known = {str(first): self.start}

    def for_seat(self, seat: str) -> int:
        return self.start if seat == GAME.seats[0] else -self.start

    def given_away(self, game: Played, seat: str, enough: int) -> Iterator[str]:
        """Yield which moves of a seat were mistakes, until it had *enough* before."""
        after = game.margin_of(seat)
        for ply in range(len(game.moves) - 1, -1, -1):
            if after >= enough:
                return
            position = game.positions[ply]
            before = self._value(position)
            if position.to_move != seat:
                before = -before
            if position.to_move == seat and before > after:
                yield f"ply {ply + 1}, {game.moves[ply]}: {before:+d} became {after:+d}"
            after = before

    def _value(self, position: Position) -> int:
        """Return the proven margin of the seat to move."""
        text = str(position)
        if text not in self._known:
            best = think(position, Budget(PATIENCE_S), keep=True).lines[0]
            if not best.exact:
                raise TimeoutError(f"{text} is not solved in {PATIENCE_S} s")
            self._known[text] = round(best.value)
        return self._known[text]


def compare(
    name: str,
    rival: Choose,
    level: Choose,
    games: range,
    theory: Theory,
    *,
    every: bool,
) -> None:
    margins = dict[str, list[int]]((seat, []) for seat in GAME.seats)
    faults, won_back, ends = list[tuple[str, str]](), 0, set[str]()
    for number in games:
        seats = GAME.seats if number % 2 == 0 else GAME.seats[::-1]
        sides = (level, rival) if number % 2 == 0 else (rival, level)
        game = play(sides, (2 * number, 2 * number + 1))
        ends.add(" ".join(game.moves))
        for seat in seats if rival is level else seats[:1]:
            margin, due = game.margin_of(seat), theory.for_seat(seat)
            margins[seat].append(margin - due)
            enough = sys.maxsize if every else due
            found = list(theory.given_away(game, seat, enough))
            won_back += bool(found) and margin >= due
            faults += [(f"game {number + 1}, {seat}", fault) for fault in found]
    below = {seat: sum(m < 0 for m in found) for seat, found in margins.items()}
    rows = [
        ("games, and how many of them differ", f"{len(games)}, {len(ends)}"),
        *((f"as {seat}: below theory", _told(margins[seat])) for seat in GAME.seats),
        ("below theory", f"{sum(below.values())} of {sum(map(len, margins.values()))}"),
    ]
    if every:
        rows.append(("mistakes, in games that lost nothing by them", f"{won_back}"))
    report(f"The highest level of Kalah(6,4) against {name}", rows + faults)


def _told(above: list[int]) -> str:
    if not above:
        return "no game"
    below = sum(margin < 0 for margin in above)
    spread = f"{min(above):+d} to {max(above):+d} beside it"
    return f"{below} of {len(above)}, {spread}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10)
    parser.add_argument("--first", type=int, default=0, help="the seed to begin with")
    parser.add_argument("--rival", choices=["itself", "mcts", "chance"])
    parser.add_argument("--time", type=float, default=TIME_S)
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--no-tables", action="store_true")
    given = parser.parse_args(sys.argv[1:] if __name__ == "__main__" else [])

    def level(position: Position, seed: int) -> str:
        return choose(position, HIGHEST, seed, given.time)

    rivals: dict[str, Choose] = {
        "itself": level,
        "mcts": by_mcts,
        "chance": by_chance,
    }
    games = range(given.first, given.first + given.games)
    theory, variant = Theory(), start(GAME.key).variant
    with tempfile.TemporaryDirectory() as folder:
        if not given.no_tables:
            endings = build_endings(variant, count_small(variant))
            write_endings(Path(folder) / file_name(variant), variant, endings)
        SHELF.use(Path(folder))
        for name, rival in rivals.items():
            if given.rival in (None, name):
                compare(name, rival, level, games, theory, every=given.every)
        SHELF.use(None)


if __name__ == "__main__":
    main()
