"""Invitations: the app invites to a seat, and whoever holds the token takes it."""

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from services.api.schemas import AcceptInvitationSchema, InvitationSchema
from services.bootstrap import now_ms
from services.http.credentials import app_caller, caller, services, visible_match
from services.http.limits import counted
from services.http.refusals import Forbidden, InvalidBody, Unauthenticated
from services.http.representation import (
    json_response,
    match_json,
    time_json,
    version_headers,
)
from services.http.request import read_body, read_idempotency_key
from services.invitations import PREFIX, Invitation
from services.languages import Message
from services.match import Match, Player, TakeSeat
from services.match.commands import INVITED
from services.match.refusals import NoSuchSeat, SeatTaken

bp = Blueprint("invitations", __name__)

INVITE = InvitationSchema()
ACCEPT = AcceptInvitationSchema()
NAMED_ALREADY = Message("the app knows by which name; leave it out")


@bp.post("/matches/<match_id>/invitations")
def invite(match_id: str) -> ResponseReturnValue:
    """Invite somebody to a seat of a match, or to any that is free."""
    who = app_caller()
    body = read_body(INVITE, optional=True)
    key = read_idempotency_key(who)
    match = visible_match(who, match_id)
    if key and (earlier := services().invitations.find_issued(key)):
        return _issued(*earlier, 200)  # also when somebody sits there by now
    seat = body.get("seat", "")
    if seat and seat not in match.seats:
        raise NoSuchSeat(seat, match.seats)
    if not match.free_seats or (seat and seat not in match.free_seats):
        raise SeatTaken(seat or None, match.free_seats)
    player = ""
    if "player" in body:
        player = services().players.identify(who.tenant, body["player"])
    ends_s = now_ms() // 1000 + body["expires_in_s"]
    token, invitation, replayed = services().invitations.issue(
        Invitation(match.id, seat, player, ends_s), key
    )
    return _issued(token, invitation, 200 if replayed else 201)


@bp.post("/matches/<match_id>/invitations/acceptance")
def accept_invitation(match_id: str) -> ResponseReturnValue:
    """Sit down where one was invited; asked again, the same seat is told."""
    token, invitation = _invited(match_id)
    body = read_body(ACCEPT, optional=True)
    if "name" in body and invitation.player:
        raise InvalidBody([{"pointer": "/name", "detail": NAMED_ALREADY}])
    match = services().matches.load(match_id)
    reference = invitation.player or services().invitations.guest(token)
    seat, is_new = _seat_of(match, reference, invitation.seat), False
    if seat is None:
        match, is_new = _sit(match, reference, invitation.seat, body.get("name", ""))
        seat = str(_seat_of(match, reference, invitation.seat))
    elif _is_renewed(match, seat):  # or nobody could ever take this seat back
        raise SeatTaken(seat, match.free_seats)
    shown = {
        "seat": seat,
        "match": match_json(match),
        "seat_token": services().opening.seat_tokens(match)[seat],
    }
    return json_response(shown, 201 if is_new else 200, version_headers(match))


def _issued(token: str, invitation: Invitation, status: int) -> ResponseReturnValue:
    shown = {
        "match": invitation.match_id,
        "seat": invitation.seat or None,
        "token": token,
        "expires_at": time_json(1000 * invitation.ends_s),
    }
    return json_response(shown, status)


def _sit(match: Match, reference: str, seat: str, name: str) -> tuple[Match, bool]:
    """Let a player sit down at a seat, or any; tell whether this call did so.

    A name is kept when nothing speaks against it: who is refused leaves none.

    :raises SeatTaken: somebody else sits there.
    """

    def check(match: Match) -> None:
        if sits_at := _seat_of(match, reference, seat):
            raise SeatTaken(sits_at, match.free_seats)

    matches = services().matches
    who = Player(kind="human", player=reference)
    command = TakeSeat(who=who, seat=seat or None)
    try:
        if name:
            matches.check(match.id, command, allow=check)
            services().players.register(reference, match.tenant, name)
        handled = matches.handle(match.id, command, by=INVITED, allow=check)
    except SeatTaken:
        match = matches.load(match.id)
        if _seat_of(match, reference, seat) is None:
            raise
        return match, False  # by the same token, at the same moment
    return handled.match, True


def _invited(match_id: str) -> tuple[str, Invitation]:
    """Return the invitation of a request.

    :raises Unauthenticated: there is none, or it is not valid any more.
    :raises Forbidden: it is for another match.
    """
    _, _, token = request.headers.get("Authorization", "").partition(" ")
    token = token.strip()
    if not token.startswith(PREFIX):
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
        raise Forbidden(
            Message("this token is for match {match}", match=invitation.match_id)
        )
    counted().count(services().policies.token, f"invitation {match_id}")
    return token, invitation


def _seat_of(match: Match, reference: str, wanted: str) -> str | None:
    """Return where a player sits in a match: at the wanted seat, or "" at any."""
    for seat, who in match.seats.items():
        if who is not None and who.player == reference and wanted in ("", seat):
            return seat
    return None


def _is_renewed(match: Match, seat: str) -> bool:
    """Tell whether the token of a seat was replaced since somebody sat down."""
    who = match.seats[seat]
    return who is not None and who.generation > 1
