"""Spectators: tokens that let somebody read and follow one match, and do nothing."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.schemas import IssueSpectatorTokenSchema
from services.bootstrap import now_ms
from services.http.authorization import (
    app_caller,
    deciding_caller,
    is_guest_match,
    visible_match,
)
from services.http.context import services
from services.http.representation import time_json
from services.http.request import read_body, read_idempotency_key
from services.http.responses import json_response

bp = Blueprint("spectators", __name__)

ISSUE = IssueSpectatorTokenSchema()


@bp.post("/matches/<match_id>/spectator-tokens")
def issue_spectator_token(match_id: str) -> ResponseReturnValue:
    """Issue a token with which one match can be read and followed for a time.

    Without a token it is issued for matches of guests, and nothing of that is kept.
    """
    key = None
    if not is_guest_match(match_id):
        who, _ = deciding_caller(match_id)
        key = read_idempotency_key(who)
    body = read_body(ISSUE, optional=True)
    ends_s = now_ms() // 1000 + body["expires_in_s"]
    issued = services().spectators.issue(match_id, ends_s, key)
    shown = {
        "match": match_id,
        "token": issued.token,
        "expires_at": time_json(1000 * issued.claim.ends_s),
    }
    return json_response(shown, 200 if issued.replayed else 201)


@bp.delete("/matches/<match_id>/spectator-tokens")
def revoke_spectator_tokens(match_id: str) -> ResponseReturnValue:
    """Revoke all tokens of spectators of a match; within 5 s nobody follows by one."""
    match = visible_match(app_caller(), match_id)
    services().spectators.revoke(match.id)
    return "", 204
