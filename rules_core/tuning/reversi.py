"""Learn the weights of Reversi from a log of games, and write their file."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from rules_core.games.reversi_weights import PHASES, write_weights
from rules_core.tuning.regression import Positions, learn
from rules_core.tuning.self_play import Player

SHARE_TOLD = 25
"""One game of so many is kept back, to see how far what was learned is off."""


def learn_weights(
    lines: Sequence[str], out: Path, command: str, on_phase: Callable[[str], None]
) -> None:
    """Write the weights that explain these games best; *on_phase* is told of each.

    The head of the file says what they were learned from, so that it can be repeated.
    """
    player = Player()
    kept, errors = [], []
    told = positions_of(player, lines[::SHARE_TOLD])
    shown = positions_of(
        player, [line for at, line in enumerate(lines) if at % SHARE_TOLD]
    )
    for phase, weights, error in learn(shown, told):
        kept.append(weights)
        errors.append(round(error, 2))
        on_phase(f"phase {phase + 1} of {PHASES}: off by {error:.1f} discs")
    facts: dict[str, object] = {
        "command": command,
        "games": len(lines),
        "positions": len(shown.margins),
        "log_sha256": hashlib.sha256("\n".join(lines).encode()).hexdigest(),
        "error_in_discs": errors,
    }
    write_weights(out, np.concatenate(kept).tolist(), facts)


def positions_of(player: Player, lines: Sequence[str]) -> Positions:
    """Return all positions of a log as arrays."""
    words = np.array(
        [(own, other) for own, other, _ in player.positions(lines)], dtype=np.uint64
    )
    margins = np.array([margin for _, _, margin in player.positions(lines)])
    return Positions(words[:, 0], words[:, 1], margins)
