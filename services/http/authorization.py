"""What whoever asks may see, and may do."""

from collections.abc import Callable

from services.http.authentication import (
    MAY_ONLY_READ,
    Actor,
    App,
    Caller,
    Spectator,
    bearer_token,
    caller,
    is_newest,
)
from services.http.context import services
from services.http.origins import acts_for
from services.http.refusals import (
    Forbidden,
    InvalidBody,
    OfAnotherMatch,
    Unauthenticated,
)
from services.languages import Message, Seat
from services.match import Match
from services.match.refusals import NoSuchMatch, Refused
from services.tenants import GUEST_TENANT

SEAT_MISSING = [
    {
        "pointer": "/seat",
        "detail": Message("is needed with an API key: whose turn is it?"),
    }
]
NEEDS_APP = Message("this needs the API key of the app; a token is not enough")


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
    if bearer_token():
        return False
    try:
        return services().matches.load(match_id).tenant == GUEST_TENANT
    except Refused:
        return False  # who has no token is not told why


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
        raise OfAnotherMatch(who.claim.match_id)
    if isinstance(who, Spectator):
        if not services().spectators.is_current(who.claim):
            raise Unauthenticated(Message("this spectator token was revoked"))
        return
    if not is_newest(who.claim, match):
        raise Unauthenticated(Message("this seat token was replaced by a newer one"))


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
