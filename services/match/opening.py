"""Opening a match and seating its players: what is drawn, derived, hidden and named.

Everything that chance decides follows from the secret and the match, so that a repeated
request comes to the same.
"""

import secrets
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

from services.eventlog import IdempotencyKey
from services.match.commands import OpenMatch, Player, TakeSeat
from services.match.decide import FISTS, fist_commitment
from services.match.match import Match
from services.match.refusals import AlreadyOpen, MatchGoesOn, NoSuchMatch, SeatTaken
from services.match.seat_tokens import SeatTokens
from services.match.service import STREAM_PREFIX, Handled, MatchService


class KnownPlayers(Protocol):
    """Keeps beside the log what is known of players."""

    def register(self, reference: str, tenant: str, name: str) -> None:
        """Keep the name behind a reference."""

    def identify(self, tenant: str, own_id: str) -> str:
        """Return the reference of somebody whom an app knows by an id of its own."""


Place = Callable[[str, str, Callable[[], bool]], AbstractContextManager[None]]
"""Keeps a place for a match that is opened: tenant, match, and whether it is there."""


@dataclass(frozen=True, slots=True)
class Opening:
    """Opens matches, and says who sits down at them.

    ``admit`` may refuse a match with an AI that is not there yet.
    """

    matches: MatchService
    tokens: SeatTokens
    players: KnownPlayers
    place: Place = lambda *_: nullcontext()
    admit: Callable[[], None] = lambda: None

    def open_match(
        self,
        wanted: OpenMatch,
        seats: Mapping[str, Mapping[str, Any]],
        *,
        by: str,
        key: IdempotencyKey | None,
    ) -> Handled:
        """Open a match as *wanted*, with players in *seats* as requests name them.

        With a key the id follows from tenant and key: the same request finds its match.
        A request that is refused leaves nothing of its players behind.
        """
        match_id = self.match_id(wanted.tenant, key)
        with self._placed(match_id, wanted, seats.values()):
            players = {seat: _stranger(seat, given) for seat, given in seats.items()}
            command = self._drawn(match_id, replace(wanted, seats=players))
            named = any(map(_is_named, seats.values()))
            if not (named and self.matches.check(match_id, command, key=key)):
                players = {
                    seat: self.player(match_id, wanted.tenant, seat, given)
                    for seat, given in seats.items()
                }
                command = replace(command, seats=players)
            return self.matches.handle(match_id, command, by=by, key=key)

    def open_agreed(
        self, match_id: str, wanted: OpenMatch, *, by: str
    ) -> tuple[Match, bool]:
        """Open a match whose id follows from what was agreed on, or find it open.

        Whoever comes to the same id wants the same: the first one opens it. Return it,
        and whether this call has opened it.
        """
        try:
            who = ({"kind": player.kind} for player in wanted.seats.values())
            with self._placed(match_id, wanted, who):
                command = self._drawn(match_id, wanted)
                return self.matches.handle(match_id, command, by=by).match, True
        except AlreadyOpen:
            return self.matches.load(match_id), False

    def take_seat(
        self,
        match: Match,
        given: Mapping[str, Any],
        *,
        by: str,
        allow: Callable[[Match], None],
        key: IdempotencyKey | None,
    ) -> Handled:
        """Let a player sit down as a request names them, at a seat or any that is free.

        A request that is refused leaves nothing of the player behind.
        """
        if given["kind"] == "ai":
            self._admit(partial(self.matches.was_done, match.id, key))
        seat = given.get("seat")
        # A name for the reference: the seat asked for, or the request itself.
        wish = seat or (key.key if key else f"version {match.version}")
        command = TakeSeat(who=_stranger(wish, given), seat=seat)
        named = _is_named(given)
        if not (named and self.matches.check(match.id, command, allow=allow, key=key)):
            who = self.player(match.id, match.tenant, wish, given)
            command = replace(command, who=who)
        return self.matches.handle(match.id, command, by=by, allow=allow, key=key)

    def rematch(self, match: Match, *, by: str, seat: str = "") -> tuple[Match, bool]:
        """Open the rematch of a match that is over, seats changed, or sit down at it.

        An app seats all who played; whoever holds a *seat* sits down alone, beside AIs,
        and waits for the other to do the same. A match has one rematch, whoever asks
        for it how often. Return it, and whether this call has opened it.

        :raises MatchGoesOn: it is not over.
        :raises SeatTaken: somebody else has sat down there meanwhile.
        """
        if not match.is_over:
            raise MatchGoesOn(match.id)
        rematch_id = self.rematch_id(match.id)
        seats = {
            match.other(old): Player(
                kind=who.kind, player=who.player, level=who.level, ladder=who.ladder
            )
            for old, who in match.seats.items()
            if who is not None and (seat in ("", old) or who.kind == "ai")
        }
        wanted = OpenMatch(
            game=match.game,
            tenant=match.tenant,
            options=match.options,
            starter=None if match.base else match.starter_by or match.starter,
            snapshot=match.base or None,
            rules=match.rules if match.base else None,
            clock=None if match.clock is None else match.clock.control,
            rated=match.rated,
            hints=match.hints,
            rematch_of=match.id,
            seats=seats,
        )
        rematch, is_new = self.open_agreed(rematch_id, wanted, by=by)
        for free in rematch.free_seats:
            if free in seats:
                rematch = self._sit(rematch, free, seats[free], by)
        if seat:
            mine = match.other(seat)
            sits = rematch.seats[mine]
            if sits is None or sits.player != seats[mine].player:
                raise SeatTaken(mine, rematch.free_seats)
        return rematch, is_new

    def rematch_id(self, match_id: str) -> str:
        """Return the id of the rematch of a match, which there may be or not."""
        return match_id_of(self.tokens.derive("rematch", match_id, 22))

    def _sit(self, match: Match, seat: str, who: Player, by: str) -> Match:
        try:
            command = TakeSeat(who=who, seat=seat)
            return self.matches.handle(match.id, command, by=by).match
        except SeatTaken:  # by the same request, at the same moment
            return self.matches.load(match.id)

    def match_id(self, tenant: str, key: IdempotencyKey | None) -> str:
        """Return the id of a match to open; with a key always the same."""
        if key is None:
            return match_id_of(secrets.token_urlsafe(16))
        return match_id_of(self.tokens.derive("match", f"{tenant} {key.key}", 22))

    def _drawn(self, match_id: str, wanted: OpenMatch) -> OpenMatch:
        return replace(
            wanted,
            drawn=ord(self.tokens.derive("starter", match_id, 1)) % 2,
            commitment=fist_commitment(*self.hidden_fist(match_id)),
        )

    def _placed(
        self, match_id: str, wanted: OpenMatch, seats: Iterable[Mapping[str, Any]]
    ) -> AbstractContextManager[None]:
        is_there = partial(self.is_there, match_id)
        if any(who["kind"] == "ai" for who in seats):
            self._admit(is_there)
        return self.place(wanted.tenant, match_id, is_there)

    def _admit(self, was_done: Callable[[], bool]) -> None:
        """Let an AI sit down, or the same request be answered again."""
        try:
            self.admit()
        except Exception:
            if not was_done():
                raise

    def is_there(self, match_id: str) -> bool:
        """Tell whether a match was opened before: a request may be repeated."""
        try:
            self.matches.head(match_id)
        except NoSuchMatch:
            return False
        return True

    def player(
        self, match_id: str, tenant: str, seat: str, given: Mapping[str, Any]
    ) -> Player:
        """Return who is to sit; names and own ids are kept beside the log, not in it.

        A human without an id is somebody else in each match.
        """
        if given["kind"] == "ai":
            return Player(kind="ai", level=given["level"])
        if "player" in given:
            reference = self.players.identify(tenant, given["player"])
        else:
            text = f"{match_id} {seat} {given.get('name', '')}"
            reference = f"ply_{self.tokens.derive('player', text, 16)}"
        if "name" in given:
            self.players.register(reference, tenant, given["name"])
        return Player(kind="human", player=reference)

    def hidden_fist(self, match_id: str) -> tuple[str, str]:
        """Return the fist of a match and its secret (G2); only its server can."""
        fist = FISTS[ord(self.tokens.derive("fist", match_id, 1)) % 2]
        return fist, self.tokens.derive("fist secret", match_id, 32)

    def can_open_fist(self, match: Match) -> bool:
        """Tell whether a fist that waits to be guessed, if there is one, is ours."""
        committed = fist_commitment(*self.hidden_fist(match.id))
        return match.guesser is None or match.commitment == committed

    def seat_tokens(self, match: Match) -> dict[str, str]:
        """Return the tokens of the humans of a match, by seat."""
        return {
            seat: self.tokens.issue(match.id, seat, who.generation)
            for seat, who in match.seats.items()
            if who is not None and who.kind == "human"
        }


def match_id_of(name: str) -> str:
    """Return the id of a match for a name that was drawn or derived, in base64."""
    return STREAM_PREFIX + name.replace("-", "x").replace("_", "y")


def _is_named(given: Mapping[str, Any]) -> bool:
    """Tell whether something is kept beside the log of whom a request names."""
    return "player" in given or "name" in given


def _stranger(seat: str, given: Mapping[str, Any]) -> Player:
    """Return somebody like whom a request names, of whom nothing is kept."""
    if given["kind"] == "ai":
        return Player(kind="ai", level=given["level"])
    return Player(kind="human", player=f"ply_{seat}")
