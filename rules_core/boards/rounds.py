"""What the texts of games of several rounds tell besides the board."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rules_core.boards.face import Malformed
from rules_core.kernel import Board
from rules_core.messages import Counted, Message

MATCH = re.compile(r"round=([1-9][0-9]?) starter=([SN])")
OWNED = re.compile(
    r"owners=([SN]{6})/([SN]{6}) round=([1-9][0-9]{0,3}) starter=([SN])"
    r"(?: claim=([1-5]))?"
)


@dataclass(frozen=True, slots=True)
class MatchExtras:
    """Congkak's rounds (C8): `round=2 starter=N`."""

    round: int
    starter: int
    last: int
    burnt: tuple[int, int]
    swapping: int

    def format(self, board: Board) -> str:
        """Write the round and who began it."""
        return f"round={board[self.round]} starter={'SN'[board[self.starter]]}"

    def read(self, text: str, board: Board) -> None:
        """Read the round and who began it."""
        parts = MATCH.fullmatch(text)
        if not parts:
            raise Malformed(Message("expected round=<number> starter=<S|N>"))
        board[self.round] = int(parts[1])
        board[self.starter] = "SN".index(parts[2])
        if board[self.round] > self.last:
            raise Malformed(
                Counted(
                    "there is at most {count} round",
                    "there are at most {count} rounds",
                    count=self.last,
                )
            )
        south, north = board[self.burnt[0]], board[self.burnt[1]]
        if (south and north) or (board[self.round] == 1 and south + north):
            raise Malformed(
                Message("one seat alone can have burnt pits, after the first round")
            )
        swaps = board[self.swapping]
        if swaps and (board[self.round] > 1 or swaps == board[self.starter] + 1):
            raise Malformed(
                Message("who did not begin may swap, in the first round alone")
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnersExtras:
    """Who owns the pits (N7): `owners=SSSSSS/SNNNNN round=2 starter=N claim=1`."""

    turn: int
    owners: int
    round: int
    starter: int
    claim: int
    most_rounds: int
    stores: tuple[int, int]

    def format(self, board: Board) -> str:
        """Write the owners in label order, the round, and what is left to claim."""
        owners = ["SN"[owner] for owner in board[self.owners : self.owners + 12]]
        text = f"owners={''.join(owners[:6])}/{''.join(owners[6:])}"
        text += f" round={board[self.round]} starter={'SN'[board[self.starter]]}"
        return f"{text} claim={board[self.claim]}" if board[self.claim] else text

    def read(self, text: str, board: Board) -> None:
        """Read them; nobody owns pits on both sides but by having won them."""
        parts = OWNED.fullmatch(text)
        if not parts:
            raise Malformed(
                Message(
                    "expected owners=<S|N x 6>/<S|N x 6> round=<number> starter=<S|N>"
                )
            )
        south, north, number, starter, claim = parts.groups()
        board[self.owners : self.owners + 12] = ["SN".index(o) for o in south + north]
        board[self.round] = int(number)
        board[self.starter] = "SN".index(starter)
        board[self.claim] = int(claim or 0)
        lost, won = south.count("N"), north.count("S")
        if (lost and won) or (int(number) == 1 and lost + won):
            raise Malformed(
                Message("only one side can have lost pits, after the first round")
            )
        if board[self.most_rounds] and int(number) > board[self.most_rounds]:
            raise Malformed(
                Counted(
                    "there is at most {count} round",
                    "there are at most {count} rounds",
                    count=board[self.most_rounds],
                )
            )
        if claim:
            self._check_claim(board, lost, won)

    def _check_claim(self, board: Board, lost: int, won: int) -> None:
        claimed = lost if board[self.turn] else won
        pits, stores = board[:12], [board[cell] for cell in self.stores]
        if board[self.round] == 1 or claimed != lost + won:
            raise Malformed(Message("the seat to move has nothing to claim"))
        if claimed + board[self.claim] > 5:
            raise Malformed(Message("no seat can claim all six pits of the other"))
        if pits != [4] * 12 or any(stores):
            raise Malformed(Message("pits are claimed before anything is sown"))
