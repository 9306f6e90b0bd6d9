"""Every act that is recorded, over a network that cuts: one effect, one answer.

Each request is cut before the server has read it, and its answer on the way back; the
client sends it again with the same key until it is answered.
"""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from services.audit.trust import list_keys
from services.client import Seedlog
from services.eventlog import PARTITIONS, RedisEventLog
from tests.client.world import HUMANS, World
from tests.support.tables import played_table, signing_key

Act = Callable[[Seedlog, dict[str, Any]], Any]
BEFORE, AFTER = "before", "after"
ONE = {"south": {"kind": "human"}}


def post(path: str, **body: Any) -> Act:
    """Return an act by its path; the client has no word of its own for it."""
    return lambda client, match: client.request(
        "POST", path.format(id=match["id"]), body
    )


MATCH = "/v1/matches/{id}"
ACTS: dict[str, tuple[Act, list[str]]] = {
    "sit": (post(f"{MATCH}/players", kind="human"), ["seat_taken"]),
    "renew": (post(f"{MATCH}/players/south/token"), ["seat_token_renewed"]),
    "move": (
        post(f"{MATCH}/moves", move="A", seat="south", expected_version=3),
        ["move_played"],
    ),
    "resign": (post(f"{MATCH}/resignation", seat="south"), ["resigned", "ended"]),
    "offer a draw": (post(f"{MATCH}/draw-offers", seat="south"), ["draw_offered"]),
    "answer a draw": (
        post(f"{MATCH}/draw-offers/answer", seat="north", accept=True),
        ["draw_accepted", "ended"],
    ),
    "ask to take back": (
        post(f"{MATCH}/takebacks", seat="south", to_version=3),
        ["takeback_requested"],
    ),
    "answer a takeback": (
        post(f"{MATCH}/takebacks/answer", seat="north", accept=True),
        ["takeback_accepted"],
    ),
    "guess": (post(f"{MATCH}/guess", seat="north", fist="left"), ["fist_guessed"]),
    "call off": (post(f"{MATCH}/cancellation"), ["aborted"]),
}
"""Acts, and the events that each of them is, whoever sends it how often."""

OPENINGS: dict[str, Act] = {
    "open": lambda client, _: client.open_match("oware", HUMANS),
    "fork": post(f"{MATCH}/forks", version=3),
    "rematch": post(f"{MATCH}/rematches"),
    "guest": post("/v1/guest-matches", game="oware", level=1),
}


@pytest.fixture
def client(world: World) -> Iterator[Seedlog]:
    with world.client() as client:
        yield client


def begin(app: Seedlog, act: str) -> dict[str, Any]:
    """Return a match at which an act makes sense."""
    seats = ONE if act in ("sit", "accept") else HUMANS
    starter = "fist" if act == "guess" else "south"
    match: Any = app.open_match("kalah", seats, starter=starter)
    if "take" in act:
        app.play(match["id"], "A", version=3, seat="south")
    if act == "answer a draw":
        app.offer_draw(match["id"], "south")
    if act == "answer a takeback":
        app.request_takeback(match["id"], 3, "south")
    if act == "rematch":
        app.resign(match["id"], "south")
    return dict(match)


def types(app: Seedlog, match_id: str) -> list[str]:
    """Return what a log holds that stands every test."""
    assert app.audit(match_id)["ok"]
    return [event["type"].removeprefix("match.") for event in app.events(match_id)]


@pytest.mark.parametrize("where", [BEFORE, AFTER])
@pytest.mark.parametrize("act", ACTS)
def test_an_act_is_recorded_once(
    world: World, client: Seedlog, act: str, where: str
) -> None:
    app = world.stack.client
    match = begin(app, act)
    before = types(app, match["id"])
    send, wanted = ACTS[act]
    world.api.cuts, world.api.cut_next = 0, where

    answer = send(client, match)

    assert world.api.cuts == 1
    assert types(app, match["id"]) == [*before, *wanted]
    if "events" in answer:
        told = [event["type"].removeprefix("match.") for event in answer["events"]]
        assert told == wanted


@pytest.mark.parametrize("where", [BEFORE, AFTER])
@pytest.mark.parametrize("opening", OPENINGS)
def test_a_match_is_opened_once(
    world: World, client: Seedlog, opening: str, where: str
) -> None:
    """Every match that is in the log is one that somebody was told of."""
    match = begin(world.stack.client, opening)
    known = opened(world)
    world.api.cuts, world.api.cut_next = 0, where

    answer = OPENINGS[opening](client, match)

    assert world.api.cuts == 1
    assert opened(world) - known == {answer["id"]}


@pytest.mark.parametrize("where", [BEFORE, AFTER])
def test_an_invitation_is_accepted_once(
    world: World, client: Seedlog, where: str
) -> None:
    app = world.stack.client
    match = begin(app, "accept")
    path = f"/v1/matches/{match['id']}/invitations"
    world.api.cuts, world.api.cut_next = 0, where
    token = client.request("POST", path, {})["token"]
    world.api.cut_next = where

    seated = client.holding(token).request("POST", f"{path}/acceptance", {"name": "B"})

    assert world.api.cuts == 2
    assert seated["seat"] == "north"
    assert types(app, match["id"]) == ["opened", "seat_taken", "seat_taken"]


@pytest.mark.parametrize("where", [BEFORE, AFTER])
def test_two_who_seek_get_one_match(world: World, client: Seedlog, where: str) -> None:
    app, known = world.stack.client, opened(world)
    one, other = ({"game": "kalah", "player": f"{n}-{where}"} for n in "ab")
    first = app.request("POST", "/v1/seeks", one)
    world.api.cuts, world.api.cut_next = 0, where

    second = client.request("POST", "/v1/seeks", other)

    assert world.api.cuts == 1
    told = app.request("GET", f"/v1/seeks/{first['id']}")
    assert told["match"]["id"] == second["match"]["id"]
    assert {told["seat"], second["seat"]} == {"south", "north"}
    assert opened(world) - known == {second["match"]["id"]}


@pytest.mark.parametrize("where", [BEFORE, AFTER])
def test_a_match_is_imported_once(world: World, client: Seedlog, where: str) -> None:
    list_keys(world.stack.data, [signing_key().public])
    export = played_table(f"mat_retried_{where}").export()
    known = opened(world)
    world.api.cuts, world.api.cut_next = 0, where

    taken = client.import_match(export)

    assert world.api.cuts == 1
    assert opened(world) - known == {taken["id"]}
    assert types(client, taken["id"]).count("imported") == 1


def opened(world: World) -> set[str]:
    """Return every match that is in the log."""
    log = RedisEventLog(str(world.stack.facts["redis_url"]))
    return {name for number in range(PARTITIONS) for name in log.streams(number)}
