"""Who asks: by an API key, by the token of a seat or of a spectator, or by none."""

from dataclasses import dataclass
from typing import ClassVar

from flask import request

from services.bootstrap import Services, now_ms
from services.http.context import services
from services.http.limits import counted, key_policy
from services.http.origins import acts_for
from services.http.refusals import Forbidden, OfAnotherMatch, Unauthenticated
from services.invitations import PREFIX as INVITATION_PREFIX
from services.invitations import Invitation
from services.languages import Message
from services.match import Match
from services.match.refusals import Refused
from services.match.seat_tokens import PREFIX as SEAT_TOKEN_PREFIX
from services.match.seat_tokens import SeatClaim
from services.spectators import PREFIX as SPECTATOR_PREFIX
from services.spectators import SpectatorClaim
from services.tenants import GUEST_TENANT

READING = ("GET", "HEAD", "OPTIONS")
MAY_ONLY_READ = Message("this API key may only read; send one that may play")


@dataclass(frozen=True, slots=True)
class App:
    """An app with an API key: it may do what tenant and role of the key may."""

    tenant: str
    key_id: str
    role: str

    @property
    def author(self) -> str:
        """Return how events name it."""
        return services().seat_tokens.author_of(self.key_id)

    @property
    def scope(self) -> str:
        """Return what its idempotency keys belong to."""
        return self.key_id


@dataclass(frozen=True, slots=True)
class SeatHolder:
    """Whoever holds the token of a seat: may act for that seat alone."""

    claim: SeatClaim

    @property
    def author(self) -> str:
        """Return how events name it."""
        return "seat"

    @property
    def scope(self) -> str:
        """Return what its idempotency keys belong to."""
        return f"{self.claim.match_id}.{self.claim.seat}"


@dataclass(frozen=True, slots=True)
class Spectator:
    """Whoever holds a token of spectators: may read and follow one match."""

    claim: SpectatorClaim

    @property
    def scope(self) -> str:
        """Return what is counted: a token may be in many hands."""
        return f"spectator {self.claim.match_id} {counted().address}"


@dataclass(frozen=True, slots=True)
class Invited:
    """Whoever holds an invitation: may sit down by it."""

    token: str
    invitation: Invitation

    @property
    def scope(self) -> str:
        """Return what its idempotency keys belong to."""
        return f"invited {self.token}"


@dataclass(frozen=True, slots=True)
class Guest:
    """Whoever asks without a token."""

    tenant: ClassVar[str] = GUEST_TENANT
    author: ClassVar[str] = "guest"

    @property
    def scope(self) -> str:
        """Return what its idempotency keys belong to: nobody else may guess them."""
        return f"guest {counted().address}"


Actor = App | SeatHolder
Caller = Actor | Spectator


def caller(*, writes: bool = True) -> Caller:
    """Return who asks. A POST that only computes says that it *writes* nothing.

    :raises Unauthenticated: no token, or not a valid one.
    """
    token = bearer_token()
    if not token:
        raise Unauthenticated(
            Message("send your API key or seat token as 'Authorization: Bearer ...'")
        )
    if token.startswith(SPECTATOR_PREFIX):
        return _spectator(token)
    if token.startswith(INVITATION_PREFIX):
        raise Unauthenticated(
            Message("an invitation is for sitting down: accept it, and use the token")
        )
    if token.startswith(SEAT_TOKEN_PREFIX):
        claim, asked = services().seat_tokens.read(token), counted()
        if claim is None:
            asked.count_guess()
            raise Unauthenticated(Message("this seat token was not issued here"))
        _check_asked(claim.match_id)
        holder = SeatHolder(claim)
        asked.count(asked.policies.token, holder.scope)
        return holder
    key = services().tenants.find_key(token, counted().check_guesses)
    if key is None:
        services().event_log.recognize()
        counted().count_guess()
        raise Unauthenticated(Message("this API key is unknown, expired or revoked"))
    acts_for(key.tenant)
    counted().count(key_policy(key.tenant), key.id)
    if writes and request.method not in READING and not key.may("play"):
        raise Forbidden(MAY_ONLY_READ)
    return App(key.tenant, key.id, key.role)


def invited_caller(match_id: str) -> Invited:
    """Return who was invited to a match.

    :raises Unauthenticated: there is no invitation, or it is not valid any more.
    :raises Forbidden: it is for another match, or something else than an invitation.
    """
    token = bearer_token()
    if not token:
        raise Unauthenticated(
            Message("send the invitation as 'Authorization: Bearer in_...'")
        )
    if not token.startswith(INVITATION_PREFIX):
        caller()
        raise Forbidden(
            Message("this is for whoever was invited; send the invitation, in_...")
        )
    invitation = services().invitations.read(token)
    if invitation is None:
        counted().count_guess()
        raise Unauthenticated(Message("this invitation was not issued here"))
    if _is_over(invitation.ends_s):
        raise Unauthenticated(Message("this invitation has expired; ask for another"))
    if invitation.match_id != match_id:
        raise OfAnotherMatch(invitation.match_id)
    counted().count(services().policies.token, f"invitation {invitation.nonce}")
    return Invited(token, invitation)


def bearer_token() -> str:
    """Return what a request is sent with, or nothing."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _spectator(token: str) -> Spectator:
    """Return who holds a token of spectators, which is for looking on."""
    claim = services().spectators.read(token)
    if claim is None:
        counted().count_guess()
        raise Unauthenticated(Message("this spectator token was not issued here"))
    if _is_over(claim.ends_s):
        raise Unauthenticated(
            Message("this spectator token has expired; ask for another")
        )
    _check_asked(claim.match_id)
    who = Spectator(claim)
    counted().count(services().policies.token, who.scope)
    return who


def _check_asked(match_id: str) -> None:
    """Refuse a token of one match for another, whether there is that or not."""
    asked = (request.view_args or {}).get("match_id", match_id)
    if asked != match_id:
        raise OfAnotherMatch(match_id)


def is_valid(services: Services, token: str) -> bool:
    """Tell whether an API key, or a token, that was valid still is.

    :raises LogGone: the log that would tell is not there.
    """
    if _is_known(services, token):
        return True
    services.event_log.recognize()
    return False


def _is_known(services: Services, token: str) -> bool:
    if token.startswith(SEAT_TOKEN_PREFIX):
        return _is_current(services, token)
    if not token.startswith(SPECTATOR_PREFIX):
        return services.tenants.find_key(token) is not None
    claim = services.spectators.read(token)
    if claim is None or _is_over(claim.ends_s):
        return False
    return services.spectators.is_current(claim)


def _is_current(services: Services, token: str) -> bool:
    """Tell whether the token of a seat was not replaced by a newer one."""
    claim = services.seat_tokens.read(token)
    if claim is None:
        return False
    try:
        match = services.matches.load(claim.match_id)
    except Refused:  # it vanished, or cannot be read
        return False
    return is_newest(claim, match)


def is_newest(claim: SeatClaim, match: Match) -> bool:
    """Tell whether no newer token was issued for a seat of the match."""
    seated = match.seats.get(claim.seat)
    return seated is not None and seated.generation == claim.generation


def _is_over(ends_s: int) -> bool:
    return 1000 * ends_s <= now_ms()
