"""Analyses and hints, by both clients, on good networks and bad ones."""

import pytest

from services.client import Problem
from tests.client.world import HUMANS, SHORT, World


def test_a_position_is_followed_to_its_end(world: World) -> None:
    """Everything once and in order, whatever the network loses."""
    world.streams.cut_answers = world.api.cut_answers = 0.2
    with world.client() as app:
        asked = app.analyses.of_position("kalah", options=SHORT, time_ms=3_000)
        found = list(app.analyses.follow(asked["id"], within_s=120))
        world.mend()
        ended = app.analyses.wait(asked["id"])
        assert [event["version"] for event in found] == [*range(1, len(found) + 1)]
        assert found[-1]["type"] == "analysis.finished"
        assert ended["version"] == len(found)
        assert ended["lines"] == found[-2]["data"]["lines"]
        again = app.analyses.of_position("kalah", options=SHORT, time_ms=3_000)
        assert again == ended


def test_a_match_is_judged_after_hints(world: World) -> None:
    with world.client() as app:
        match = app.open_match("kalah", HUMANS, hints=True, options=SHORT)
        south = app.holding(match["seat_tokens"]["south"])
        taken = south.analyses.hint(match["id"], time_ms=500)
        hint = south.analyses.wait(taken["id"])
        assert (hint["kind"], hint["seat"]) == ("hint", "south")
        [move, *_] = hint["lines"][0]["moves"]
        version = south.match(match["id"])["version"]
        south.play(match["id"], move, version=version)
        south.resign(match["id"])
        asked = south.analyses.of_match(match["id"], time_ms=500)
        judged = south.analyses.wait(asked["id"])
        assert judged["plies"] is not None
        [ply] = judged["plies"]
        assert (ply["move"], ply["comment"], ply["loss"]) == (move, "best", 0)


def test_what_is_canceled_ends(world: World) -> None:
    with world.client() as app:
        asked = app.analyses.of_position("oware", time_ms=60_000)
        with pytest.raises(TimeoutError):
            app.analyses.wait(asked["id"], within_s=0.2)
        app.analyses.cancel(asked["id"])
        assert app.analyses.wait(asked["id"])["status"] == "canceled"
        with pytest.raises(Problem) as refused:
            app.analyses.read("ana_none")
        assert refused.value.type == "no-such-analysis"
