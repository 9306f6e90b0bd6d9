"""How matches and events look as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from flask import Response

from services.eventlog import StoredEvent, format_time
from services.http.context import services
from services.http.game_representation import outcome_json, owners_json, steps_json
from services.http.responses import json_response, version_headers
from services.match import Fold, Handled, Match, Offer, ReplayedEvent, Seated
from services.match.reasons import reason_in_words
from services.players import Known

NOBODY = Known()


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
        "owners": owners_json(position),
        "to_move": match.to_move,
        "legal_moves": _legal_moves_json(match),
        "offer": _offer_json(match.offer),
        "outcome": outcome_json(match.outcome),
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
        "owners": owners_json(match.position),
        "to_move": match.to_move,
        "legal_moves": _legal_moves_json(match),
        "clock": _clock_json(match),
        "steps": steps_json(before, replayed.move) if replayed.move and before else [],
    }


def _legal_moves_json(match: Match) -> list[str]:
    position = match.position
    return list(position.legal_moves) if match.to_move and position else []
