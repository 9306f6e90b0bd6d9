"""Invitations: the app invites to a seat, and whoever holds the token takes it."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.schemas import AcceptInvitationSchema, InvitationSchema
from services.bootstrap import now_ms
from services.http.authentication import App, invited_caller
from services.http.authorization import deciding_caller
from services.http.context import services
from services.http.refusals import InvalidBody
from services.http.representation import match_json, time_json
from services.http.request import read_body, read_idempotency_key
from services.http.responses import json_response, version_headers
from services.invitations import Invitation
from services.languages import Message
from services.match import Match, Player, TakeSeat
from services.match.commands import INVITED
from services.match.refusals import MatchOver, NoSuchSeat, SeatTaken

bp = Blueprint("invitations", __name__)

INVITE = InvitationSchema()
ACCEPT = AcceptInvitationSchema()
NAMED_ALREADY = Message("the app knows by which name; leave it out")
NO_IDS = Message("guests have no ids; leave it out")


@bp.post("/matches/<match_id>/invitations")
def invite(match_id: str) -> ResponseReturnValue:
    """Invite somebody to a seat of a match, or to any that is free."""
    who, match = deciding_caller(match_id)
    body = read_body(INVITE, optional=True)
    key = read_idempotency_key(who)
    if key and (earlier := services().invitations.find_issued(key)):
        return _issued(*earlier, 200)  # also when somebody sits there by now
    if match.is_over:
        raise MatchOver(match.outcome.reason if match.outcome else "aborted")
    seat = body.get("seat", "")
    if seat and seat not in match.seats:
        raise NoSuchSeat(seat, match.seats)
    if not match.free_seats or (seat and seat not in match.free_seats):
        raise SeatTaken(seat or None, match.free_seats)
    player = ""
    if "player" in body:
        if not isinstance(who, App):
            raise InvalidBody([{"pointer": "/player", "detail": NO_IDS}])
        player = services().players.identify(who.tenant, body["player"])
    ends_s = now_ms() // 1000 + body["expires_in_s"]
    token, invitation, replayed = services().invitations.issue(
        Invitation(match.id, seat, player, ends_s), key
    )
    return _issued(token, invitation, 200 if replayed else 201)


@bp.post("/matches/<match_id>/invitations/acceptance")
def accept_invitation(match_id: str) -> ResponseReturnValue:
    """Sit down where one was invited, once; a repeated request is told again."""
    invited = invited_caller(match_id)
    invitation = invited.invitation
    body = read_body(ACCEPT, optional=True)
    key = read_idempotency_key(invited)
    if "name" in body and invitation.player:
        raise InvalidBody([{"pointer": "/name", "detail": NAMED_ALREADY}])
    reference = invitation.player or services().invitations.guest(invited.token)

    def check(match: Match) -> None:
        """Refuse whoever has accepted before: who else has the token is not told."""
        for seat, who in match.seats.items():
            if who is not None and who.player == reference:
                raise SeatTaken(seat, match.free_seats)

    who = Player(kind="human", player=reference)
    command = TakeSeat(who=who, seat=invitation.seat or None)
    matches = services().matches
    if "name" in body and not matches.check(match_id, command, allow=check, key=key):
        tenant = matches.load(match_id).tenant
        services().players.register(reference, tenant, body["name"])
    handled = matches.handle(match_id, command, by=INVITED, allow=check, key=key)
    match, seat = handled.match, handled.events[0].data["seat"]
    shown = {
        "seat": seat,
        "match": match_json(match),
        "seat_token": services().opening.seat_tokens(match)[seat],
    }
    status = 200 if handled.replayed else 201
    return json_response(shown, status, version_headers(match))


def _issued(token: str, invitation: Invitation, status: int) -> ResponseReturnValue:
    shown = {
        "match": invitation.match_id,
        "seat": invitation.seat or None,
        "token": token,
        "expires_at": time_json(1000 * invitation.ends_s),
    }
    return json_response(shown, status)
