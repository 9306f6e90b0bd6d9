"""How games, their options and their positions look as JSON."""

from typing import Any

from rules_core import Game, Layout, OptionSpec, Outcome, Position, start
from rules_core.levels import latest_ladder, levels_of
from services.languages import Language, Message
from services.match.reasons import reason_in_words
from services.rulebooks import find_words

OPTION_TITLES = {
    "pits": Message("Pits on each side"),
    "seeds": Message("Seeds in each pit"),
    "rounds": Message("Rounds"),
    "max_rounds": Message("Rounds at most"),
    "empty_capture": Message("A last seed that faces an empty pit is captured too"),
    "pie": Message("Pie rule: the second player may take the first one's place"),
}


def position_json(position: Position) -> dict[str, Any]:
    """Return what the rules say of a position, and the text to go on from later."""
    return {
        "position": str(position),
        "snapshot": position.snapshot,
        "to_move": position.to_move,
        "legal_moves": list(position.legal_moves),
        "outcome": outcome_json(position.outcome),
        "digest": position.digest,
    }


def owners_json(position: Position | None) -> dict[str, str] | None:
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


def outcome_json(outcome: Outcome | None) -> dict[str, Any] | None:
    """Return how a game has ended; None: it goes on."""
    if outcome is None:
        return None
    return {
        "winner": outcome.winner,
        "reason": outcome.reason,
        "reason_text": reason_in_words(outcome.reason),
        "score": dict(outcome.score),
    }
