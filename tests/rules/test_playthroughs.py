"""Whole games, word by word as they were recorded (`python -m tests.rules.record`)."""

import json

import pytest

from rules_core import GAMES
from tests.rules.record import (
    FOLDER,
    PLAYTHROUGHS,
    STATISTICS,
    format_line,
    moves_of,
    statistics,
)


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_the_playthrough_is_what_was_recorded(name: str) -> None:
    """Texts, digests, legal moves, steps, passes and the outcome at each ply."""
    recorded = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    moves = moves_of(recorded)
    assert len(moves) > 10
    game, options, starter = PLAYTHROUGHS[name]
    assert format_line(game, options, starter, moves) == recorded


def test_every_game_has_a_playthrough() -> None:
    """And there is no file without a name in the table."""
    assert {game for game, _, _ in PLAYTHROUGHS.values()} == {g.key for g in GAMES}
    assert {path.stem for path in FOLDER.iterdir()} == set(PLAYTHROUGHS)


def test_random_games_end_as_they_did() -> None:
    """Lengths, winners and reasons of sixty games of each kind."""
    assert statistics() == json.loads(STATISTICS.read_text(encoding="utf-8"))
