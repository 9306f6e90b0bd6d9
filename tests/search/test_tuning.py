"""Learning: what was put into games is found in them."""

import json
from pathlib import Path

import numpy as np

from rules_core import find_game
from rules_core.games import reversi_patterns as patterns
from rules_core.games import reversi_weights as weights
from rules_core.games.reversi_rows import placements
from rules_core.tuning.regression import Positions, features, fit
from rules_core.tuning.reversi import ReversiPlayer
from rules_core.tuning.self_play import CannotPlay
from tests.support.commands import seedlog
from tests.support.playing import dice
from tests.support.require import skip_without


def player() -> ReversiPlayer:
    """Return what plays the games, or skip."""
    try:
        return ReversiPlayer(find_game("reversi"))
    except CannotPlay as why:
        skip_without("compiled", str(why))


def random_words(count: int) -> tuple[np.ndarray, np.ndarray]:
    chance = dice("words")
    taken = [chance.getrandbits(64) for _ in range(count)]
    own = [chance.getrandbits(64) & word for word in taken]
    other = [word & ~mine for word, mine in zip(taken, own, strict=True)]
    return np.array(own, dtype=np.uint64), np.array(other, dtype=np.uint64)


def test_features_are_the_weights_that_the_rules_look_up() -> None:
    """The rules run over arrays: nothing stands twice."""
    own, other = random_words(30)
    asked = features(Positions(own, other, np.zeros(30)))
    kept = weights.kept_once()
    numbers = list(patterns.WEIGHTS.cells)
    by_kept = {kept[index]: numbers[index] for index in range(weights.SIZE_OF_PHASE)}
    for at in range(30):
        mine, theirs = int(own[at]), int(other[at])
        value = patterns.by_corners(mine, theirs, 0) + patterns.by_lines(
            mine, theirs, 0
        )
        value += patterns.by_diagonals(mine, theirs, 0)
        value += numbers[weights.MOVES + placements(mine, theirs).bit_count()]
        value += numbers[weights.REPLIES + placements(theirs, mine).bit_count()]
        assert sum(by_kept[index] for index in asked[:, at].tolist()) == value


def test_every_square_is_in_a_pattern() -> None:
    """A disc more asks for other weights, wherever it lies."""
    none = np.zeros(64, dtype=np.uint64)
    own = np.array([1 << square for square in range(64)], dtype=np.uint64)
    bare = features(Positions(none, none, none))
    asked = features(Positions(own, none, none))
    changed = (asked[:-2] != bare[:-2]).sum(axis=0)
    assert changed.min() >= 3


def test_weights_are_found_again() -> None:
    """From sums of a few of them, as positions are."""
    chance = np.random.default_rng(1)
    true = chance.normal(0, 3, 50)
    asked = chance.integers(0, 50, (6, 4000))
    margins = sum(true[row] for row in asked)
    found = fit(asked, margins, 50)
    assert np.abs(sum(found[row] for row in asked) - margins).max() < 0.5


def test_the_same_seed_plays_the_same_games() -> None:
    """And every game is one of the rules, solved where the log ends."""
    lines = list(player().lines(5, 4))
    assert lines == list(player().lines(5, 4))
    assert len(set(lines)) == len(lines) >= 3
    for own, other, margin in player().positions(lines):
        assert own & other == 0
        assert -64 <= margin <= 64


def test_one_game_is_too_few_to_learn_from(tmp_path: Path) -> None:
    player()
    log, out = tmp_path / "games.txt", tmp_path / "weights.bin"
    given = ["tune", "reversi", "--games", "1", "--log", str(log), "--out", str(out)]
    ran = seedlog(*given)
    assert (ran.exit_code, "too few" in ran.output) == (1, True)


def test_the_command_plays_learns_and_does_not_play_again(tmp_path: Path) -> None:
    """A log that is there is learned from; the head of the file says which.

    The file can be read, and each phase is told of.
    """
    player()
    log, out = tmp_path / "games.txt", tmp_path / "weights.bin"
    given = ["tune", "reversi", "--games", "50", "--log", str(log), "--out", str(out)]
    heads = []
    for _ in range(2):
        ran = seedlog(*given)
        assert ran.exit_code == 0, ran.output
        told = [line for line in ran.output.splitlines() if line.startswith("phase ")]
        assert len(told) == weights.PHASES
        assert len(weights.read_weights(out)) == weights.PHASES * weights.SIZE_OF_PHASE
        heads.append(json.loads(out.read_bytes().partition(b"\n")[0]))
    assert heads[0]["command"] == "seedlog tune reversi --games 50 --seed 1"
    assert heads[1]["command"] == "seedlog tune reversi --log games.txt"
    assert heads[0]["sha256"] == heads[1]["sha256"]
    assert not log.with_suffix(".part").exists()
