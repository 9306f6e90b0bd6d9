"""A match that was played elsewhere goes on here, with the computer players of here."""

import json
import random
import secrets

from rules_core import find_game
from services.audit.public_keys import keys_json
from services.match import Player, PlayMove
from tests.support.proof import prove
from tests.support.stack import Stack
from tests.support.tables import Table, signing_key

AI, HUMAN = Player(kind="ai", level=2), Player(kind="human", player="ply_elsewhere")


def table_whose_ai_is_to_move() -> Table:
    """Return a match under way that was left while its AI was thinking."""
    name = f"mat_{secrets.token_hex(8)}"
    table = Table(find_game("kalah"), random.Random(4), name)
    table.open(starter="north", seats={"south": AI, "north": HUMAN})
    while table.match.ply < 6 or table.match.to_move != "south":
        position, seat = table.match.position, str(table.match.to_move)
        assert position is not None
        move = table.chance.choice(position.legal_moves)
        by = "ai:2" if seat == "south" else "seat"
        table.act(PlayMove(seat=seat, move=move), by)
    return table


def test_an_ai_that_was_to_move_elsewhere_moves_here(stack: Stack) -> None:
    """And again after the player's next move, until nothing is left to prove."""
    table = table_whose_ai_is_to_move()
    trusted = stack.data / "trusted_keys.json"
    trusted.write_text(json.dumps(keys_json([signing_key().public])))

    taken = stack.client.import_match(table.export())

    assert (taken["to_move"], taken["version"]) == ("south", table.match.version + 1)
    player = stack.client.holding(taken["seat_tokens"]["north"])
    for _ in range(2):
        match = player.wait_for_turn(table.id, "north")
        assert match["outcome"] is None
        player.play(table.id, match["legal_moves"][0], version=match["version"])
    player.wait_for_turn(table.id, "north")
    here = prove(stack.client, table.id)[taken["version"] :]
    assert [event["by"] for event in here][:1] == ["ai:2"]
    assert {event["by"] for event in here} == {"ai:2", "seat"}
    assert stack.client.audit(table.id)["ok"]
