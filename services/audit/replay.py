"""Plays a recorded match anew: every event must be what the rules decide now.

Plain moves, which are nearly all events, are compared on the way; everything else, and
every move that is not plain, goes through `decide` like the command it came from.
"""

import re
from collections.abc import Sequence

from rules_core import RulesError
from services.audit.acts import (
    APP,
    NotPossible,
    check_author,
    read_command,
    read_fact,
    read_opening,
)
from services.audit.findings import Finding, at_event
from services.eventlog.event import NewEvent, StoredEvent, canonical_text
from services.match import (
    DigestMismatch,
    Match,
    MatchEvent,
    UnknownEvent,
    author_of,
    decide,
    evolve,
    to_log,
)
from services.match import events as facts
from services.match.commands import Command
from services.match.events import UPCASTS
from services.match.plain_moves import NO_MOVE, PlainMove, plain_move
from services.match.refusals import Refused
from services.match.replay import advance

RULES = "rules"
SIGNING_KEY = re.compile(r"sig_[0-9a-f]{16}")

REFUSALS = (
    NotPossible,
    UnknownEvent,
    DigestMismatch,
    Refused,
    RulesError,
    # What a forger may have put into members of which the rules expect better.
    LookupError,
    TypeError,
    ValueError,
    AssertionError,
)


class Replay:
    """A match that is played anew from its events, from the first one on."""

    def __init__(
        self,
        match_id: str,
        events: Sequence[StoredEvent],
        plain: Sequence[PlainMove] | None = None,
    ) -> None:
        """Take the events in order; `run` plays them.

        *plain* are those that may be plain moves, where that is known already.
        """
        self.match = Match(match_id)
        self._events = events
        self._plain = (
            [plain_move(event) for event in events] if plain is None else plain
        )

    def run(self, hashes: Sequence[str]) -> Finding | None:
        """Play the events as far as they can have happened; say why no further.

        *hashes* are those of the chain, one after each event.
        """
        at = 0
        while at < len(self._events):
            after = self._play_plain_moves(at)
            if after == at:
                try:
                    end = self._play_act(at, hashes)
                except REFUSALS as refusal:
                    return at_event(at + 1, RULES, _said(refusal))
                if isinstance(end, Finding):
                    return end
                after = end
            at = after
        return None

    def _play_plain_moves(self, at: int) -> int:
        """Play the moves that cause nothing else; return the index after them."""
        if self._plain[at] is NO_MOVE:
            return at
        authors = {
            seat: f"ai:{who.level}" if who and who.kind == "ai" else "seat"
            for seat, who in self.match.seats.items()
        }

        def may(by: str, seat: str) -> bool:
            """Tell so; an app may move for whoever sits there."""
            author = authors.get(seat)
            return by == author or (author == "seat" and APP.fullmatch(by) is not None)

        self.match, count = advance(self.match, self._plain, self._events, at, may)
        return at + count

    def _play_act(self, at: int, hashes: Sequence[str]) -> int | Finding:
        """Decide anew what the act was that begins here; return the index after it."""
        match, first = self.match, self._events[at]
        following = self._events[at + 1 : at + 3]
        fact = read_fact(first)
        by = first.by
        command: Command
        if isinstance(fact, facts.Imported):
            self._check_import(fact, first, hashes[at - 1] if at else "")
            self.match = evolve(match, fact, first.at_ms)
            return at + 1
        if isinstance(fact, facts.MatchOpened) != (at == 0):
            raise NotPossible("a match begins with match.opened, once")
        if isinstance(fact, facts.AiFailed) and not following:
            return at_event(at + 2, RULES, "is missing: a move in place of the AI's")
        if isinstance(fact, facts.MatchOpened):
            command = read_opening(fact, first, following)
        else:
            command = read_command(fact, by, following)
        if isinstance(fact, facts.AiFailed):  # the server says so, the AI moves
            by = following[0].by
        check_author(match, command, by)
        for event in decide(match, command, first.at_ms):
            wrong = self._compare(at, event, first, by)
            if wrong is not None:
                return wrong
            self.match = evolve(self.match, event, first.at_ms)
            at += 1
        return at

    def _compare(
        self, at: int, event: MatchEvent, first: StoredEvent, by: str
    ) -> Finding | None:
        """Return how the event at an index is not the one that was due there."""
        due = to_log(event, author_of(self.match, event, by))
        if at >= len(self._events):
            reason = f"is missing: the rules make {due.type} of event {first.version}"
            return at_event(at + 1, RULES, reason)
        recorded = self._events[at]
        difference = _difference(recorded, due)
        if recorded.type in UPCASTS and read_fact(recorded) == event:
            difference = None  # it says the same in the words of its day
        if difference is None and recorded.at_ms != first.at_ms:
            difference = f"its time is not that of event {first.version}, its cause"
        return at_event(at + 1, RULES, difference) if difference else None

    def _check_import(
        self, fact: facts.Imported, event: StoredEvent, head: str
    ) -> None:
        if not head or fact.head != head:
            raise NotPossible("it was imported with another head than the hash before")
        if not fact.tenant or not SIGNING_KEY.fullmatch(fact.key):
            raise NotPossible("an import names the tenant and the key of the head")
        if not APP.fullmatch(event.by):
            raise NotPossible(f"{event.by!r} cannot import a match; an app can")


def _difference(recorded: StoredEvent, due: NewEvent) -> str | None:
    """Say how a recorded event differs from the one that is due."""
    if recorded.type != due.type:
        return f"is {recorded.type}, but the rules give {due.type}"
    if recorded.data_text != canonical_text(due.data):
        said, right = recorded.data, due.data
        return "; ".join(
            f"{name} is {canonical_text(said.get(name))}, "
            f"but the rules give {canonical_text(right.get(name))}"
            for name in sorted(set(said) | set(right))
            if name not in said or name not in right or said[name] != right[name]
        )
    if recorded.by != due.by:
        return f"its author is {recorded.by!r}, but should be {due.by!r}"
    return None


def _said(refusal: Exception) -> str:
    if isinstance(refusal, KeyError):
        return f"it cannot be played: there is no {refusal}"
    return str(refusal) or repr(refusal)
