"""Games of seeds that the search plays with itself, to their end."""

from __future__ import annotations

import random

from rules_core.kernel import Board
from rules_core.replay import play_all
from rules_core.search.root import all_there_is
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
        return line_of(random_moves, moves, self.margin(position.flat))

    def margin(self, board: Board) -> int:
        """Return the final margin of the first seat, as a search counts it.

        A draw is worth nothing; where winning is no matter of counting, a win is worth
        all there is.
        """
        engine, winner = self.game.engine, board[self.game.engine.winner]
        if not winner:
            return 0
        if engine.counts:
            return engine.score(board)
        return all_there_is(self.first) * (1 if winner == 1 else -1)
