"""How matches, events and games look as JSON, and the answers that carry them."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from flask import Response, request

from rules_core import Game, Layout, OptionSpec, Outcome, Position, start
from rules_core.levels import latest_ladder, levels_of
from services.eventlog import StoredEvent, format_time
from services.http.context import services
from services.http.flask_app import WholeResponse
from services.http.refusals import AnotherVersion
from services.http.teller import Teller
from services.languages import Language, Message
from services.match import Fold, Handled, Match, Offer, ReplayedEvent, Seated
from services.match.reasons import reason_in_words
from services.players import Known
from services.rulebooks import find_words

NOBODY = Known()
OPTION_TITLES = {
    "pits": Message("Pits on each side"),
    "seeds": Message("Seeds in each pit"),
    "rounds": Message("Rounds"),
    "max_rounds": Message("Rounds at most"),
    "empty_capture": Message("A last seed that faces an empty pit is captured too"),
    "pie": Message("Pie rule: the second player may take the first one's place"),
}


def json_response(
    body: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return an answer in JSON."""
    teller = Teller()
    text = teller.json(body)
    response = WholeResponse(text, status, headers, content_type="application/json")
    teller.mark(response)
    return response


def tagged_response(body: object, version: int, *, frozen: bool = False) -> Response:
    """Return an answer with a strong ETag, or 304 if the client has it already.

    The ETag is `"<version>-<digest of the body>"`: names may change without a version.

    :raises AnotherVersion: If-Match names another one than there is.
    """
    teller = Teller()
    text = teller.json(body)
    tag = f"{version}-{hashlib.sha256(text).hexdigest()[:8]}"
    response = Response(text, content_type="application/json")
    teller.mark(response)
    response.set_etag(tag)
    response.headers["Cache-Control"] = (
        "private, max-age=86400, immutable" if frozen else "private, no-cache"
    )
    if not _is_named(tag, version):
        raise AnotherVersion(tag)
    # That If-Match names this is known by now: to Werkzeug only whole tags are names.
    asked = {k: v for k, v in request.environ.items() if k != "HTTP_IF_MATCH"}
    return response.make_conditional(asked)  # type: ignore[return-value]


def _is_named(tag: str, version: int) -> bool:
    """Tell whether If-Match, if there is one, names this: by its tag or its version."""
    named = request.if_match
    return not named or named.star_tag or bool({tag, str(version)} & named.as_set())


def version_headers(match: Match) -> dict[str, str]:
    """Return the headers that tell a match's version."""
    return {"ETag": f'"{match.version}"'}


def match_json(match: Match, at_ms: int | None = None) -> dict[str, Any]:
    """Return a match as the API shows it; its clock at a time, or at its last event."""
    position = match.position
    return {
        "id": match.id,
        "game": match.game,
        "options": dict(match.options),
        "rules": match.rules,
        "status": match.status,
        "version": match.version,
        "ply": match.ply,
        "starter": match.starter or None,
        "starter_by": match.starter_by or None,
        "fist": _fist_json(match),
        "origin": dict(match.origin) or None,
        "seats": _seats_json(match.seats),
        "position": str(position) if position else None,
        "board": dict(position.board) if position else {},
        "owners": _owners_json(position),
        "to_move": match.to_move,
        "legal_moves": _legal_moves_json(match),
        "offer": _offer_json(match.offer),
        "outcome": _outcome_json(match.outcome),
        "aborted_for": match.aborted_for or None,
        "clock": _clock_json(match, at_ms),
        "rated": match.rated,
        "hints": match.hints,
        "rematch_of": match.rematch_of or None,
        "created_at": format_time(match.created_at_ms),
        "updated_at": format_time(match.updated_at_ms),
    }


def row_json(row: Mapping[str, Any], known: Mapping[str, Known]) -> dict[str, Any]:
    """Return a row of the list of matches as the API shows it."""
    shown = {k: v for k, v in row.items() if k not in ("tenant", "seats")}
    created, updated = shown.pop("created_at_ms"), shown.pop("updated_at_ms")
    seats = {
        seat: who and _seat_json(Seated(**who), known)
        for seat, who in row["seats"].items()
    }
    times = {"created_at": format_time(created), "updated_at": format_time(updated)}
    if outcome := shown["outcome"]:
        told = {"reason_text": reason_in_words(outcome["reason"])}
        shown["outcome"] = outcome | told
    return {**shown, "seats": seats, **times}


def _seats_json(seats: Mapping[str, Seated | None]) -> dict[str, Any]:
    references = [who.player for who in seats.values() if who and who.player]
    known = services().players.known(references)
    return {seat: who and _seat_json(who, known) for seat, who in seats.items()}


def _seat_json(who: Seated, known: Mapping[str, Known]) -> dict[str, Any]:
    if who.kind == "ai":
        return {"kind": "ai", "level": who.level}
    return {"kind": "human", **player_json(who.player, known.get(who.player, NOBODY))}


def player_json(reference: str, known: Known) -> dict[str, Any]:
    """Show a player: by the app's own id, if there is one, and as the log does."""
    return {
        "player": known.own_id or reference,
        "reference": reference,
        "name": known.name or None,
    }


def _fist_json(match: Match) -> dict[str, Any] | None:
    """Show the draw by fist (G2): what was committed to, and who guesses."""
    if not match.commitment:
        return None
    return {"commitment": match.commitment, "guesser": match.guesser}


def _offer_json(offer: Offer | None) -> dict[str, Any] | None:
    if offer is None:
        return None
    shown = {"kind": offer.kind, "seat": offer.seat}
    return shown | ({"to_version": offer.to_version} if offer.to_version else {})


def _outcome_json(outcome: Outcome | None) -> dict[str, Any] | None:
    if outcome is None:
        return None
    return {
        "winner": outcome.winner,
        "reason": outcome.reason,
        "reason_text": reason_in_words(outcome.reason),
        "score": dict(outcome.score),
    }


def _clock_json(match: Match, at_ms: int | None = None) -> dict[str, Any] | None:
    """Show what each seat has left at a time, or at the last event; null: no clock."""
    clock = match.clock
    if clock is None:
        return None
    at_ms = max(at_ms or 0, match.updated_at_ms)
    return {
        "control": dict(clock.control),
        "at": format_time(at_ms),
        "running": clock.turn or None,
        "flag_at": time_json(clock.flag_ms),
        "first_move_by": time_json(clock.first_move_by_ms),
        **{seat: {"remaining_ms": clock.left(seat, at_ms)} for seat in clock.left_ms},
    }


def time_json(at_ms: int | None) -> str | None:
    """Show a time, in milliseconds since 1970; None, or 0, is one that never came."""
    return format_time(at_ms) if at_ms else None


def acted_response(
    handled: Handled, move: str = "", reply: Sequence[ReplayedEvent] | None = None
) -> Response:
    """Answer with the match, the new events, and what there is to see of a move.

    With a *reply* the match is the one after it; () if there is none, or not yet.
    """
    match, before = handled.match, handled.before.position
    told = {} if reply is None else {"reply": [entry_json(event) for event in reply]}
    if reply and (replied := reply[-1].match):
        match = replied
    body = {
        "match": match_json(match),
        "events": [event_json(event) for event in handled.events],
        "steps": steps_json(before, move) if move and before else [],
        **told,
    }
    status = 200 if handled.replayed else 201
    return json_response(body, status, version_headers(match))


def event_json(event: StoredEvent, head: str | None = None) -> dict[str, Any]:
    """Return an event as it stands in the log, with the hash up to it if known."""
    shown = {
        "version": event.version,
        "type": event.type,
        "at": event.at,
        "by": event.by,
        "data": event.data,
    }
    return shown if head is None else {**shown, "hash": head}


def events_json(
    match_id: str, events: Sequence[StoredEvent], after: int, *, positions: bool
) -> Iterator[dict[str, Any]]:
    """Yield the events after a version out of all events from the first one.

    With *positions* each tells the board after it, and a move its visible steps.
    """
    fold = Fold(match_id)
    for event in events:
        replayed = fold.add(event) if positions else fold.link(event)
        if event.version > after:
            yield entry_json(replayed)


def entry_json(replayed: ReplayedEvent) -> dict[str, Any]:
    """Return an event with what it tells: its frame wherever a match is followed.

    Without the rules that is the hash; with them what there is to see, and of a move
    its steps.
    """
    shown = event_json(replayed.event, replayed.hash)
    match, before = replayed.match, replayed.before
    if match is None:
        return shown
    return {
        **shown,
        "position": str(match.position) if match.position else None,
        "board": dict(match.position.board) if match.position else {},
        "owners": _owners_json(match.position),
        "to_move": match.to_move,
        "legal_moves": _legal_moves_json(match),
        "clock": _clock_json(match),
        "steps": steps_json(before, replayed.move) if replayed.move and before else [],
    }


def _legal_moves_json(match: Match) -> list[str]:
    position = match.position
    return list(position.legal_moves) if match.to_move and position else []


def position_json(position: Position) -> dict[str, Any]:
    """Return what the rules say of a position, and the text to go on from later."""
    return {
        "position": str(position),
        "snapshot": position.snapshot,
        "to_move": position.to_move,
        "legal_moves": list(position.legal_moves),
        "outcome": _outcome_json(position.outcome),
        "digest": position.digest,
    }


def _owners_json(position: Position | None) -> dict[str, str] | None:
    """Show who owns the pits where that changes (N7); null where it never does."""
    owners = position.owners if position else None
    return None if owners is None else dict(owners)


def steps_json(before: Position, move: str) -> list[dict[str, Any]]:
    """Return the visible steps of a move."""
    return [dict(step.as_json()) for step in before.steps(move)]


def game_json(game: Game, language: Language) -> dict[str, Any]:
    """Return a game as the API shows it: what it needs to be opened and drawn."""
    words = find_words(game, language.code)
    layout = game.layout(game.complete_options(None))
    return {
        "key": game.key,
        "name": words.name,
        "about": words.about,
        "effort": words.effort,
        "rules": game.rules,
        "seats": list(game.seats),
        "starters": list(game.starters),
        "options": [
            _option_json(spec, words.options[spec.name]) for spec in game.options
        ],
        "levels": [
            {"level": number, "elo": level.elo, "error": level.error}
            for number, level in enumerate(
                levels_of(game, latest_ladder(game)), start=1
            )
        ],
        "layout": layout_json(layout),
        "opening": str(start(game.key)),
    }


def layout_json(layout: Layout) -> dict[str, Any]:
    """Return where the places of a board are drawn, as the first seat sees it."""
    return {
        "kind": layout.kind,
        "rows": [list(row) for row in layout.rows],
        "stores": dict(layout.stores),
        "owners": dict(layout.owners),
    }


def _option_json(spec: OptionSpec, description: str) -> dict[str, Any]:
    shown = {
        "name": spec.name,
        "kind": spec.kind,
        "default": spec.default,
        "minimum": spec.minimum,
        "maximum": spec.maximum,
        "choices": list(spec.choices) if spec.choices else None,
        "title": OPTION_TITLES.get(spec.name, spec.name),
        "description": description,
    }
    optional = ("minimum", "maximum", "choices")
    return {k: v for k, v in shown.items() if v is not None or k not in optional}


def list_json(rows: Iterable[Any], next_cursor: str | None) -> dict[str, Any]:
    """Return a page of a list."""
    return {"data": list(rows), "next_cursor": next_cursor}
