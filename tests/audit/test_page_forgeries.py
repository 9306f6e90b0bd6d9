"""The page on logs that were changed at random, with the key and without it."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from rules_core import GAMES, Game
from tests.audit.forgeries import Event, sign_again
from tests.audit.paging import due_findings, variant_of, verified
from tests.audit.tampering import KINDS
from tests.support.tables import played_table, random_table

EACH_GAME = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)


def test_what_is_changed_without_the_key_is_found(window: Page) -> None:
    """Not always at its place, as `seedlog verify` does, but never OK."""
    chance = random.Random("tampered")
    data = played_table().export()
    changed = [tamper(data, chance) for tamper in KINDS for _ in range(40)]
    exports = [
        verdicts[0] for verdicts in changed if verdicts and _is_text(verdicts[0])
    ]

    told = verified(window, variant_of(played_table()), exports)

    assert all(findings for findings, _ in told)
    assert len(exports) > 200


def _is_text(data: bytes) -> bool:
    """Tell whether a page could hold it at all."""
    try:
        return bool(data.decode())
    except UnicodeDecodeError:
        return False


def random_forgery(chance: random.Random, events: list[Event], game: Game) -> None:
    """Change something that a forger may think of."""
    at = chance.randrange(len(events))
    event, kind = events[at], chance.randrange(8)
    seats = [*game.seats, "east"]
    if kind == 0:
        events.pop(at)
    elif kind == 1:
        events.insert(at, json.loads(json.dumps(chance.choice(events))))
        events[at]["at"] = events[max(0, at - 1)]["at"]
    elif kind == 2:
        event["by"] = chance.choice(["seat", "key:abc", "server", "ai:1", "ai:3", "x"])
    elif kind == 3:
        types = sorted({e["type"] for e in events} | {"match.draw_accepted"})
        event["type"] = chance.choice(types)
    elif kind == 4 and at:
        event["at"] = events[at - 1]["at"]
    elif event["data"]:
        # a match of other options may be honest, but belongs in another page
        name = chance.choice(sorted({*event["data"]} - {"options"} or {"seat"}))
        event["data"][name] = _other(chance, name, event["data"].get(name), game, seats)


def _other(
    chance: random.Random, name: str, value: Any, game: Game, seats: list[str]
) -> Any:
    if name in ("seat", "winner", "starter"):
        return chance.choice([*seats, None])
    if name == "move":
        return chance.choice(game.variant(None).move_names)
    if isinstance(value, str):
        return chance.choice(["", value[:-1], value + "0", value[::-1], "fist", "left"])
    if isinstance(value, dict):
        return {**value, chance.choice([*value, "more"]): chance.randrange(30)}
    return chance.choice([0, -1, 1, 2, 3, True, None, (value or 0) + 1])


@EACH_GAME
def test_random_forgeries_are_found_and_nothing_else(window: Page, game: Game) -> None:
    """Never in an honest log, and never before the offline verifier finds them."""
    for data, verdicts in judged(window, game, random_forgery):
        due = due_findings(data)
        assert bool(due) >= bool(verdicts), verdicts
        if (
            verdicts
            and verdicts[0][0].startswith("event ")
            and due[0][0] != verdicts[0][0]
        ):
            assert version_of(due[0][0]) < version_of(verdicts[0][0])


@EACH_GAME
def test_random_forgeries_of_the_board_are_judged_as_offline(
    window: Page, game: Game
) -> None:
    """What moves, passes, ends, takebacks say of the board: at the same event."""
    count = 0
    for data, verdicts in judged(window, game, forgery_of_the_board):
        due = due_findings(data)
        assert [place for place, _ in verdicts][:1] == [place for place, _ in due][:1]
        count += bool(due)
    assert count > 30


def judged(
    window: Page, game: Game, forge: Callable[[random.Random, list[Event], Game], None]
) -> list[tuple[bytes, list[tuple[str, str]]]]:
    """Return exports of a game that were forged at random, and what the page finds."""
    chance, exports = random.Random(f"forged {game.key}"), []
    for _ in range(12):
        table = random_table(chance, game)
        events = table.log.read(table.id)
        for _ in range(6):
            told = [json.loads(event.text) for event in events]
            forge(chance, told, game)
            if told:
                exports.append(sign_again(table, told))
    verdicts = verified(window, game.variant(None), exports)
    return [(data, told) for data, (told, _) in zip(exports, verdicts, strict=True)]


def version_of(place: str) -> int:
    """Return the version of an event that is named; one in the header comes last."""
    return int(place.removeprefix("event ")) if place.startswith("event ") else 10**6


MADE_BY_RULES = {
    "match.move_played": ("seat", "move", "digest", "given"),
    "match.turn_passed": ("seat",),
    "match.takeback_accepted": ("digest",),
    "match.ended": ("score",),
}


def forgery_of_the_board(
    chance: random.Random, events: list[Event], game: Game
) -> None:
    """Change what follows from the rules alone."""
    types = [event["type"] for event in events]
    places = [
        at
        for at, type_ in enumerate(types)
        # of a move in place of an AI's, the failure before it is named offline
        if type_ in MADE_BY_RULES and types[at - 1] != "match.ai_failed"
    ]
    if not places:
        return
    at = chance.choice(places)
    event = events[at]
    if chance.random() < 0.1:
        events.insert(at, json.loads(json.dumps(event)))
        return
    name = chance.choice(MADE_BY_RULES[event["type"]])
    seats = [*game.seats, "east"]
    event["data"][name] = _other(chance, name, event["data"].get(name, 0), game, seats)
