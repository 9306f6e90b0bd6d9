"""How far a search goes beyond its time: sparse boards of lap games, turns of Congkak.

Few seeds on many hollows let sowings run for a thousand laps, which are tried only to
know whether they end. The clock is that of the wall, so what else runs here is in it:
a loop that does nothing else is late by as much.
"""

import random
import time

from rules_core import Position, find_game, start
from rules_core.search.thinking import Budget, think
from tests.support.measure import percentile, report

SPARSE, TURNS = 1_000, 200
LAP_GAMES = ("bao-laps", "oware-nam-nam", "bao-kujifunza")
MOST_SEEDS = 12
TIME_S = 0.01
AIM_MS = 5.0


def sparse(game: str, chance: random.Random) -> Position:
    """Return a position of few seeds that is not over."""
    variant = find_game(game).variant(None)
    engine = variant.engine
    while True:
        board = variant.deal()
        board[: engine.turn] = [0] * engine.turn
        for _ in range(chance.randint(2, MOST_SEEDS)):
            board[chance.randrange(engine.turn)] += 1
        engine.settle(board, None)
        position = Position(variant, board, ())
        if position.legal_moves:
            return position


def congkak_turns(chance: random.Random) -> list[Position]:
    """Return positions within long turns of Congkak."""
    turns = list[Position]()
    while len(turns) < TURNS:
        position = start("congkak")
        while position.legal_moves and len(turns) < TURNS:
            turns.append(position)
            position = position.play(chance.choice(position.legal_moves))
    return turns


def overshoots_ms(positions: list[Position]) -> list[float]:
    over = []
    for position in positions:
        began = time.monotonic()
        think(position, Budget(TIME_S))
        over.append(max(0.0, time.monotonic() - began - TIME_S) * 1e3)
    return over


def idle_ms() -> list[float]:
    """Return how late a loop is that does nothing but look at the clock."""
    late = []
    for _ in range(TURNS):
        began = time.monotonic()
        while (spent := time.monotonic() - began) < TIME_S:
            pass
        late.append((spent - TIME_S) * 1e3)
    return late


def main() -> None:
    chance = random.Random(1)
    groups = {
        f"{key}, {SPARSE // len(LAP_GAMES)} sparse boards": [
            sparse(key, chance) for _ in range(SPARSE // len(LAP_GAMES))
        ]
        for key in LAP_GAMES
    }
    groups[f"congkak, {TURNS} turns"] = congkak_turns(chance)
    rows = []
    found = {name: overshoots_ms(positions) for name, positions in groups.items()}
    found["a loop that only looks at the clock"] = idle_ms()
    for name, over in found.items():
        p50, p99 = percentile(over, 0.5), percentile(over, 0.99)
        verdict = "reached" if p99 < AIM_MS else "missed"
        told = f"{p50:.2f}, {p99:.2f} (aim {AIM_MS:.0f}: {verdict}), {max(over):.2f}"
        rows.append((f"{name}: p50, p99, most ms", told))
    report(f"Beyond {TIME_S * 1e3:.0f} ms of thinking", rows)


if __name__ == "__main__":
    main()
