"""The rules in bulk: replay and perft, plain and compiled, beside OpenSpiel.

The baseline is OpenSpiel's random playouts, driven from Python in the same run; it
knows three of the games. Rates are per second of CPU time of this process.
"""

import random
import time
from collections.abc import Callable
from typing import Any

from rules_core import GAMES, Game, Position, from_moves, replay, start
from rules_core.compiled import find_compiled
from tests.support.measure import report

GAMES_EACH = 60
MOST_PLIES = 200
SECONDS = 0.5
BASELINES = {"kalah": "mancala", "oware-abapa": "oware", "reversi": "othello"}
COMPILED_AIM = {"bao-kujifunza": 200_000}
PLAIN_AIM = {"reversi": 4_000, "bao-kujifunza": 4_000}
LAP_GAMES = {"congkak", "oware-nam-nam", "bao-laps"}
ONE_MOVE_AIM_US = 30


def random_games(game: Game) -> list[list[str]]:
    chance, games = random.Random(1), []
    for _ in range(GAMES_EACH):
        position, moves = start(game.key), []
        while position.legal_moves and len(moves) < MOST_PLIES:
            moves.append(chance.choice(position.legal_moves))
            position = position.play(moves[-1])
        games.append(moves)
    return games


def rate(work: Callable[[], int]) -> float:
    """Return how much is done in a second of CPU time."""
    work()
    done, began = 0, time.process_time()
    while (spent := time.process_time() - began) < SECONDS:
        done += work()
    return done / spent


def face_replay(game: Game, games: list[list[str]]) -> int:
    """Play through the public face, asking for the legal moves at every ply."""
    for moves in games[:10]:
        position: Position = start(game.key)
        for move in moves:
            assert position.legal_moves
            position = position.play(move)
    return sum(map(len, games[:10]))


def bulk_replay(game: Game, games: list[list[str]]) -> int:
    for moves in games:
        from_moves(game.key, None, None, moves)
    return sum(map(len, games))


def plain_replay(game: Game, games: list[list[str]]) -> int:
    own, replay.find_compiled = replay.find_compiled, lambda _: None
    for moves in games[:10]:
        from_moves(game.key, None, None, moves)
    replay.find_compiled = own
    return sum(map(len, games[:10]))


def checked_move_us(game: Game, games: list[list[str]]) -> float:
    """Return the time of one move through the public face, from a fresh position."""
    positions = [
        (from_moves(game.key, None, None, moves[:8]).snapshot, moves[8])
        for moves in games
        if len(moves) > 8
    ]
    from rules_core import restore

    fresh = [(restore(game.key, None, text), move) for text, move in positions]
    began = time.process_time()
    for position, move in fresh:
        position.play(move)
    return (time.process_time() - began) / len(fresh) * 1e6


def perft_leaves(game: Game) -> float | None:
    compiled = find_compiled(game)
    if compiled is None:
        return None
    board, depth = start(game.key).flat, 1
    while compiled.perft(board, depth) < 200_000 and depth < 12:
        depth += 1
    return rate(lambda: int(compiled.perft(board, depth)))


def baseline(name: str) -> float | None:
    """Return OpenSpiel's random playouts in moves a second, if it is installed."""
    try:
        import pyspiel
    except ImportError:
        return None
    game: Any = pyspiel.load_game(name)
    chance = random.Random(1)

    def playout() -> int:
        state, plies = game.new_initial_state(), 0
        while not state.is_terminal() and plies < MOST_PLIES:
            state.apply_action(chance.choice(state.legal_actions()))
            plies += 1
        return plies

    return rate(playout)


def main() -> None:
    for game in GAMES:
        games = random_games(game)
        plain_aim = PLAIN_AIM.get(game.key, 20_000 if game.key in LAP_GAMES else 50_000)
        face = rate(lambda g=game, m=games: face_replay(g, m))  # type: ignore[misc]
        plain = rate(lambda g=game, m=games: plain_replay(g, m))  # type: ignore[misc]
        rows = [
            (
                f"public face with legal moves, moves/s (aim {plain_aim:,})",
                f"{face:,.0f}",
            ),
            ("plain bulk replay, moves/s", f"{plain:,.0f}"),
            (
                f"one checked move, us (aim {ONE_MOVE_AIM_US})",
                f"{checked_move_us(game, games):.1f}",
            ),
        ]
        if find_compiled(game) is not None:
            aim = COMPILED_AIM.get(game.key, 1_000_000)
            bulk = rate(lambda g=game, m=games: bulk_replay(g, m))  # type: ignore[misc]
            rows += [
                (f"compiled bulk replay, moves/s (aim {aim:,})", f"{bulk:,.0f}"),
                ("compiled perft, lines/s", f"{perft_leaves(game):,.0f}"),
            ]
        else:
            bulk = plain
            rows.append(("compiled", "not built here"))
        name = BASELINES.get(game.key)
        other = baseline(name) if name else None
        if other:
            rows += [
                (
                    f"OpenSpiel {name}, random playouts from Python, moves/s",
                    f"{other:,.0f}",
                ),
                ("bulk replay, ratio to OpenSpiel", f"{bulk / other:.1f}"),
                ("public face, ratio to OpenSpiel", f"{face / other:.2f}"),
            ]
        report(game.name, rows)


if __name__ == "__main__":
    main()
