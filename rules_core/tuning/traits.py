"""What a position of a game of seeds shows, from the view of the seat to move.

All is taken from what every such game tells of itself: whose the pits are on its board,
its moves, and what one of them does. A place is called by the label that its owner
has for it: what is said of A is said of the pits A and a.
"""

from __future__ import annotations

from rules_core.kernel import Board
from rules_core.tuning.self_play import Player

ROWS = {"two-row": 2, "four-row": 4}


class NoPits(Exception):
    """A game has no rows of pits."""


class Traits:
    """The traits of one game.

    Of pits, and of moves, what the seat to move has more than the other is told.
    """

    def __init__(self, player: Player) -> None:
        """Take what plays the game.

        :raises NoPits: it is played on another board.
        """
        variant = player.first.variant
        layout = variant.face.layout()
        if layout.kind not in ROWS:
            raise NoPits(f"{player.game.rules} has no rows of pits to learn of")
        self._player, self._engine, self._face = player, variant.engine, variant.face
        self._seats = variant.seats
        self._at_start = layout.owners
        cells = {name: cell for cell, name in enumerate(variant.cell_names)}
        places = list(dict.fromkeys(pit.upper() for pit in sorted(layout.owners)))
        self._pits = [
            (pit, cells[pit], places.index(pit.upper())) for pit in layout.owners
        ]
        self._places = len(places)
        self._ring = len(self._pits) // (ROWS[layout.kind] // 2)
        of_pits = (
            "to move",
            *(f"seeds in {place}" for place in places),
            *(f"{place} empty" for place in places),
            "pits of a whole round",
            "pits",
        )
        self.of_pits = len(of_pits)
        """So many are seen without a move: what an `evaluate` usually counts."""
        self.names = (
            *of_pits,
            "moves",
            "moves that move again",
            "the other's that move again",
            "seeds to be had at once",
            "seeds in danger",
        )

    def of(self, board: Board) -> list[int]:
        """Return the traits of a board that is not over, in the order of their names.

        What the other could do is what it could if it were to move.
        """
        mover = board[self._engine.turn]
        seat, owners = self._seats[mover], self._face.owners(board) or self._at_start
        seeds, empty, rounds, pits = [0] * self._places, [0] * self._places, 0, 0
        for pit, cell, place in self._pits:
            sign = 1 if owners[pit] == seat else -1
            seeds[place] += sign * board[cell]
            empty[place] += sign * (board[cell] == 0)
            rounds += sign * (board[cell] >= self._ring)
            pits += sign
        moves, again, gain = self._one_ply(board)
        across = board.copy()
        across[self._engine.turn] = 1 - mover
        replies, again_too, loss = self._one_ply(across)
        ahead = (moves - replies, again, again_too, gain, loss)
        return [1, *seeds, *empty, rounds, pits, *ahead]

    def _one_ply(self, board: Board) -> tuple[int, int, int]:
        """Return how many moves there are, those that move again, the largest gain."""
        engine, mover = self._engine, board[self._engine.turn]
        moves, again, most = self._player.legal(board), 0, 0
        sign = 1 - 2 * mover
        score = sign * engine.score(board)
        for move in moves:
            after = self._player.after(board, move)
            again += after[engine.turn] == mover and not after[engine.over]
            most = max(most, sign * engine.score(after) - score)
        return len(moves), again, most
