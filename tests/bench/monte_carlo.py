"""One side of a match: OpenSpiel's Monte Carlo tree search, one line a move.

Reads `{"game", "moves", "legal", "time_s"}`, answers `{"move", "nodes"}`, as `rival.py`
does; nodes it does not tell. UCT with one random game for each leaf, proofs passed up
(its `solve`), a new tree for each move. Its Oware ends where a position recurs for the
first time; what comes after is by chance.
"""

import json
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import pyspiel

CURIOSITY = 2.0
ROOM_MB = 2000
PASS = 64
SQUARES = [f"{file}{rank}" for rank in range(1, 9) for file in "abcdefgh"]
# Of each game its name there, and the number of a move.
GAMES: dict[str, tuple[str, Callable[[str], int]]] = {
    "kalah": ("mancala", lambda move: " ABCDEF abcdef".index(move, 1)),
    "oware-abapa": ("oware", lambda move: "ABCDEF".index(move.upper())),
    "reversi": ("othello", SQUARES.index),
}


def choose(
    game: str, moves: list[str], legal: list[str], time_s: float, seed: int
) -> str:
    """Return a legal move after *moves*, thought about for so long."""
    name, number = GAMES[game]
    rules = pyspiel.load_game(name)
    state = rules.new_initial_state()
    for move in moves:
        if state.is_terminal():
            return random.Random(seed).choice(legal)
        state.apply_action(number(move))
        if name == "othello" and state.legal_actions() == [PASS]:
            state.apply_action(PASS)
    if state.is_terminal():
        return random.Random(seed).choice(legal)
    mcts = pyspiel.MCTSBot(
        rules,
        pyspiel.RandomRolloutEvaluator(1, seed),
        CURIOSITY,
        1 << 30,
        ROOM_MB,
        True,
        seed,
        False,
        pyspiel.ChildSelectionPolicy.UCT,
        time_s,
    )
    chosen = mcts.step(state)
    return next(move for move in legal if number(move) == chosen)


def main() -> None:
    for seed, line in enumerate(sys.stdin):
        asked: dict[str, Any] = json.loads(line)
        parts = (asked[name] for name in ("game", "moves", "legal", "time_s"))
        move = choose(*parts, seed=seed)
        sys.stdout.write(json.dumps({"move": move, "nodes": 0}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
