"""What the rules refuse, with the facts a caller needs to put it right."""

from __future__ import annotations

import json


class RulesError(Exception):
    """The rules refuse; every error of this package is one of these."""


class UnknownGame(RulesError):
    """There is no game of that key, or no such version of its rules."""

    def __init__(self, key: str, known: tuple[str, ...]) -> None:
        """Keep the known keys (or versions), so that a caller can offer them."""
        super().__init__(f"there is no game {key!r}; known: {', '.join(known)}")
        self.key = key
        self.known = known


class InvalidOptions(RulesError):
    """An option is unknown, of the wrong kind or out of range."""

    def __init__(self, name: str, given: object, allowed: str) -> None:
        """Keep the option's name, what was given and what would be right."""
        said = json.dumps(given, ensure_ascii=False, default=repr)
        super().__init__(f"{name}: {said} is not possible; allowed: {allowed}")
        self.name = name
        self.given = given
        self.allowed = allowed


class InvalidPosition(RulesError):
    """The text is not a position of this game with these options."""

    def __init__(self, text: str, reason: str) -> None:
        """Keep the text and what is wrong with it."""
        super().__init__(f"{text!r} is not a position: {reason}")
        self.text = text
        self.reason = reason


class IllegalMove(RulesError):
    """The move cannot be played in this position."""

    def __init__(
        self, move: str, legal: tuple[str, ...], ply: int | None = None
    ) -> None:
        """Keep the legal moves; *ply* counts from 1 when a list was replayed."""
        what = f"legal: {', '.join(legal)}" if legal else "the game is over"
        where = "here" if ply is None else f"at ply {ply}"
        super().__init__(f"{move!r} is not legal {where}; {what}")
        self.move = move
        self.legal = legal
        self.ply = ply


class InvalidSnapshot(RulesError):
    """The text is not a snapshot of this game with these options."""

    def __init__(self, text: str, reason: str) -> None:
        """Keep the text and what is wrong with it."""
        super().__init__(f"{text[:80]!r} is not a snapshot: {reason}")
        self.text = text
        self.reason = reason
