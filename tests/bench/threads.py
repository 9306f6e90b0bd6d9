"""Two threads of one search beside one: positions a second, and time to a depth.

They need two cores that do nothing else; the share that each thread got of a core is
printed, and below one the ratios say less.
"""

import random
import statistics
import time

from rules_core import Position, start
from rules_core.search.thinking import Budget, Thought, think
from tests.support.measure import report, spread

GAMES = ("kalah", "oware", "congkak", "bao-laps", "reversi")
ROUNDS, PLIES = 5, 8
TIME_S, PATIENCE_S = 1.5, 60.0
AIM = 1.6


def middle(game: str, number: int) -> Position:
    """Return a position some moves from the start."""
    chance, position = random.Random(f"{game} {number}"), start(game)
    for _ in range(PLIES):
        position = position.play(chance.choice(position.legal_moves))
    return position


def searched(position: Position, budget: Budget) -> tuple[Thought, float]:
    """Think; return what was found, and how many cores it took."""
    began, used = time.monotonic(), time.process_time()
    thought = think(position, budget, everything=False)
    return thought, (time.process_time() - used) / (time.monotonic() - began)


def compare(game: str) -> tuple[str, str]:
    """Return by how much two threads look at more, and are sooner at a depth."""
    faster, sooner, cores = list[float](), list[float](), list[float]()
    for number in range(ROUNDS):
        position = middle(game, number)
        one, _ = searched(position, Budget(TIME_S))
        two, used = searched(position, Budget(TIME_S, threads=2))
        faster.append((two.nodes / two.time_s) / (one.nodes / one.time_s))
        cores.append(used)
        alone, _ = searched(position, Budget(PATIENCE_S, depth=one.depth))
        both, _ = searched(position, Budget(PATIENCE_S, depth=one.depth, threads=2))
        sooner.append(alone.time_s / both.time_s)
    verdict = "reached" if statistics.median(faster) >= AIM else "missed"
    return game, (
        f"{spread(faster, 2)} x the positions a second (aim {AIM}: {verdict}) on "
        f"{statistics.median(cores):.2f} cores; {spread(sooner, 2)} x as soon as deep"
    )


def main() -> None:
    report("Two threads beside one", [compare(game) for game in GAMES])


if __name__ == "__main__":
    main()
