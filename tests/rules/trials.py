"""Plays the checked build of a game, in a process of its own: a sanitizer ends it.

`python -m tests.rules.trials FOLDER KEY` ends well, or says what went wrong; the key of
a faulty game prints, as JSON, what was trapped at each of its moves.
"""

import importlib.util
import itertools
import json
import sys
from pathlib import Path
from typing import Any

from rules_core import Game, Position, find_game, play_all, replay, start
from rules_core.boards.face import MOVERS
from rules_core.compiled import module_name
from rules_core.search import INFINITE, PlainSearcher
from rules_core.translation.c.build import place_of
from rules_core.translation.c.checked import Trapped
from tests.rules import faulty_counts, faulty_words
from tests.rules.perft_tables import KNOWN, OWN
from tests.rules.record import FOLDER, PLAYTHROUGHS, moves_of
from tests.rules.strange_boards import strange_positions, unreachable
from tests.support.playing import dice, play_on

FAULTY = {module.KEY: module for module in (faulty_counts, faulty_words)}
OPTIONS: dict[str, list[dict[str, object]]] = {
    "kalah": [
        {},
        {"pits": 8, "seeds": 8},
        {"pits": 1, "seeds": 1},
        {"pits": 8, "seeds": 2, "pie": True},
    ],
    "oware": [{}, {"seeds": 6}],
    "congkak": [
        {},
        {"rounds": "match"},
        {"pits": 9, "seeds": 9, "rounds": "match", "pie": True},
        {"pits": 5, "seeds": 3, "rounds": "match"},
    ],
    "oware-nam-nam": [{}, {"max_rounds": 2}],
}
PERFT_LINES = 200_000
STRANGE = 60
GAMES_EACH = 4
ENDINGS = 3
MOST_PLIES = 400


def load(folder: Path, game: Game) -> Any:
    """Return the checked extension of a game."""
    name, path = module_name(game), place_of(folder, game, ".so")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def play_with(extension: Any, first: Position, moves: list[str]) -> Position:
    """Play moves by an extension, or with None in plain Python."""
    own = replay.find_compiled
    replay.find_compiled = lambda _: extension
    try:
        return play_all(first, moves)
    finally:
        replay.find_compiled = own


def try_line(first: Position, moves: list[str], checked: Any) -> None:
    """Replay moves, and compare everything that a snapshot tells."""
    fast, plain = play_with(checked, first, moves), play_with(None, first, moves)
    assert fast.snapshot == plain.snapshot, (str(first), moves)
    assert (fast.mover, fast.passes) == (plain.mover, plain.passes)
    counted = plain.variant.face.counted_text
    if counted is not None and plain.outcome is None:
        line = checked.Line(plain.flat, ())
        assert line.write(counted.template, counted.order, MOVERS) == str(plain)


def played(checked: Any, board: list[int], move: int) -> list[int]:
    """Return the board after a move."""
    line = checked.Line(board, ())
    assert line.play([move]) == 1
    after: list[int] = line.board
    return after


def try_board(game: Game, board: list[int], checked: Any) -> None:
    """Compare legal moves, what they do, the lead, and a short search."""
    engine = game.engine
    out = [0] * engine.max_moves
    found = out[: engine.legal(board.copy(), out)]
    assert checked.legal_moves(board) == found, board
    for move in found:
        after = board.copy()
        engine.apply(after, move, None)
        assert played(checked, board, move)[: engine.size] == after[: engine.size]
        assert checked.lead(after) == engine.score(after)


def try_search(game: Game, board: list[int], checked: Any, depth: int) -> None:
    """Compare what the searches find."""
    searchers = PlainSearcher(game, 10**7, 60), checked.Searcher(10**7, 60)
    values = [s.value(board, depth, -INFINITE, INFINITE) for s in searchers]
    assert values[0] == values[1], board


def try_endings(game: Game, checked: Any) -> None:
    """Compare how random games end by perfect play, once few moves are left."""
    for seed in range(ENDINGS):
        line = list(play_on(start(game.key), dice(seed), MOST_PLIES))
        for position in line[-9:-1]:
            searchers = PlainSearcher(game, 10**7, 60), checked.Searcher(10**7, 60)
            values = [s.solve(position.flat, -64, 64) for s in searchers]
            assert values[0] == values[1], str(position)


def random_moves(first: Position, seed: int) -> list[str]:
    """Return the moves of a random game."""
    chance, position, moves = dice(seed), first, list[str]()
    while position.legal_moves and len(moves) < MOST_PLIES:
        moves.append(chance.choice(position.legal_moves))
        position = position.play(moves[-1])
    return moves


def try_game(game: Game, checked: Any) -> None:
    """Try laws, recorded games, perft tables, strange boards and searches."""
    for name, (key, options, starter) in PLAYTHROUGHS.items():
        if key == game.key:
            recorded = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
            try_line(start(key, options, starter), moves_of(recorded), checked)
    for key, options, counts in [*KNOWN, *OWN]:
        if key == game.key:
            board = start(key, options).flat
            few = list(itertools.takewhile(lambda count: count <= PERFT_LINES, counts))
            found = [checked.perft(board, depth) for depth in range(1, len(few) + 1)]
            assert found == few
    if game.engine.solves:
        try_endings(game, checked)
    for number, options in enumerate(OPTIONS.get(game.key, [{}])):
        variant, chance = game.variant(options), dice(number)
        for seed in range(GAMES_EACH):
            first = start(game.key, options, game.starters[seed % len(game.starters)])
            try_line(first, random_moves(first, seed), checked)
        for position in strange_positions(variant, chance, STRANGE):
            try_board(game, position.flat, checked)
            *_, last = play_on(position, chance, 30)
            try_board(game, last.flat, checked)
        for _ in range(STRANGE):
            try_board(game, unreachable(variant, chance), checked)
        try_search(game, start(game.key, options).flat, checked, 3)
        try_search(game, unreachable(variant, chance), checked, 2)


def trapped(game: Game, checked: Any) -> list[str]:
    """Return what each move of a faulty game is refused for, or the board after it."""
    board = game.variant(None).deal()
    found = [
        _answer(played, checked, board, move) for move in checked.legal_moves(board)
    ]
    crowded = [*board[:5], board[5] + 1, *board[6:]]
    found += [_answer(checked.legal_moves, crowded), _answer(checked.perft, board, 2)]
    return found


def _answer(function: Any, *given: Any) -> str:
    try:
        return str(function(*given))
    except Trapped as refused:
        return str(refused)


def main(folder: str, key: str) -> None:
    """Try the game of a key."""
    if key in FAULTY:
        game = Game.of(FAULTY[key])
        sys.stdout.write(json.dumps(trapped(game, load(Path(folder), game))))
    else:
        game = find_game(key)
        try_game(game, load(Path(folder), game))


if __name__ == "__main__":
    main(*sys.argv[1:])
