"""What binds each member of each line of an export: one table, for README and tests.

For each check that binds a member there is a value which that check refuses, put there
by somebody who holds the key and signs everything again. ``free`` is another value that
is well: then it is the signature alone that binds the member.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import services.audit

README = Path(services.audit.__file__).with_name("README.md").read_text("utf-8")
NONE: Any = object()
HASH = "0" * 64
BEFORE, AFTER = "1999-01-01T00:00:00.000Z", "2099-01-01T00:00:00.000Z"
LAST: Any = object()
"""The time of the event that comes next."""

COLUMNS = ("form", "chain", "rules", "time", "signature")
CHECKS = {
    "form": {"form"},
    "chain": {"chain", "order"},
    "rules": {"rules"},
    "time": {"time", "key"},
    "signature": {"signature", "key"},
}
"""What a finding calls the checks of a column; a key has its time, and signs."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a line, or of the data of a type of event, and who refuses what.

    ``chain`` and ``signature`` are values that are put there without making hashes, or
    the signatures, anew; where that takes no value of its own, it is ``free``.
    ``offline`` names the check that `seedlog verify` alone makes, and no page to keep.
    """

    line: str
    name: str
    told: str
    form: Any = NONE
    rules: Any = NONE
    time: Any = NONE
    free: Any = NONE
    chain: Any = NONE
    signature: Any = NONE
    offline: str = ""

    @property
    def other(self) -> Any:
        """Return a value of the right form."""
        values = (self.free, self.rules, self.time)
        return next((value for value in values if value is not NONE), NONE)

    def value(self, column: str) -> Any:
        """Return the value that a check refuses, or NONE if it does not bind."""
        value = getattr(self, column)
        is_event = self.line == "event" or self.line.startswith("match.")
        if value is NONE and column == "form" and self.line.startswith("match."):
            return 1.5
        if value is NONE and column == "chain" and is_event:
            return self.other
        return self.other if value is NONE and column == "signature" else value

    @property
    def row(self) -> str:
        """Return the row of the README."""
        marks = ["" if self.value(c) is NONE else self._mark(c) for c in COLUMNS]
        where = self.line if self.line in ("header", "event", "head") else "event.data"
        name = self.name if where != "event.data" else f"{self.line[6:]}: {self.name}"
        cells = " | ".join(mark or " " for mark in marks)
        return f"| {where} | `{name}` | {self.told} | {cells} |"

    def _mark(self, column: str) -> str:
        return "v" if column == self.offline else "x"


def data(kind: str, name: str, told: str, rules: Any, free: Any = NONE) -> Member:
    """Return a member of the data of a type of event."""
    return Member(f"match.{kind}", name, told, rules=rules, free=free)


def conduct(kind: str, name: str, told: str, rules: Any, free: Any = NONE) -> Member:
    """Return a member that says how the match was led: no page asks that."""
    return replace(data(kind, name, told, rules, free), offline="rules")


SEAT = "a seat of the game"
KEY_ID = "sig_" + "1" * 16

# fmt: off
MEMBERS = (
    Member("header", "chain", "the fixed text that says how hashes are made", form="x",
           offline="form"),
    Member("header", "exported_at", "the time of the head",
           form="today", time="2026-11-21T11:59:59.999Z"),
    Member("header", "exporter", "any text: what wrote it", form=7, free="by hand",
           offline="form"),
    Member("header", "format", "`seedlog-export`", form="other"),
    Member("header", "format_version", "1", form=2),
    Member("header", "key.algorithm", "`Ed25519`", form="RSA", offline="form"),
    Member("header", "key.id", "what follows from `public`", form=KEY_ID,
           offline="form"),
    Member("header", "key.public", "64 hexadecimal digits", form="00"),
    Member("header", "key.valid_from", "a time or null: since when the key signs",
           form="1999", time=AFTER, free=BEFORE, offline="form"),
    Member("header", "key.valid_until", "a time or null: until when it signs",
           form="late", time=BEFORE, free=AFTER, offline="form"),
    Member("header", "match", "the id of the match", form="match", chain="mat_other"),
    Member("header", "players", "who sits at the board, by reference, and nobody else",
           form=[], rules={}),
    Member("header", "players.*.name", "any text, or null", form=7, free="Zuri",
           offline="form"),
    Member("header", "players.*.name_erased", "true (then there is no name) or false",
           form=True, offline="form"),
    Member("header", "rules", "the rules of the match", form=7, rules="kalah/9"),
    Member("header", "signatures", "the fixed text on what is signed", form="x",
           offline="form"),

    Member("event", "event.at", "a time, not before the event before, nor after the "
           "head; that of its cause", form="today", time=BEFORE, free=LAST),
    Member("event", "event.by", "who can have done it; which app, or if an app for "
           "a player, is not known", form=7, rules="nobody", free="key:another",
           offline="rules"),
    Member("event", "event.data", "the members of its type, below", form=[]),
    Member("event", "event.type", "an event that can have happened there",
           form=7, rules="match.danced"),
    Member("event", "event.version", "its number among the events", form=6),
    Member("event", "hash", "the hash up to it", form="00", chain=HASH),
    Member("event", "signature", "128 hexadecimal digits; where the head holds, it is "
           "the head that covers it", form="00", signature="0" * 128),

    data("opened", "game", "a game", "chess"),
    data("opened", "options", "all options of the game", {"pits": 60}),
    data("opened", "rules", "a version of its rules", "kalah/9"),
    data("opened", "starter", "who may begin, or none before the fist", "west"),
    conduct("opened", "starter_by", "`random`, `fist` or absent", "dice"),
    conduct("opened", "commitment", "with a fist the SHA-256 that hides it, as the "
            "guess shows", "00"),
    data("opened", "position", "a position of the game, or absent", "p1|none"),
    conduct("opened", "origin", "a match, a version from 1 and a hash, with a "
            "position; which match, is not known",
            {"match": "mine", "version": 1, "hash": HASH},
            {"match": "mat_other", "version": 1, "hash": HASH}),
    conduct("opened", "clock", "a time control, or absent", {"days_per_move": 31}),
    data("opened", "rated", "`false`, or absent; which, is not known", "no", False),
    data("opened", "hints", "`true`, or absent; which, is not known where no hint was "
         "taken", "no", True),
    conduct("opened", "rematch_of", "a match, or absent; which, is not known", "mine",
            "mat_other"),
    conduct("opened", "tenant", "any text but none", "", "ten_z"),
    data("seat_taken", "seat", "a seat that is free", "east"),
    conduct("seat_taken", "kind", "`human` or `ai`", "cat"),
    data("seat_taken", "player", "of a human: a reference that the header lists", ""),
    conduct("seat_taken", "level", "of an AI: one of its ladder, as its moves show",
            99),
    conduct("seat_taken", "ladder", "of an AI: a ladder of the game, or absent; which, "
            "is not known", 77, 2),
    conduct("seat_token_renewed", "seat", "the seat of a human", "east"),
    conduct("seat_token_renewed", "generation", "one more than before", 99),
    conduct("fist_guessed", "seat", "the seat that guesses", "east"),
    conduct("fist_guessed", "guess", "`left` or `right`", "up"),
    data("fist_guessed", "fist", "what the commitment hides", "up"),
    data("fist_guessed", "secret", "what the commitment hides", "other"),
    data("fist_guessed", "starter", "who begins then", "east"),
    data("move_played", "seat", "who is to move", "east"),
    data("move_played", "move", "a legal move", "Z9"),
    data("move_played", "digest", "of the position after it", "0" * 12),
    data("move_played", "given", "discs that were given, or absent", 5),
    data("turn_passed", "seat", "who has no move", "east"),
    conduct("hint_taken", "seat", "who is to move, where there are hints", "east"),
    conduct("ai_failed", "seat", "an AI's that is to move", "east"),
    conduct("ai_failed", "attempts", "any number from 1", 0, 77),
    conduct("draw_offered", "seat", "who may offer", "east"),
    conduct("draw_accepted", "seat", "who may answer", "east"),
    conduct("draw_declined", "seat", "who may answer", "east"),
    conduct("takeback_requested", "seat", "who may ask", "east"),
    conduct("takeback_requested", "to_version", "a version to go back to, as the "
            "answer shows", 10**6),
    conduct("takeback_accepted", "seat", "who may answer", "east"),
    data("takeback_accepted", "to_version", "the version asked for", 10**6),
    data("takeback_accepted", "digest", "of the position there", "0" * 12),
    conduct("takeback_declined", "seat", "who may answer", "east"),
    conduct("resigned", "seat", SEAT, "east"),
    conduct("aborted", "reason", "`no-show`, or absent", "boredom"),
    conduct("ended", "winner", "a seat, or null", "east"),
    conduct("ended", "reason", "how it ended", "boredom"),
    data("ended", "score", "that of the board", {"north": 1}),
    conduct("imported", "tenant", "any text but none", "", "ten_z"),
    conduct("imported", "head", "the hash of the event before", HASH),
    conduct("imported", "key", "the id of a key; which, is not known", "sig_1", KEY_ID),

    Member("head", "head.at", "a time at which the key signs, not before an event",
           form="today", time="2026-11-21T12:00:00.001Z"),
    Member("head", "head.events", "how many there are", form="1", chain=10**6),
    Member("head", "head.file", "the SHA-256 of all lines before it",
           form="00", signature=HASH),
    Member("head", "head.hash", "the hash of the last event", form="00", chain=HASH),
    Member("head", "head.key", "the id of the key", form="sig", signature=KEY_ID),
    Member("head", "head.kind", "`head`", form="log-head", offline="form"),
    Member("head", "head.match", "the same match", form="match", chain="mat_other"),
    Member("head", "signature", "128 hexadecimal digits",
           form="00", signature="0" * 128),
)
# fmt: on

HEADING = (
    "| line | member | what it is | form | chain | rules | time | signature |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- |"
)


def table() -> str:
    """Return the table as the README has it."""
    return "\n".join([HEADING, *(member.row for member in MEMBERS)])
