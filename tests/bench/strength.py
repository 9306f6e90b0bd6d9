"""How strong the search is: against an earlier checkout, in the same time for a move.

`python -m tests.bench.strength CHECKOUT [--game KEY] [--pairs N] [--time S]`. Each
opening, some random plies, is played twice with the seats swapped; the pair is what is
counted. The other checkout has its own compiled games. One side thinks at a time.
`mcts` instead of a checkout: OpenSpiel's Monte Carlo tree search, in the games it has.
Ctrl-C ends it with the pairs that have been played.

A game of rounds is played to its end, unless `--rounds N` says how many there are.

How much more there was to win: `--prove SECONDS` asks who wins each opening, so long
at most, and tells what theory gave and what was come to; and it goes back through each
game that was not won, and tells whether a move of ours gave anything away, and how
many points there had been at most if none had. Endings of Bao for Children that help
with it are kept by `--endings FOLDER --seeds N`. `--odds K` gives our side K times the
time: what that does not win, no better search of its kind wins.
"""

import argparse
import json
import math
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from rules_core import GAMES, Position, find_game, start
from rules_core.games import bao_children
from rules_core.search import Table, find_searcher
from rules_core.search.alphabeta import TO_THE_END
from rules_core.search.ending_tables import SHELF
from rules_core.search.root import Root, Stopped
from rules_core.search.thinking import NO_LIMIT
from tests.bench.played_on import TABLE_SEEDS, PlayedOn
from tests.support.measure import report

TABLE_MB = 4096
"""How much a proof may remember."""

HERE = Path(__file__).resolve().parents[2]
RIVAL = Path(__file__).with_name("rival.py")
MCTS = "mcts"
MOST_PLIES = 4_000
"""A game that is longer counts as drawn; none of ours has been, so far."""

WON, GIVEN_AWAY = "games won", "not won, given away by us"
NO_MORE, OPEN = "not won, never to be had", "not won, not all proven"
VERDICTS = (WON, GIVEN_AWAY, NO_MORE, OPEN)

Options = dict[str, int]
ROUNDS = "max_rounds"


class Side:
    """A checkout, or the search of somebody else, that is asked for moves."""

    def __init__(self, of: Path | str, time_s: float) -> None:
        self._of, self._time_s = of, time_s
        command = [sys.executable, str(RIVAL), str(of)]
        if of == MCTS:
            command = [sys.executable, "-m", "tests.bench.monte_carlo"]
        self._process = subprocess.Popen(
            command,
            cwd=HERE if of == MCTS else of,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for this process alone
        )
        self.nodes = self.moves = 0

    def ask(self, asked: dict[str, Any]) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        asked = asked | {"time_s": self._time_s}
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        found = json.loads(self._process.stdout.readline())
        if not found.get("compiled", True):
            sys.exit(
                f"{self._of}: its games are not compiled: there, `python -m "
                "rules_core.translation.c.build`"
            )
        self.nodes += found["nodes"]
        self.moves += 1
        return str(found["move"])

    def end(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)


def opening(
    game: str, options: Options, chance: random.Random, plies: int
) -> tuple[Position, list[str]]:
    """Return a position after some random plies that is not over."""
    while True:
        position, moves = start(game, options), list[str]()
        while len(moves) < plies and position.legal_moves:
            moves.append(chance.choice(position.legal_moves))
            position = position.play(moves[-1])
        if position.legal_moves:
            return position, moves


@dataclass
class Played:
    """A game of our side: its positions from the opening on, and our points."""

    positions: list[Position]
    seat: str

    @property
    def points(self) -> float:
        outcome = self.positions[-1].outcome
        if outcome is None or outcome.winner is None:
            return 0.5
        return float(outcome.winner == self.seat)


def play_out(
    first: Position, options: Options, moves: list[str], ours: Side, theirs: Side
) -> list[Played]:
    """Play an opening with our side in each seat."""
    return [
        Played(list(_positions(first, options, moves, sides)), seat)
        for seat, sides in zip(
            first.game.seats, ((ours, theirs), (theirs, ours)), strict=True
        )
    ]


def _positions(
    first: Position, options: Options, moves: list[str], sides: tuple[Side, Side]
) -> Iterator[Position]:
    position, moves, game = first, list(moves), first.game
    asked = {
        "game": game.key,
        "options": options,
        "starter": game.seats[0],
    }
    yield position
    while position.legal_moves and len(moves) < MOST_PLIES:
        move = position.legal_moves[0]
        if len(position.legal_moves) > 1:
            side = sides[game.seats.index(str(position.to_move))]
            legal = list(position.legal_moves)
            move = side.ask(asked | {"moves": moves, "legal": legal})
        moves.append(move)
        position = position.play(move)
        yield position


class Theory:
    """What positions are worth, as far as it is proven in so many seconds for each."""

    def __init__(self, game: str, time_s: float, kept: Path | None, seeds: int) -> None:
        self._time_s, self._table = time_s, Table(TABLE_MB)
        is_children = game == bao_children.KEY
        self._played_on = PlayedOn(kept, seeds) if is_children else None
        self._known: dict[str, float | None] = {}

    def points(self, position: Position, seat: str) -> float | None:
        """Return the points that are a seat's with perfect play; None: not proven."""
        if position.snapshot not in self._known:
            self._known[position.snapshot] = self._solved(position)
        found = self._known[position.snapshot]
        return found if found is None or position.to_move == seat else 1 - found

    def _solved(self, position: Position) -> float | None:
        if self._played_on is not None:
            position = self._played_on.position(position)
        self._table.begin(fresh=False)
        searcher = find_searcher(
            position.game, NO_LIMIT, self._time_s, None, self._table
        )
        searcher.use_insight()
        SHELF.lend(position.variant, searcher)
        root, began = Root(position, searcher, 1), time.monotonic()
        try:
            for depth in range(1, TO_THE_END):
                root.look(depth)
                if root.is_decided(root.order[0]) and root.margin_of(root.order[0]) > 0:
                    return 1.0
                if root.settled or time.monotonic() - began > self._time_s / 20:
                    break
            return self._points(root)
        except Stopped:
            return None

    def _points(self, root: Root) -> float | None:
        """Ask who wins, and not by how much: that takes a fraction of the time."""
        if not root.is_certain:
            return None
        for least, points in ((1, 1.0), (0, 0.5)):
            is_reached = _reaches(root, least)
            if is_reached is None:
                return None
            if is_reached:
                return points
        return 0.0

    def verdict(self, game: Played) -> str:
        """Return whether more was to be had in a game, gone through from its end."""
        points = game.points
        if points == 1:
            return WON
        for position in reversed(game.positions[:-1]):
            if position.to_move != game.seat or len(position.legal_moves) == 1:
                continue
            due = self.points(position, game.seat)
            if due is None:
                return OPEN
            if due > points:
                return GIVEN_AWAY
        return NO_MORE


def _reaches(root: Root, least: int) -> bool | None:
    """Return whether it is proven that some move is worth so much; None: neither way.

    From one depth to the next the table learns which replies refute; who asks straight
    to the end goes astray.
    """
    for depth in range(1, TO_THE_END):
        asked = []
        for move in root.order:
            asked.append(known := root.ask(move, least, depth))
            if known.value >= least:
                break
        if known.value >= least:
            if known.proven:
                return True
            root.order.remove(move)
            root.order.insert(0, move)
        elif all(known.proven for known in asked):
            return False
    return None


def compare(
    game: str,
    rival: Path | str,
    pairs: int,
    time_s: float,
    plies: int,
    odds: float,
    theory: Theory | None,
    skip: int = 0,
    rounds: int | None = None,
) -> None:
    ours, theirs = Side(HERE, odds * time_s), Side(rival, time_s)
    chance, played = random.Random(1), list[list[Played]]()
    has_rounds = any(option.name == ROUNDS for option in find_game(game).options)
    options = {ROUNDS: rounds} if rounds and has_rounds else {}
    for _ in range(skip):
        opening(game, options, chance, plies)
    with (
        click.progressbar(range(pairs), label=game, file=sys.stderr) as bar,
        suppress(KeyboardInterrupt),
    ):
        for _ in bar:
            first, moves = opening(game, options, chance, plies)
            played.append(play_out(first, options, moves, ours, theirs))
    pairs = len(played)
    if not pairs:
        return
    points = [statistics.mean(game.points for game in pair) for pair in played]
    share = statistics.mean(points)
    error = statistics.stdev(points) / math.sqrt(pairs) if pairs > 1 else 0.5
    rows = [
        (f"points, {pairs} pairs", f"{share:.1%} +- {1.96 * error:.1%}"),
        ("pairs won, drawn, lost", _tally(points)),
        ("nodes a move, ours", f"{ours.nodes / max(ours.moves, 1):,.0f}"),
        ("nodes a move, theirs", f"{theirs.nodes / max(theirs.moves, 1):,.0f}"),
    ]
    if theory is not None:
        rows += _judged([game for pair in played for game in pair], theory)
    times = f"{odds:g} times {time_s}" if odds != 1 else f"{time_s}"
    report(f"{game}, {times} s a move", rows)
    for side in (ours, theirs):
        side.end()


def _judged(games: list[Played], theory: Theory) -> list[tuple[str, str]]:
    """Return what theory says of games: of their openings, and of those not won."""
    due = [theory.points(game.positions[0], game.seat) for game in _shown(games)]
    proven = [
        (p, game.points) for p, game in zip(due, games, strict=True) if p is not None
    ]
    told = [theory.verdict(game) for game in _shown(games)]
    verdicts = Counter(told)
    most = statistics.mean(
        game.points if verdict == NO_MORE else 1.0
        for verdict, game in zip(told, games, strict=True)
    )
    won = [made == 1 for p, made in proven if p == 1]
    return [
        ("openings proven", f"{len(proven) // 2} of {len(games) // 2}"),
        ("of them decided", f"{sum(p != 0.5 for p, _ in proven) // 2}"),
        ("points due in them", f"{sum(p for p, _ in proven):g}"),
        ("points made in them", f"{sum(made for _, made in proven):g}"),
        ("won, of games that theory wins", f"{sum(won)} of {len(won)}"),
        ("games below theory", f"{sum(made < p for p, made in proven)}"),
        ("games above theory", f"{sum(made > p for p, made in proven)}"),
        *((name, f"{verdicts[name]} of {len(games)}") for name in VERDICTS),
        ("points at most, with nothing given away", f"{most:.1%}"),
    ]


def _shown(games: list[Played]) -> Iterator[Played]:
    with click.progressbar(games, label="proving", file=sys.stderr) as bar:
        yield from bar


def _tally(points: list[float]) -> str:
    won = sum(point > 0.5 for point in points)
    lost = sum(point < 0.5 for point in points)
    return f"{won} / {len(points) - won - lost} / {lost}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("rival", metavar="CHECKOUT | mcts", nargs="?")
    parser.add_argument("--game", choices=[game.key for game in GAMES])
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--skip", type=int, default=0, help="so many openings")
    parser.add_argument("--plies", type=int, default=4)
    parser.add_argument("--time", type=float, default=0.1)
    parser.add_argument("--odds", type=float, default=1.0)
    parser.add_argument("--rounds", type=int, metavar="N", help="so many at most")
    parser.add_argument("--prove", type=float, metavar="SECONDS")
    parser.add_argument("--endings", type=Path, metavar="FOLDER", help="keep them")
    parser.add_argument("--seeds", type=int, default=TABLE_SEEDS, help="in them")
    given = parser.parse_args(sys.argv[1:] if __name__ == "__main__" else [])
    if given.rival is None:
        print("strength: name whom to play against (see tests/bench/strength.py)")
        return
    rival = given.rival
    if rival == MCTS:
        from tests.bench.monte_carlo import GAMES as THEIRS

        known = set(THEIRS)
    else:
        rival, known = Path(rival).resolve(), {game.key for game in GAMES}
    for game in GAMES:
        if game.key in known and given.game in (None, game.key):
            theory = None
            if given.prove is not None:
                theory = Theory(game.key, given.prove, given.endings, given.seeds)
            compare(
                game.key,
                rival,
                given.pairs,
                given.time,
                given.plies,
                given.odds,
                theory,
                given.skip,
                given.rounds,
            )


if __name__ == "__main__":
    main()
