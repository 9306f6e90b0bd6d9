"""The services of the app at hand, and who is asking."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from flask import current_app, request

from services.bootstrap import Services, now_ms
from services.http.limits import EXTENSION as EXTENSION
from services.http.limits import counted
from services.http.origins import acts_for
from services.http.refusals import Forbidden, InvalidBody, Unauthenticated
from services.invitations import PREFIX as INVITATION_PREFIX
from services.invitations import Invitation
from services.languages import Message, Seat
from services.limits import Policy
from services.limits.quotas import ANALYSES, REQUESTS
from services.match import Match
from services.match.refusals import NoSuchMatch, Refused
from services.match.seat_tokens import PREFIX as SEAT_TOKEN_PREFIX
from services.match.seat_tokens import SeatClaim
from services.spectators import PREFIX as SPECTATOR_PREFIX
from services.spectators import SpectatorClaim
from services.tenants import GUEST_TENANT

READING = ("GET", "HEAD", "OPTIONS")
SEAT_MISSING = [
    {
        "pointer": "/seat",
        "detail": Message("is needed with an API key: whose turn is it?"),
    }
]


NEEDS_APP = Message("this needs the API key of the app; a token is not enough")
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


def services() -> Services:
    """Return the services of the app that answers this request."""
    known: Services = current_app.extensions[EXTENSION]
    return known


def caller(*, writes: bool = True) -> Caller:
    """Return who asks. A POST that only computes says that it *writes* nothing.

    :raises Unauthenticated: no token, or not a valid one.
    """
    token = _bearer_token()
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
    token = _bearer_token()
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
    if 1000 * invitation.ends_s <= now_ms():
        raise Unauthenticated(Message("this invitation has expired; ask for another"))
    if invitation.match_id != match_id:
        raise _of_another_match(invitation.match_id)
    counted().count(services().policies.token, f"invitation {invitation.nonce}")
    return Invited(token, invitation)


def _bearer_token() -> str:
    """Return what a request is sent with, or nothing."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _spectator(token: str) -> Spectator:
    """Return who holds a token of spectators, which is for looking on."""
    claim = services().spectators.read(token)
    if claim is None:
        counted().count_guess()
        raise Unauthenticated(Message("this spectator token was not issued here"))
    if 1000 * claim.ends_s <= now_ms():
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
        raise _of_another_match(match_id)


def key_policy(tenant: str) -> Policy | None:
    """Return how often each key of a tenant may ask; None: as often as it likes."""
    policy = services().policies.key
    quota = services().quotas.rate(REQUESTS, tenant)
    return _given(policy, quota)


def analyses_policy(tenant: str) -> Policy | None:
    """Return how often a tenant may have positions computed; None: always."""
    quota = services().quotas.rate(ANALYSES, tenant)
    return _given(services().policies.analyses, quota)


def _given(policy: Policy | None, quota: int | None) -> Policy | None:
    if policy is None or quota is None:
        return policy
    return policy.of(quota) if quota else None


def actor(*, writes: bool = True) -> Actor:
    """Return who asks, and wants to do something; see `caller`.

    :raises Forbidden: a spectator may not.
    """
    who = caller(writes=writes)
    if isinstance(who, Spectator):
        raise Forbidden(
            Message("this is the token of a spectator, who may only look on")
        )
    return who


def app_caller(*, writes: bool = True) -> App:
    """Return the app that asks; see `caller`.

    :raises Forbidden: a seat token is not enough.
    """
    who = caller(writes=writes)
    if not isinstance(who, App):
        raise Forbidden(NEEDS_APP)
    return who


def deciding_caller(match_id: str, *, spectators: bool = False) -> tuple[Caller, Match]:
    """Return who may decide about a match, and the match.

    That is its app; about a match of guests whoever sits there, or even *spectators*.

    :raises Forbidden: a token is not enough.
    """
    who = caller()
    if isinstance(who, App):
        return who, visible_match(who, match_id)
    match = visible_match(who, match_id)
    may_look_on_only = isinstance(who, Spectator) and not spectators
    if match.tenant != GUEST_TENANT or may_look_on_only:
        raise Forbidden(NEEDS_APP)
    return who, match


def is_guest_match(match_id: str) -> bool:
    """Tell whether somebody without a token asks for a match of guests.

    Whoever knows its id may look on: it cannot be guessed, and its players share it.
    """
    if _bearer_token():
        return False
    try:
        return services().matches.load(match_id).tenant == GUEST_TENANT
    except Refused:
        return False  # who has no token is not told why


def playing_caller() -> App:
    """Return the app that asks, whose key may play: the answer lets somebody do so.

    :raises Forbidden: its key may only read.
    """
    who = app_caller()
    if who.role == "read":
        raise Forbidden(MAY_ONLY_READ)
    return who


def admin_caller() -> App:
    """Return the app that asks, which may decide about what belongs to its tenant.

    :raises Forbidden: its key may not.
    """
    who = app_caller(writes=False)
    if who.role != "admin":
        raise Forbidden(
            Message(
                "this needs an API key of role admin; the role of this one is {role}",
                role=who.role,
            )
        )
    return who


def check_may_see(who: Caller, match: Match) -> None:
    """Refuse whoever has nothing to do with a match.

    :raises NoSuchMatch: it belongs to another tenant, who must not learn of it.
    :raises Forbidden: the token is for another match.
    :raises Unauthenticated: the seat token was replaced by a newer one, or that of a
        spectator revoked.
    """
    if isinstance(who, App):
        if match.tenant != who.tenant:
            raise NoSuchMatch(match.id)
        return
    acts_for(match.tenant)
    if who.claim.match_id != match.id:
        raise _of_another_match(who.claim.match_id)
    if isinstance(who, Spectator):
        if not services().spectators.is_current(who.claim):
            raise Unauthenticated(Message("this spectator token was revoked"))
        return
    seated = match.seats.get(who.claim.seat)
    if seated is None or seated.generation != who.claim.generation:
        raise Unauthenticated(Message("this seat token was replaced by a newer one"))


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
    is_over = claim is None or 1000 * claim.ends_s <= now_ms()
    return claim is not None and not is_over and services.spectators.is_current(claim)


def _is_current(services: Services, token: str) -> bool:
    """Tell whether the token of a seat was not replaced by a newer one."""
    claim = services.seat_tokens.read(token)
    if claim is None:
        return False
    try:
        seated = services.matches.load(claim.match_id).seats.get(claim.seat)
    except Refused:  # it vanished, or cannot be read
        return False
    return seated is not None and seated.generation == claim.generation


def visible_match(who: Caller, match_id: str) -> Match:
    """Return a match as it is now.

    :raises NoSuchMatch, Forbidden, Unauthenticated: as `check_may_see` does.
    """
    match = services().matches.load(match_id)
    check_may_see(who, match)
    return match


def may_see(who: Caller) -> Callable[[Match], None]:
    """Return the check of `check_may_see` for a caller."""
    return lambda match: check_may_see(who, match)


def may_act(who: Actor, seat: str) -> Callable[[Match], None]:
    """Return the check that a caller may act for a seat of a match."""

    def check(match: Match) -> None:
        check_may_see(who, match)
        seated = match.seats.get(seat)
        if seated is not None and seated.kind == "ai":
            raise Forbidden(
                Message(
                    "{seat} is played by an AI; nobody else may act for it",
                    seat=Seat(seat),
                )
            )

    return check


def acting_seat(who: Actor, named: str | None) -> str:
    """Return the seat that a caller acts for: a seat token knows its own.

    :raises Forbidden: another seat is named than the token's.
    :raises InvalidBody: an app has to name the seat.
    """
    if isinstance(who, App):
        if named is None:
            raise InvalidBody(SEAT_MISSING)
        return named
    if named not in (None, who.claim.seat):
        raise Forbidden(
            Message(
                "this token acts for {own}, not for {seat}",
                own=Seat(who.claim.seat),
                seat=named,
            )
        )
    return who.claim.seat


def _of_another_match(match_id: str) -> Forbidden:
    return Forbidden(Message("this token is for match {match}", match=match_id))
