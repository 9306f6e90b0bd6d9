"""Finding somebody to play with, by the Python client."""

import threading
from typing import Any

import pytest

from services.client import Problem
from tests.client.world import World

WANTED: dict[str, Any] = {"options": {"seeds": 5}}


def found_at_once(world: World, *players: str) -> list[Any]:
    """Let players look for an opponent, each in a thread; return what they found."""
    found: dict[str, Any] = {}

    def find(player: str) -> None:
        with world.client() as app:
            found[player] = app.lobby.find_opponent(
                "kalah", player=player, within_s=60, **WANTED
            )

    threads = [threading.Thread(target=find, args=(player,)) for player in players]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[player] for player in players]


def test_two_find_each_other(world: World) -> None:
    one, other = found_at_once(world, "py-1", "py-2")
    assert one["match"]["id"] == other["match"]["id"]
    assert {one["seat"], other["seat"]} == {"south", "north"}
    assert one["match"]["seats"][one["seat"]]["player"] == "py-1"


def test_two_find_each_other_on_a_bad_network(world: World) -> None:
    """A cut connection ends a seek, and the same request begins it again."""
    world.api.cut_requests = world.api.cut_answers = 0.2
    one, other = found_at_once(world, "py-3", "py-4")
    assert one["match"]["id"] == other["match"]["id"]


def test_nobody_is_found_and_nothing_is_left(world: World) -> None:
    with world.client() as app:
        assert app.lobby.find_opponent("oware", within_s=1) is None
        seek = app.lobby.seek("oware")
        assert app.lobby.end(seek["id"]) is None
        with pytest.raises(Problem) as refused:
            app.lobby.go_on(seek["id"])
        assert refused.value.type == "no-such-seek"


def test_who_found_somebody_just_before_is_told(world: World) -> None:
    with world.client() as app:
        first = app.lobby.seek("congkak")
        second = app.lobby.seek("congkak")
        found = app.lobby.end(first["id"])
        assert found is not None
        assert found["match"] is not None
        assert second["match"] is not None
        assert found["match"]["id"] == second["match"]["id"]


def test_an_invitation_and_a_rematch(world: World) -> None:
    with world.client() as app:
        match = app.open_match("kalah", {"south": {"kind": "human"}})
        invitation = app.lobby.invite(match["id"], seat="north")
        taken = app.holding(invitation["token"]).lobby.accept(match["id"], name="Beth")
        assert taken["match"]["seats"]["north"]["name"] == "Beth"
        app.holding(taken["seat_token"]).resign(match["id"])
        rematch = app.lobby.rematch(match["id"])
        assert rematch["rematch_of"] == match["id"]
        assert set(rematch["seat_tokens"]) == {"south", "north"}
