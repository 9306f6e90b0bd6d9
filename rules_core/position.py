"""Positions: what the rules need to go on, immutable and readable."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

from rules_core.boards.steps import KINDS, Step
from rules_core.catalog import find_game
from rules_core.errors import IllegalMove
from rules_core.game import Game, Variant
from rules_core.kernel import Board, Steps
from rules_core.options import Option
from rules_core.outcome import REASONS, Outcome
from rules_core.snapshot import FORMAT, Seen, format_rest, position_key


class Position:
    """A position of a game: the board, the seat to move, and what has come up before.

    Equal positions have the same game, options and snapshot.
    """

    __slots__ = (
        "_board",
        "_digest",
        "_legal",
        "_moved",
        "_next",
        "_seen",
        "_text",
        "_variant",
    )

    def __init__(
        self, variant: Variant, board: Board, seen: Seen, mover: int | None = None
    ) -> None:
        """Take a settled board; use `start`, `parse` and `play` to get positions."""
        self._variant = variant
        self._board = board
        self._seen = seen
        self._moved = mover
        self._legal: tuple[str, ...] | None = None
        self._text: str | None = None
        self._digest: str | None = None
        self._next: tuple[str, Position] | None = None

    @property
    def game(self) -> Game:
        """The game, by the version of the rules that is played."""
        return self._variant.game

    @property
    def options(self) -> Mapping[str, Option]:
        """All options of the game."""
        return self._variant.options

    def __str__(self) -> str:
        if self._text is None:
            over = bool(self._board[self._variant.engine.over])
            self._text = self._variant.face.format(self._board, over)
        return self._text

    def __repr__(self) -> str:
        return f"<{self.game.key}: {self}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self._variant is other._variant and self.snapshot == other.snapshot

    def __hash__(self) -> int:
        return hash((self.game.rules, self.snapshot))

    def __reduce__(self) -> tuple[Any, ...]:
        game, board = self.game, self._board
        given = (game.key, game.rules, dict(self.options), board, self._seen)
        return _unpickle, (*given, self._moved)

    # The inside, for search and replay (see `engine`)

    @property
    def variant(self) -> Variant:
        """The game with its options: its engine and the texts of its move ids."""
        return self._variant

    @property
    def flat(self) -> Board:
        """The flat board, as a list of the caller's own."""
        return self._board.copy()

    @property
    def seen(self) -> Seen:
        """The positions since the last change for good, this one included (G9)."""
        return self._seen

    # Whose turn it is, and what may be done

    @property
    def to_move(self) -> str | None:
        """The seat to move, or None when the game is over."""
        engine = self._variant.engine
        if self._board[engine.over]:
            return None
        return self._variant.seats[self._board[engine.turn]]

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """The legal moves in the order of RULES G5; none when the game is over."""
        if self._legal is None:
            self._legal = legal_moves(self._variant, self._board)
        return self._legal

    def play(self, move: str) -> Position:
        """Return the position after a move and all that follows it.

        :raises IllegalMove: with the legal moves.
        """
        played = self._next
        if played is None or played[0] != move:  # asked to decide, and again to record
            self._next = played = (move, self._after(move, None))
        return played[1]

    def steps(self, move: str) -> tuple[Step, ...]:
        """Return the visible steps of a move, with what follows it.

        :raises IllegalMove: with the legal moves.
        """
        steps: list[tuple[int, int, int, int]] = []
        self._after(move, steps)
        cells, seats = self._variant.cell_names, self._variant.seats
        return tuple(
            Step(
                KINDS[kind],
                None if cell < 0 else cells[cell],
                count,
                None if seat < 0 else seats[seat],
            )
            for kind, cell, count, seat in steps
        )

    def _after(self, move: str, steps: Steps) -> Position:
        if move not in self.legal_moves:
            raise IllegalMove(move, self.legal_moves)
        variant, board = self._variant, self._board.copy()
        mover = board[variant.engine.turn]
        variant.engine.apply(board, variant.move_ids[move], steps)
        seen = count_position(variant, self._board, board, self._seen, steps)
        return Position(variant, board, seen, mover)

    # What the last move did

    @property
    def mover(self) -> str | None:
        """The seat that made the last move; None at the start, or from a text."""
        return None if self._moved is None else self._variant.seats[self._moved]

    @property
    def passes(self) -> tuple[str, ...]:
        """The seats that had to pass after the last move."""
        cell = self._variant.engine.passed
        if cell < 0 or not self._board[cell]:
            return ()
        return (self._variant.seats[self._board[cell] - 1],)

    @property
    def given(self) -> int:
        """How many discs the opponent gave for the last move (R5)."""
        cell = self._variant.engine.given
        return 0 if cell < 0 else self._board[cell]

    # What there is to see

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        engine, board = self._variant.engine, self._board
        if not board[engine.over]:
            return None
        winner = board[engine.winner]
        return Outcome(
            winner=self._variant.seats[winner - 1] if winner else None,
            reason=REASONS[board[engine.over] - 1],
            score=self._variant.face.score(board),
        )

    @property
    def score(self) -> dict[str, int]:
        """What each seat has now: seeds in store, kete on its side, or discs."""
        return self._variant.face.score(self._board)

    @property
    def board(self) -> Mapping[str, int | str]:
        """What is on each place: seeds in pits and stores, or the seat of a disc."""
        return self._variant.face.places(self._board)

    @property
    def owners(self) -> Mapping[str, str] | None:
        """Who owns each pit, in a game in which that changes (N7); otherwise None."""
        return self._variant.face.owners(self._board)

    # The whole position as one text

    @property
    def snapshot(self) -> str:
        """The position as one line, with what its text does not show.

        It reads `p1|<position text>|<the rest>`; `restore` takes it back. The rest is
        described at `digest`.
        """
        return f"{FORMAT}|{self}|{self._rest}"

    @property
    def digest(self) -> str:
        """Twelve hexadecimal digits that stand for the whole position, for ever.

        They are the first of the SHA-256 of `<position text>|<rest>` in UTF-8, where
        the rest is, separated by a space:

        - in Reversi `hands=<black>/<white>`, the discs in hand;
        - in a game that is over `end=<reason>/<winner or "draw">`;
        - in a game in which positions can repeat `seen=`, the positions since the
          last change for good (of the stores, or a new round), this one included,
          once for each time they came up, sorted and joined by commas; each is one
          character for each pit, which has the code 48 + its seeds, and `0` or `1`
          for the seat to move. The pits are in label order; in Bao la Kujifunza they
          run clockwise, `A1` to `A8`, `B8` to `B1`, then north's. It is left out when
          there is but one.
        """
        if self._digest is None:
            self._digest = digest_of(f"{self}|{self._rest}")
        return self._digest

    @property
    def _rest(self) -> str:
        return format_rest(self._variant, self._board, self._seen)


def digest_of(text: str) -> str:
    """Return the digest of a position text with its rest."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def legal_moves(variant: Variant, board: Board) -> tuple[str, ...]:
    """Return the legal moves of a board as texts."""
    engine = variant.engine
    out = [0] * engine.max_moves
    if engine.work > engine.size:  # what is scratched on must not be shared
        board = board.copy()
    names = variant.move_names
    return tuple([names[move] for move in out[: engine.legal(board, out)]])


def count_position(
    variant: Variant, before: Board, board: Board, seen: Seen, steps: Steps
) -> Seen:
    """Count a position that has arisen; at its third time it is a standstill (G9)."""
    engine = variant.engine
    if engine.standstill is None or board[engine.over]:
        return ()
    for cell in engine.lasting:
        if board[cell] != before[cell]:
            seen = ()
            break
    if engine.claiming >= 0 and board[engine.claiming]:
        return ()
    key = position_key(variant, board)
    if seen.count(key) < 2:
        return (*seen, key)
    engine.standstill(board, steps)
    if board[engine.over] or (engine.claiming >= 0 and board[engine.claiming]):
        return ()
    return (position_key(variant, board),)


def _unpickle(
    key: str,
    rules: str,
    options: dict[str, Option],
    board: Board,
    seen: Seen,
    mover: int | None,
) -> Position:
    return Position(find_game(key, rules).variant(options), board, seen, mover)
