"""Learn the weights of Reversi from a log of games, and write their file.

The games end where the rest can be solved: their margin is that of perfect play.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from rules_core.compiled import find_compiled
from rules_core.game import Game
from rules_core.games.reversi_weights import PHASES, write_weights
from rules_core.kernel import Board
from rules_core.tuning.regression import Positions, learn
from rules_core.tuning.self_play import CannotPlay, Player, TooFew, line_of

DEPTH = 4
"""So far each move is looked ahead: enough to punish blunders, in a millisecond."""

SOLVED_FROM = 12
FEWEST_RANDOM, MOST_RANDOM = 6, 22
FIRST_LEARNED = 3
"""Before so many moves there are too few positions to learn from."""

ALL_THERE_IS = 1_000_000
SHARE_TOLD = 25
"""One game of so many is kept back, to see how far what was learned is off."""


class ReversiPlayer(Player):
    """Plays Reversi with itself, until the end can be solved."""

    def __init__(self, game: Game) -> None:
        """Take the compiled game.

        :raises CannotPlay: there is none.
        """
        compiled: Any = find_compiled(game)
        if compiled is None:
            raise CannotPlay("self-play needs the compiled game: `make up` builds it")
        super().__init__(game, compiled)
        self._new_searcher = compiled.Searcher

    def lines(self, first: int, count: int) -> Iterator[str]:
        """Yield the lines of so many games, with seeds from *first* on."""
        self._searcher = self._new_searcher(1 << 62, 1e6)  # what it knows goes on
        yield from super().lines(first, count)

    def play(self, chance: random.Random) -> str:
        """Return the line of one game, or nothing: it was over too early."""
        engine = self.game.engine
        board, moves = self.first.flat, list[int]()
        random_moves = chance.randint(FEWEST_RANDOM, MOST_RANDOM)
        while empty(board) > SOLVED_FROM:
            legal = self.legal(board)
            if not legal:
                return ""
            if len(moves) < random_moves:
                moves.append(chance.choice(legal))
            else:
                moves.append(self._best(board, legal))
            board = self.after(board, moves[-1])
        if board[engine.over]:
            return ""
        margin = self._searcher.solve(board, -64, 64)
        return line_of(random_moves, moves, -margin if board[engine.turn] else margin)

    def positions(self, lines: Iterable[str]) -> Iterator[tuple[int, int, int]]:
        """Yield each position of a log: own discs, the other's, own final margin."""
        turn = self.game.engine.turn
        for _, boards, margin in self.read(lines):
            for board in boards[FIRST_LEARNED:]:
                if board[turn]:
                    yield board[1], board[0], -margin
                else:
                    yield board[0], board[1], margin

    def _best(self, board: Board, legal: list[int]) -> int:
        engine, searcher = self.game.engine, self._searcher
        best, low = legal[0], -ALL_THERE_IS
        for move in legal:
            after = self.after(board, move)
            same = after[engine.turn] == board[engine.turn]
            if after[engine.over]:
                ahead = 100 * engine.score(after)
                value = -ahead if board[engine.turn] else ahead
            elif same:
                value = searcher.value(after, DEPTH - 1, low, ALL_THERE_IS)
            else:
                value = -searcher.value(after, DEPTH - 1, -ALL_THERE_IS, -low)
            if value > low:
                best, low = move, value
        return best


def empty(board: Board) -> int:
    """Count the empty squares."""
    return 64 - (board[0] | board[1]).bit_count()


def learn_weights(
    player: ReversiPlayer,
    lines: Sequence[str],
    out: Path,
    command: str,
    on_phase: Callable[[str], None],
) -> None:
    """Write the weights that explain these games best; *on_phase* is told of each.

    The head of the file says what they were learned from, so that it can be repeated.

    :raises NoLog: a line is no game.
    :raises TooFew: there is nothing to learn from.
    """
    if len(lines) <= 1:
        raise TooFew(f"{len(lines)} games are too few to learn from")
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


def positions_of(player: ReversiPlayer, lines: Sequence[str]) -> Positions:
    """Return all positions of a log as arrays."""
    words = np.array(
        [(own, other) for own, other, _ in player.positions(lines)], dtype=np.uint64
    )
    margins = np.array([margin for _, _, margin in player.positions(lines)])
    return Positions(words[:, 0], words[:, 1], margins)
