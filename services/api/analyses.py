"""Analyses: asked for here, thought about elsewhere, and read when there is something.

The same question of a tenant is thought about once: it is answered by the analysis that
there is, for as long as that is kept.
"""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint
from flask.typing import ResponseReturnValue

from rules_core import Position, play_all
from services.analysis import (
    HINT,
    MATCH,
    POSITION,
    Analysis,
    AnalysisOver,
    Question,
)
from services.analysis.question import DEFAULT_MS, affordable_ms
from services.analysis.showing import found_json
from services.api.positions import first_position
from services.api.schemas import AnalyseMatchSchema, AnalysePositionSchema, HintSchema
from services.api.streams import analysis_stream_url, refuse_streams
from services.eventlog import IdempotencyKey
from services.http.analyses import visible_analysis, whole_analysis_json
from services.http.authentication import Actor, App, Caller, caller
from services.http.authorization import (
    acting_seat,
    actor,
    app_caller,
    may_act,
    visible_match,
)
from services.http.context import services
from services.http.limits import analyses_policy, counted
from services.http.refusals import Forbidden, InvalidBody
from services.http.request import (
    MAX_VERSION,
    read_body,
    read_idempotency_key,
    read_number,
    read_query,
)
from services.http.responses import json_response, list_json
from services.languages import Message, number_within
from services.limits.quotas import OPEN_ANALYSES
from services.match import Match, TakeHint
from services.match.decide import position_of
from services.match.refusals import HintKnown, HintsForbidden
from services.tenants import GUEST_TENANT

bp = Blueprint("analyses", __name__)

ANALYSE_POSITION = AnalysePositionSchema()
ANALYSE_MATCH = AnalyseMatchSchema()
TAKE_HINT = HintSchema()
EVENTS_QUERY = {
    "after": Message("a version; what was found after it is told"),
    "limit": number_within(1, 1000),
}


@bp.post("/positions/analyses")
def analyse_position() -> ResponseReturnValue:
    """Ask what the moves in a position are worth."""
    who = app_caller()
    body = read_body(ANALYSE_POSITION)
    key = read_idempotency_key(who)
    if earlier := services().analyses.find(key):
        return _answer(earlier)
    _count(who, who.tenant)
    position = play_all(first_position(body), body["moves"])
    return _ask(who, who.tenant, _question(POSITION, position, body), key)


@bp.post("/matches/<match_id>/analyses")
def analyse_match(match_id: str) -> ResponseReturnValue:
    """Ask what each move of a match was worth."""
    who = caller()
    body = read_body(ANALYSE_MATCH, optional=True)
    key = read_idempotency_key(who)
    match = visible_match(who, match_id)
    if earlier := services().analyses.find(key):
        return _answer(earlier)
    if not (isinstance(who, App) or match.is_over or match.hints):
        raise HintsForbidden
    position_of(match)
    _count(who, match.tenant)
    asked = Question(
        kind=MATCH,
        game=match.game,
        rules=match.rules,
        options=dict(match.options),
        match=match.id,
        version=match.version,
        time_ms=_time_of_each(match, body),
        nodes=body.get("nodes", 0),
    )
    return _ask(who, match.tenant, asked, key)


@bp.post("/matches/<match_id>/hints")
def take_hint(match_id: str) -> ResponseReturnValue:
    """Ask for a seat what it should play; that it did is recorded first."""
    who = actor()
    body = read_body(TAKE_HINT, optional=True)
    key = read_idempotency_key(who)
    seat = acting_seat(who, body.get("seat"))
    match = visible_match(who, match_id)
    if earlier := services().analyses.find(key):
        return _answer(earlier)
    _count(who, match.tenant)
    if match.to_move == seat:  # what there is no room for is not recorded
        _check_room(who, match.tenant, _hint(match, seat, body))
    match = _hinted(who, match_id, seat, key)
    return _ask(who, match.tenant, _hint(match, seat, body), key)


@bp.get("/analyses/<analysis_id>")
def read_analysis(analysis_id: str) -> ResponseReturnValue:
    """Show an analysis, with all that was found so far."""
    who = caller()
    refuse_streams(analysis_stream_url(analysis_id))
    read_query({})
    return _answer(visible_analysis(who, analysis_id), 200)


@bp.get("/analyses/<analysis_id>/events")
def list_found_events(analysis_id: str) -> ResponseReturnValue:
    """List what was found after a version of an analysis, as its stream tells it."""
    who = caller()
    refuse_streams(analysis_stream_url(analysis_id))
    query = read_query(EVENTS_QUERY)
    after = read_number(query, "after", 0, 0, MAX_VERSION)
    limit = read_number(query, "limit", 200, 1, 1000)
    analysis = visible_analysis(who, analysis_id)
    last = min(after + limit, analysis.version)
    found = []
    if after < last:
        found = services().analyses.events(analysis_id, after, last - after)
    more = str(last) if last < analysis.version else None
    return json_response(list_json(map(found_json, found), more))


@bp.delete("/analyses/<analysis_id>")
def cancel_analysis(analysis_id: str) -> ResponseReturnValue:
    """Let nobody think about it any more; what was found stays."""
    who = caller()
    analysis = visible_analysis(who, analysis_id)
    if not isinstance(who, App) and analysis.asker != who.scope:
        raise Forbidden(Message("somebody else asked for this analysis"))
    services().analyses.cancel(analysis)
    return "", 204


def _hinted(who: Actor, match_id: str, seat: str, key: IdempotencyKey | None) -> Match:
    """Record that a seat takes a hint; return the match with the position it is for."""
    matches, command = services().matches, TakeHint(seat=seat)
    allow = may_act(who, seat)
    try:
        return matches.handle(
            match_id, command, by=who.author, allow=allow, key=key
        ).match
    except HintKnown as known:
        return matches.load_at(match_id, known.version)


def _hint(match: Match, seat: str, body: Mapping[str, Any]) -> Question:
    """Return what a seat asks that is to move."""
    assert match.position is not None, "somebody is to move"  # noqa: S101
    about = {"match": match.id, "version": match.position_version, "seat": seat}
    return _question(HINT, match.position, body).but(**about)


def _question(kind: str, position: Position, body: Mapping[str, Any]) -> Question:
    """Return what is asked about a position.

    :raises AnalysisOver: nobody is to move there.
    """
    if position.to_move is None:
        raise AnalysisOver
    return Question(
        kind=kind,
        game=position.game.key,
        rules=position.game.rules,
        options=position.game.options_on_record(position.options),
        snapshot=position.snapshot,
        lines=body["lines"],
        time_ms=body["time_ms"],
        nodes=body.get("nodes", 0),
    )


def _time_of_each(match: Match, body: Mapping[str, Any]) -> int:
    """Return for how long each position of a match is thought about.

    :raises InvalidBody: all together would take too long.
    """
    most_ms = affordable_ms(match.ply + 1)
    time_ms: int = body.get("time_ms", min(DEFAULT_MS[MATCH], most_ms))
    if time_ms > most_ms:
        wanted = Message(
            "should be {wanted}: the match has {plies} moves",
            wanted=number_within(1, most_ms),
            plies=match.ply,
        )
        raise InvalidBody([{"pointer": "/time_ms", "detail": wanted}])
    return time_ms


def _count(who: Caller, tenant: str) -> None:
    """Count a question for its tenant; guests, who are many, each for themselves."""
    asks = who.scope if tenant == GUEST_TENANT else tenant
    counted().count(analyses_policy(tenant), asks)


def _ask(
    who: Caller, tenant: str, asked: Question, key: IdempotencyKey | None
) -> ResponseReturnValue:
    return _answer(
        services().analyses.ask(tenant, asked, **_room(who, tenant), key=key)
    )


def _check_room(who: Caller, tenant: str, asked: Question) -> None:
    services().analyses.check_room(tenant, asked, **_room(who, tenant))


def _room(who: Caller, tenant: str) -> dict[str, Any]:
    """Return how much may be asked, and by whom if not by an app."""
    limit = services().quotas.limit(OPEN_ANALYSES, tenant)
    return {"limit": limit, "asker": "" if isinstance(who, App) else who.scope}


def _answer(analysis: Analysis, status: int = 0) -> ResponseReturnValue:
    """Show an analysis: 202 as long as it goes on, if nothing else is said."""
    shown = whole_analysis_json(analysis)
    shown["stream_url"] = analysis_stream_url(analysis.id)
    where = {"Location": f"/v1/analyses/{analysis.id}"}
    usual = 200 if analysis.has_ended else 202
    return json_response(shown, status or usual, where)
