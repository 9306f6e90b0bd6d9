"""The rules of mancala games and Reversi: plain functions of immutable positions."""

from rules_core.boards.layout import Layout
from rules_core.boards.steps import Step
from rules_core.catalog import GAMES, all_games, find_game
from rules_core.errors import (
    IllegalMove,
    InvalidOptions,
    InvalidPosition,
    InvalidSnapshot,
    RulesError,
    UnknownGame,
)
from rules_core.game import Game
from rules_core.options import OptionSpec
from rules_core.origins import parse, restore, start
from rules_core.outcome import REASONS, Outcome
from rules_core.position import Position
from rules_core.replay import Recorded, from_moves, play_all, play_recorded

__all__ = [
    "GAMES",
    "REASONS",
    "Game",
    "IllegalMove",
    "InvalidOptions",
    "InvalidPosition",
    "InvalidSnapshot",
    "Layout",
    "OptionSpec",
    "Outcome",
    "Position",
    "Recorded",
    "RulesError",
    "Step",
    "UnknownGame",
    "all_games",
    "find_game",
    "from_moves",
    "parse",
    "play_all",
    "play_recorded",
    "restore",
    "start",
]
