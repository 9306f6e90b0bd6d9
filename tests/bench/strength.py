"""How strong the search is: against an earlier checkout, in the same time for a move.

`python -m tests.bench.strength CHECKOUT [--game KEY] [--pairs N] [--time S]`. Each
opening, some random plies, is played twice with the seats swapped; the pair is what is
counted. The other checkout has its own compiled games. One side thinks at a time.
"""

import argparse
import json
import math
import random
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from rules_core import GAMES, Position, start
from tests.support.measure import report

HERE = Path(__file__).resolve().parents[2]
RIVAL = Path(__file__).with_name("rival.py")
MOST_PLIES = 300
OPTIONS: dict[str, dict[str, object]] = {"oware-nam-nam": {"max_rounds": 2}}


class Side:
    """A checkout that is asked for moves."""

    def __init__(self, checkout: Path) -> None:
        command = [sys.executable, str(RIVAL), str(checkout)]
        self._process = subprocess.Popen(
            command,
            cwd=checkout,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.nodes = self.moves = 0

    def ask(self, asked: dict[str, Any]) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        found = json.loads(self._process.stdout.readline())
        self.nodes += found["nodes"]
        self.moves += 1
        return str(found["move"])

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)


def opening(game: str, chance: random.Random, plies: int) -> tuple[Position, list[str]]:
    """Return a position after some random plies that is not over."""
    while True:
        position, moves = start(game, OPTIONS.get(game)), list[str]()
        while len(moves) < plies and position.legal_moves:
            moves.append(chance.choice(position.legal_moves))
            position = position.play(moves[-1])
        if position.legal_moves:
            return position, moves


def play_out(
    game: str,
    first: Position,
    moves: list[str],
    sides: tuple[Side, Side],
    time_s: float,
) -> float:
    """Return the points of the side that has the first seat."""
    position, moves = first, list(moves)
    seats = position.game.seats
    while position.legal_moves and len(moves) < MOST_PLIES:
        move = position.legal_moves[0]
        if len(position.legal_moves) > 1:
            asked = {"game": game, "options": OPTIONS.get(game), "starter": seats[0]}
            side = sides[seats.index(str(position.to_move))]
            move = side.ask(asked | {"moves": moves, "time_s": time_s})
        moves.append(move)
        position = position.play(move)
    winner = position.outcome.winner if position.outcome else None
    return {seats[0]: 1.0, seats[1]: 0.0}.get(str(winner), 0.5)


def compare(game: str, checkout: Path, pairs: int, time_s: float, plies: int) -> None:
    ours, theirs = Side(HERE), Side(checkout)
    chance, points = random.Random(1), list[float]()
    for _ in range(pairs):
        first, moves = opening(game, chance, plies)
        as_first = play_out(game, first, moves, (ours, theirs), time_s)
        as_second = 1 - play_out(game, first, moves, (theirs, ours), time_s)
        points.append((as_first + as_second) / 2)
    share = statistics.mean(points)
    error = statistics.stdev(points) / math.sqrt(pairs) if pairs > 1 else 0.5
    rows = [
        (f"points, {pairs} pairs", f"{share:.1%} +- {1.96 * error:.1%}"),
        ("pairs won, drawn, lost", _tally(points)),
        ("nodes a move, ours", f"{ours.nodes / max(ours.moves, 1):,.0f}"),
        ("nodes a move, theirs", f"{theirs.nodes / max(theirs.moves, 1):,.0f}"),
    ]
    report(f"{game}, {time_s} s a move", rows)
    for side in (ours, theirs):
        side.end()


def _tally(points: list[float]) -> str:
    won = sum(point > 0.5 for point in points)
    lost = sum(point < 0.5 for point in points)
    return f"{won} / {len(points) - won - lost} / {lost}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, nargs="?")
    parser.add_argument("--game", choices=[game.key for game in GAMES])
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--plies", type=int, default=4)
    parser.add_argument("--time", type=float, default=0.1)
    given = parser.parse_args(sys.argv[1:] if __name__ == "__main__" else [])
    if given.checkout is None:
        print("strength: name a checkout to play against (see tests/bench/strength.py)")
        return
    for game in GAMES:
        if given.game in (None, game.key):
            compare(
                game.key, given.checkout.resolve(), given.pairs, given.time, given.plies
            )


if __name__ == "__main__":
    main()
