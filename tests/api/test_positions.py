"""What the rules say of positions that the server does not keep."""

import random

import pytest

from rules_core import GAMES, all_games, start
from services.bootstrap import Services
from services.eventlog.connection import Connections
from tests.support.app import Client

KALAH = {"game": "kalah"}
AFTER_C = "4,4,0,5,5,5/4,4,4,4,4,4 1,0 S"


@pytest.mark.parametrize("game", [game.key for game in GAMES])
def test_an_app_can_play_a_game_without_a_match(client: Client, game: str) -> None:
    """By moves from the start, or by the snapshot of the answer before."""
    chance, here, moves = random.Random(game), start(game), []
    given = {}
    for _ in range(12):
        if here.to_move is None:
            break
        move = chance.choice(here.legal_moves)
        steps = [dict(step.as_json()) for step in here.steps(move)]
        here = here.play(move)
        expected = {
            "position": str(here),
            "snapshot": here.snapshot,
            "to_move": here.to_move,
            "legal_moves": [*here.legal_moves],
            "outcome": here.outcome
            and {
                "winner": here.outcome.winner,
                "reason": here.outcome.reason,
                "score": here.outcome.score,
            },
            "digest": here.digest,
        }

        by_moves = {"game": game, "moves": moves, "move": move}
        by_snapshot = {"game": game, **given, "move": move}
        for body in (by_moves, by_snapshot):
            answer = client.post("/v1/positions", body)
            assert answer.status_code == 200
            assert answer.get_json() == {**expected, "steps": steps}
        moves.append(move)
        given = {"position": here.snapshot}

    shown = client.post("/v1/positions", {"game": game, "moves": moves}).get_json()
    assert shown == {**expected, "steps": []}


def test_a_position_text_and_options_are_read(client: Client) -> None:
    options = {"seeds": 3, "pits": 4}
    begun = {**KALAH, "options": options, "starter": "north"}

    first = client.post("/v1/positions", begun).get_json()
    given = {**KALAH, "options": options, "position": first["position"]}

    assert first["to_move"] == "north"
    assert client.post("/v1/positions", given).get_json() == first


@pytest.mark.parametrize(
    ("body", "problem", "facts"),
    [
        ({"game": "chess"}, "unknown-game", {"known": [g.key for g in all_games()]}),
        ({**KALAH, "options": {"seeds": 0}}, "invalid-options", {"option": "seeds"}),
        (
            {**KALAH, "starter": "east"},
            "invalid-options",
            {"option": "starter", "allowed": "south or north"},
        ),
        ({**KALAH, "position": "4,4 S"}, "invalid-position", {}),
        ({**KALAH, "position": "p1|4,4 S|"}, "invalid-position", {}),
        (
            {**KALAH, "position": AFTER_C, "move": "C"},
            "illegal-move",
            {"legal_moves": ["A", "B", "D", "E", "F"], "move": "C"},
        ),
        (
            {**KALAH, "moves": ["C", "C", "a"]},
            "illegal-move",
            {"ply": 2, "legal_moves": ["A", "B", "D", "E", "F"]},
        ),
        (
            {**KALAH, "position": AFTER_C, "starter": "south"},
            "invalid-body",
            {
                "errors": [
                    {
                        "pointer": "/starter",
                        "detail": "leave it out: the position says who is to move",
                    }
                ]
            },
        ),
        ({**KALAH, "moves": ["A"] * 1001}, "invalid-body", {}),
        ({**KALAH, "moves": "ABC"}, "invalid-body", {}),
        ({**KALAH, "moves": [1]}, "invalid-body", {}),
        ({**KALAH, "position": "1" * 20_001}, "invalid-body", {}),
        ({**KALAH, "seats": {}}, "invalid-body", {}),
    ],
)
def test_what_cannot_be_a_position_is_refused(
    client: Client, body: object, problem: str, facts: dict[str, object]
) -> None:
    answer = client.post("/v1/positions", body)

    assert answer.status_code == 422
    assert answer.get_json()["type"] == f"/problems/{problem}"
    assert facts.items() <= answer.get_json().items()


def test_a_token_is_needed_and_one_that_was_replaced_is_none(client: Client) -> None:
    match = client.open_match()
    south = client.holding(match["seat_tokens"]["south"])
    nobody = client.holding("")

    assert south.post("/v1/positions", KALAH).status_code == 200
    client.post(f"/v1/matches/{match['id']}/players/south/token")
    assert south.post("/v1/positions", KALAH).status_code == 401
    assert nobody.post("/v1/positions", KALAH).status_code == 401


def test_a_key_that_may_only_read_may_ask(client: Client, services: Services) -> None:
    reader = client.holding(services.tenants.create_key("ten_a", role="read")[0])

    assert reader.post("/v1/positions", KALAH).status_code == 200
    assert reader.post("/v1/matches", KALAH).status_code == 403


def test_nothing_is_written(client: Client, services: Services) -> None:
    redis = Connections(services.settings.redis_url)
    client.get("/v1/statistics")  # when a key was last used is noted with any request
    before = sorted(redis.call("KEYS", "*"))

    sent = {**KALAH, "move": "C"}
    assert client.post("/v1/positions", sent, Idempotency_Key="k").status_code == 200

    assert sorted(redis.call("KEYS", "*")) == before
