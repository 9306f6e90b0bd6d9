"""Lists of matches: pages of the view, or the matches that are named; whole or in part.

What the view does not know of a match, its board above all, comes from the log: so one
request shows all that a small screen has room for.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.fields import match_fields, pick
from services.api.streams import stream_url
from services.http.authentication import App
from services.http.authorization import app_caller, visible_match
from services.http.context import services
from services.http.refusals import InvalidParameter
from services.http.representation import match_json, row_json
from services.http.request import read_names, read_number, read_query, read_time
from services.http.responses import json_response, list_json
from services.languages import Message, all_of, any_of, number_within
from services.match import Match
from services.match.refusals import NoSuchMatch, Quarantined
from services.match.service import STREAM_PREFIX
from services.names import ALPHABET, PLAYER_ALPHABET, is_name, is_player

bp = Blueprint("match_list", __name__)

STATUSES = ("open", "running", "finished", "aborted")
MOST_NAMED = 100
IDS = Message("1 to {most} ids of matches, with commas between them", most=MOST_NAMED)
FIELDS = Message("members of a match, with commas between them")
QUERY = {
    "game": Message("the key of a game"),
    "status": any_of(*STATUSES),
    "player": Message("a player, by your own id or a reference, for their history"),
    "since": Message("a time, for matches that were opened then or later"),
    "cursor": Message("the next_cursor of the page before"),
    "limit": number_within(1, 200),
    "ids": IDS,
    "fields": FIELDS,
}


@bp.get("/matches")
def list_matches() -> ResponseReturnValue:
    """List the matches of the app's tenant, the newest first, or those it names."""
    who = app_caller()
    query = read_query(QUERY)
    fields = read_names(query, "fields", FIELDS, match_fields())
    if "ids" in query:
        return json_response(_named(who, query, fields))
    if query.get("status") not in (None, *STATUSES):
        raise InvalidParameter("status", QUERY["status"])
    if "game" in query and not is_name(query["game"]):
        said = Message("{wanted}: {alphabet}", wanted=QUERY["game"], alphabet=ALPHABET)
        raise InvalidParameter("game", said)
    player = read_player(who, query)
    if "player" in query and player is None:
        return json_response(list_json([], None))
    page = services().match_list.page(
        who.tenant,
        game=query.get("game"),
        status=query.get("status"),
        player=player,
        since_ms=read_time(query, "since"),
        cursor=query.get("cursor"),
        limit=read_number(query, "limit", 50, 1, 200),
    )
    players = {
        seat["player"]
        for row in page.rows
        for seat in row["seats"].values()
        if seat and seat["player"]
    }
    known = services().players.known(players)
    rows = [_part(who, row_json(row, known), fields) for row in page.rows]
    return json_response(list_json(rows, page.next_cursor))


def read_player(who: App, query: Mapping[str, str]) -> str | None:
    """Return the reference of the player whom a query names; None if it names nobody.

    :raises InvalidParameter: nobody can be named so.
    """
    named = query.get("player")
    if named is None:
        return None
    if not is_player(named) and not is_name(named):
        said = Message("a reference, or {alphabet}", alphabet=PLAYER_ALPHABET)
        raise InvalidParameter("player", said)
    return services().players.find(who.tenant, named)


def _named(
    who: App, query: Mapping[str, str], fields: Sequence[str] | None
) -> dict[str, Any]:
    """Return the matches of a request that names them, in its order.

    A match of another tenant is missing, like one that there is not.
    """
    ids = read_names(query, "ids", IDS) or ()
    others = sorted(query.keys() - {"ids", "fields"})
    if others:
        raise InvalidParameter(
            "ids", Message("sent without {others}", others=all_of(*others))
        )
    if len(ids) > MOST_NAMED or not all(map(_is_id, ids)):
        raise InvalidParameter("ids", IDS)
    found = {match_id: _find(who, match_id) for match_id in ids}
    shown = [pick(_whole(match), fields) for match in found.values() if match]
    missing = [match_id for match_id, match in found.items() if match is None]
    return {**list_json(shown, None), "missing": missing}


def _part(
    who: App, row: dict[str, Any], fields: Sequence[str] | None
) -> dict[str, Any]:
    """Return some members of a match that is listed; those of its row for nothing."""
    if fields is not None and not row.keys() >= set(fields):
        match = _find(who, row["id"])
        row = row if match is None else _whole(match)
    return pick(row, fields)


def _find(who: App, match_id: str) -> Match | None:
    """Return a match; None where reading it alone would say why it cannot be shown."""
    try:
        return visible_match(who, match_id)
    except (NoSuchMatch, Quarantined):
        return None


def _whole(match: Match) -> dict[str, Any]:
    return {**match_json(match), "stream_url": stream_url(match.id)}


def _is_id(text: str) -> bool:
    return text.startswith(STREAM_PREFIX) and is_name(text)
