"""Who plays how well: players, their ratings and matches, and leaderboards."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from flask import Blueprint
from flask.typing import ResponseReturnValue
from werkzeug.exceptions import NotFound

from rules_core import UnknownGame, all_games, find_game
from services.api.schema_fields import LEVELS
from services.eventlog import format_time
from services.http.authentication import App
from services.http.authorization import app_caller
from services.http.context import services
from services.http.refusals import InvalidParameter, NoSuchGame
from services.http.representation import NOBODY, player_json
from services.http.request import read_number, read_query
from services.http.responses import json_response, list_json
from services.languages import Message, any_of, number_within
from services.match.clock import CLASSES
from services.players import Known, NoSuchPlayer
from services.views import Played, Pool, Standing

bp = Blueprint("ratings", __name__)

PROVISIONAL_RD = 110.0
"""With a larger deviation a rating says little yet."""

PAGE = {
    "cursor": Message("the next_cursor of the page before"),
    "limit": number_within(1, 200),
}
BOARD = {"clock_class": any_of(*CLASSES), **PAGE}

_AI = re.compile(r"ai:(\d)")


@bp.get("/players/<player>")
def read_player(player: str) -> ResponseReturnValue:
    """Show a player whom the app has named, or who has a name."""
    who = app_caller()
    read_query({})
    identity = _identity(who, player)
    return json_response(_person_json(identity, _known([identity])))


@bp.get("/players/<player>/ratings")
def list_ratings(player: str) -> ResponseReturnValue:
    """Show how a player stands in each game and clock class that they have played."""
    who = app_caller()
    read_query({})
    identity = _identity(who, player)
    pools = [
        Pool(who.tenant, game.key, clock_class)
        for game in all_games()
        for clock_class in CLASSES
    ]
    standings = services().ratings.standings(pools, identity)
    rows = [
        {"game": pool.game, "clock_class": pool.clock_class, **_standing_json(standing)}
        for pool, standing in standings.items()
    ]
    return json_response(list_json(rows, None))


@bp.get("/players/<player>/ratings/<game>/<clock_class>")
def list_rated_games(player: str, game: str, clock_class: str) -> ResponseReturnValue:
    """List the rated games of a player, the last first, with what each has changed."""
    who = app_caller()
    query = read_query(PAGE)
    identity = _identity(who, player)
    pool = _pool(who, game, clock_class)
    page = services().ratings.history(
        pool, identity, query.get("cursor"), read_number(query, "limit", 50, 1, 200)
    )
    known = _known(name for game in page.rows for name in game.result.players)
    rows = [_game_json(game, identity, known) for game in page.rows]
    return json_response(list_json(rows, page.next_cursor))


@bp.get("/players/<player>/opponents/<other>")
def read_score(player: str, other: str) -> ResponseReturnValue:
    """Show how two players fared against each other, and their matches."""
    who = app_caller()
    query = read_query({"cursor": PAGE["cursor"]})
    one, two = _identity(who, player), _identity(who, other)
    ratings = services().ratings
    page = ratings.met(who.tenant, (one, two), query.get("cursor"))
    known = _known((one, two))
    score = [
        {"game": game, "won": won, "drawn": drawn, "lost": lost}
        for game, (won, drawn, lost) in ratings.score(who.tenant, one, two).items()
    ]
    body = {
        "player": _person_json(one, known),
        "opponent": _person_json(two, known),
        "score": score,
        **list_json([_met_json(game, one) for game in page.rows], page.next_cursor),
    }
    return json_response(body)


@bp.get("/leaderboards/<game>")
def read_leaderboard(game: str) -> ResponseReturnValue:
    """List the players of a game, whoever is the strongest for sure first."""
    who = app_caller()
    query = read_query(BOARD)
    clock_class = query.get("clock_class", "untimed")
    if clock_class not in CLASSES:
        raise InvalidParameter("clock_class", BOARD["clock_class"])
    page = services().ratings.board(
        _pool(who, game, clock_class),
        query.get("cursor"),
        read_number(query, "limit", 50, 1, 200),
    )
    known = _known(ranked.player for ranked in page.rows)
    rows = [
        {
            "rank": rank,
            "player": _person_json(ranked.player, known),
            **_standing_json(ranked.standing),
        }
        for rank, ranked in enumerate(page.rows, start=page.above + 1)
    ]
    return json_response(list_json(rows, page.next_cursor))


def _identity(who: App, player: str) -> str:
    """Return who that is in the ratings.

    :raises NoSuchPlayer: the app knows nobody of that id or reference.
    """
    level = _AI.fullmatch(player)
    if level is None:
        return services().players.read(who.tenant, player)[0]
    if int(level[1]) not in LEVELS:
        raise NoSuchPlayer(player)
    return player


def _pool(who: App, game: str, clock_class: str) -> Pool:
    try:
        find_game(game)
    except UnknownGame as error:
        raise NoSuchGame(error.key, error.known) from error
    if clock_class not in CLASSES:
        raise NotFound
    return Pool(who.tenant, game, clock_class)


def _known(identities: Iterable[str]) -> Mapping[str, Known]:
    people = {identity for identity in identities if not _AI.fullmatch(identity)}
    return services().players.known(people)


def _person_json(identity: str, known: Mapping[str, Known]) -> dict[str, Any]:
    level = _AI.fullmatch(identity)
    if level:
        return {"kind": "ai", "level": int(level[1])}
    return {"kind": "human", **player_json(identity, known.get(identity, NOBODY))}


def _standing_json(standing: Standing) -> dict[str, Any]:
    rating = standing.rating
    return {
        "rating": round(rating.rating, 2),
        "deviation": round(rating.rd, 2),
        "volatility": round(rating.volatility, 6),
        "at_least": round(rating.at_least, 2),
        "provisional": rating.rd > PROVISIONAL_RD,
        "won": standing.won,
        "drawn": standing.drawn,
        "lost": standing.lost,
        "updated_at": format_time(rating.at_ms),
    }


def _met_json(game: Played, one: str) -> dict[str, Any]:
    """Show a match as one of its players remembers it."""
    match_id, pool, at_ms, players, score, is_rated = game.result
    mine = score if players[0] == one else 1 - score
    return {
        "match": match_id,
        "game": pool.game,
        "clock_class": pool.clock_class,
        "rated": is_rated,
        "score": mine,
        "ended_at": format_time(at_ms),
    }


def _game_json(game: Played, one: str, known: Mapping[str, Known]) -> dict[str, Any]:
    """Show a rated game as one of its players remembers it."""
    side = game.result.players.index(one)
    before, after = game.before[side].rating, game.after[side].rating
    return {
        **_met_json(game, one),
        "opponent": _person_json(game.result.players[1 - side], known),
        "rating": round(after.rating, 2),
        "deviation": round(after.rd, 2),
        "change": round(after.rating - before.rating, 2),
    }
