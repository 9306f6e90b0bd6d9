"""What the rules refuse, with the facts a caller needs to put it right."""

from __future__ import annotations

import json

from rules_core.messages import Message


class RulesError(Exception):
    """The rules refuse; every error of this package is one of these."""

    def __init__(self, message: Message) -> None:
        """Keep what is to be said."""
        super().__init__(message)
        self.message = message


class UnknownGame(RulesError):
    """There is no game of that key, or no such version of its rules."""

    def __init__(self, key: str, known: tuple[str, ...]) -> None:
        """Keep the known keys (or versions), so that a caller can offer them."""
        super().__init__(
            Message("there is no game {game!r}; known: {known}", game=key, known=known)
        )
        self.key = key
        self.known = known


class InvalidOptions(RulesError):
    """An option is unknown, of the wrong kind or out of range."""

    def __init__(self, name: str, given: object, allowed: Message) -> None:
        """Keep the option's name, what was given and what would be right."""
        said = json.dumps(given, ensure_ascii=False, default=repr)
        super().__init__(
            Message(
                "{name}: {given} is not possible; allowed: {allowed}",
                name=name,
                given=said,
                allowed=allowed,
            )
        )
        self.name = name
        self.given = given
        self.allowed = allowed


class InvalidPosition(RulesError):
    """The text is not a position of this game with these options."""

    def __init__(self, text: str, reason: Message) -> None:
        """Keep the text and what is wrong with it."""
        super().__init__(
            Message("{text!r} is not a position: {reason}", text=text, reason=reason)
        )
        self.text = text
        self.reason = reason


class IllegalMove(RulesError):
    """The move cannot be played in this position."""

    def __init__(
        self, move: str, legal: tuple[str, ...], ply: int | None = None
    ) -> None:
        """Keep the legal moves; *ply* counts from 1 when a list was replayed."""
        super().__init__(_not_legal(move, legal, ply))
        self.move = move
        self.legal = legal
        self.ply = ply


class InvalidSnapshot(RulesError):
    """The text is not a snapshot of this game with these options."""

    def __init__(self, text: str, reason: Message) -> None:
        """Keep the text and what is wrong with it."""
        super().__init__(
            Message(
                "{text!r} is not a snapshot: {reason}", text=text[:80], reason=reason
            )
        )
        self.text = text
        self.reason = reason


def _not_legal(move: str, legal: tuple[str, ...], ply: int | None) -> Message:
    facts = {"move": move, "legal": legal, "ply": ply}
    if ply is None:
        if legal:
            return Message("{move!r} is not legal here; legal: {legal}", **facts)
        return Message("{move!r} is not legal here; the game is over", **facts)
    if legal:
        return Message("{move!r} is not legal at ply {ply}; legal: {legal}", **facts)
    return Message("{move!r} is not legal at ply {ply}; the game is over", **facts)
