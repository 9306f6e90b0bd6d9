"""How fast the search is: moves played in a second, beside an earlier checkout.

`python -m tests.bench.nodes CHECKOUT [--game KEY] [--time S]`. Both look at the same
positions in turns, each as deep as its time goes. A search from before `plays` counted
its nodes by the moves that it had played; since then moves are tried, scored and looked
up before the first is gone into, and a node is a position that was gone into.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

from rules_core import GAMES
from tests.bench.strength import HERE, ROUNDS, opening
from tests.support.measure import report

LOOK = Path(__file__).with_name("look.py")
PLIES = (1, 2, 4, 6, 8, 10, 12, 16)
TIMES = 3
OPTIONS = {"oware-nam-nam": {ROUNDS: 2}}


class Speed(NamedTuple):
    """What a search did in a second, in millions, and how deep it looked."""

    nodes: float
    plays: float
    depth: int


def look(checkout: Path, asked: dict[str, Any]) -> Speed:
    """Let the search of a checkout look at a position, by a process of its own."""
    ran = subprocess.run(
        [sys.executable, str(LOOK), str(checkout)],
        cwd=checkout,
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    told = json.loads(ran.stdout)
    by = 1e6 * told["time_s"]
    return Speed(told["nodes"] / by, told["plays"] / by, told["depth"])


def compare(game: str, checkout: Path, time_s: float) -> None:
    chance, pairs = random.Random(1), list[tuple[Speed, Speed]]()
    for plies in PLIES:
        options = OPTIONS.get(game, {})
        first, moves = opening(game, options, chance, plies)
        asked = {
            "game": game,
            "options": options,
            "starter": first.game.seats[0],
            "moves": moves,
            "time_s": time_s,
        }
        for _ in range(TIMES):
            pairs.append((look(HERE, asked), look(checkout, asked)))
    ours, theirs = zip(*pairs, strict=True)
    ratios = sorted(a.plays / b.plays for a, b in pairs)
    report(
        game,
        [
            ("moves played here, M/s", f"{_mean(one.plays for one in ours):.2f}"),
            ("moves played there, M/s", f"{_mean(one.plays for one in theirs):.2f}"),
            (
                "here by there, median and quartiles",
                f"{statistics.median(ratios):.2f}"
                f" ({ratios[len(ratios) // 4]:.2f}..{ratios[-len(ratios) // 4]:.2f})",
            ),
            ("nodes here, M/s", f"{_mean(one.nodes for one in ours):.2f}"),
            ("nodes there, M/s", f"{_mean(one.nodes for one in theirs):.2f}"),
            ("depth here", f"{_mean(one.depth for one in ours):.1f}"),
            ("depth there", f"{_mean(one.depth for one in theirs):.1f}"),
        ],
    )


def _mean(figures: Any) -> float:
    return statistics.fmean(figures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--game", choices=[game.key for game in GAMES])
    parser.add_argument("--time", type=float, default=0.3)
    given = parser.parse_args()
    for game in GAMES:
        if given.game in (None, game.key):
            compare(game.key, given.checkout.resolve(), given.time)


if __name__ == "__main__":
    main()
