"""Games of seeds that the search plays with itself, to their end."""

from __future__ import annotations

import random

from rules_core.replay import play_all
from rules_core.search.root import final_margin
from rules_core.search.thinking import Budget, think
from rules_core.tuning.self_play import Player, line_of

NODES = 1_500
"""So many positions are looked at for a move, by the search that levels are promised:
the same seed plays the same game."""

BUDGET = Budget(1e6, NODES)
FEWEST_RANDOM, MOST_RANDOM = 2, 12
MOST_PLIES = 1_000


class SowingPlayer(Player):
    """Plays a game of seeds with itself, by the default options."""

    def play(self, chance: random.Random) -> str:
        """Return the line of one game, or nothing: it was over too early, or never."""
        position, moves = self.first, list[int]()
        random_moves = chance.randint(FEWEST_RANDOM, MOST_RANDOM)
        while position.to_move is not None:
            if len(moves) == MOST_PLIES:
                return ""
            if len(moves) < random_moves:
                move = chance.choice(position.legal_moves)
            else:
                move = think(position, BUDGET, everything=False).lines[0].moves[0]
            moves.append(position.variant.move_ids[move])
            position = play_all(position, [move])
        if len(moves) <= random_moves:
            return ""
        return line_of(random_moves, moves, final_margin(position))
