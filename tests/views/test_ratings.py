"""The view of ratings: the same numbers in whatever order it hears of games."""

import random
from typing import Any

import pytest

from rules_core import start
from services.match import (
    Abandon,
    Answer,
    Match,
    OfferDraw,
    OpenMatch,
    Player,
    PlayMove,
    RequestTakeback,
    Resign,
)
from services.views import InvalidCursor, Overtaken, Pool, Projector, Ratings
from services.views.glicko import Rating, rate
from services.views.results import Result, result_of
from services.views.standings import Played, count
from tests.views.world import World, drain

POOL = Pool("ten_a", "kalah", "untimed")
AMARA, BETH = Player(kind="human", player="usr_a"), Player(kind="human", player="usr_b")
AI = Player(kind="ai", level=3)
NOBODY = Player(kind="human", player="ply_x")


@pytest.fixture
def ratings(world: World) -> Ratings:
    return Ratings(world.url)


def some_results(count: int, seed: int = 1) -> list[Result]:
    """Return games of a few players, some of which end at the same millisecond."""
    chance = random.Random(seed)
    players = [*(f"usr_{letter}" for letter in "abcdefgh"), "ai:1", "ai:8"]
    results = []
    for number in range(count):
        one, other = chance.sample(players, 2)
        at_ms = 1_700_000_000_000 + chance.randrange(count) * 50_000
        score = chance.choice((0.0, 0.5, 1.0))
        rated = chance.random() < 0.9
        results.append(Result(f"mat_{number}", POOL, at_ms, (one, other), score, rated))
    return results


def told(view: Ratings) -> dict[str, Any]:
    """Return all that a view can tell of the pool."""
    board = view.board(POOL, None, 200)
    players = [ranked.player for ranked in board.rows]
    return {
        "rows": view.dump(),
        "board": board,
        "history": {who: view.history(POOL, who, None, 1000) for who in players},
        "standings": {who: view.standings([POOL], who) for who in players},
        "score": {who: view.score("ten_a", who, "ai:1") for who in players},
    }


def test_the_order_in_which_games_are_heard_of_changes_no_digit(
    world: World, ratings: Ratings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.views.ratings.SETTLED_AT_ONCE", 9)
    results = some_results(60)
    in_order = sorted(results, key=lambda result: (result.at_ms, result.match_id))
    _, standing = count([Played(r) for r in in_order if r.is_rated], {})
    seen = []
    for seed in range(3):
        random.Random(seed).shuffle(results)
        for first in range(0, len(results), 10 + seed * 30):
            ratings.write(results[first : first + 10 + seed * 30], {})
            ratings.settle(lambda: None)
        seen.append(told(ratings))
        ratings.delete()
        assert world.redis.call("KEYS", "{view:ratings}*") == []
    assert seen[0] == seen[1] == seen[2]
    rows = seen[0]["board"].rows
    assert {row.player: row.standing for row in rows} == standing
    strengths = [row.standing.rating.at_least for row in rows]
    assert strengths == sorted(strengths, reverse=True)


def test_a_result_that_comes_twice_counts_once(ratings: Ratings) -> None:
    results = some_results(20)
    ratings.write(results, {0: "1-0"})
    ratings.settle(lambda: None)
    before = told(ratings)
    ratings.write(results, {0: "1-0"})
    ratings.settle(lambda: None)
    assert told(ratings) == before


def test_what_was_taken_in_and_not_counted_is_counted_at_the_next_start(
    world: World, ratings: Ratings
) -> None:
    ratings.write(some_results(20), {0: "0-0"})
    assert ratings.board(POOL, None, 10).rows == []
    Projector(world.log, ratings).begin()
    assert len(ratings.board(POOL, None, 100).rows) == 10


@pytest.mark.parametrize("gone", ["rows", "games"])
def test_games_that_are_being_removed_are_not_counted(
    world: World, ratings: Ratings, gone: str
) -> None:
    """A generation goes key by key, while who has just begun it counts on."""
    ratings.write(some_results(20), {})
    [key] = world.redis.call("KEYS", f"{ratings._prefix()}:{gone}*")
    world.redis.call("UNLINK", key)

    with pytest.raises(Overtaken):
        ratings.settle(lambda: None)


def test_a_board_is_read_page_by_page(ratings: Ratings) -> None:
    ratings.write(some_results(60), {})
    ratings.settle(lambda: None)
    whole = ratings.board(POOL, None, 200)
    cursor, rows = None, []
    while True:
        page = ratings.board(POOL, cursor, 3)
        assert page.above == len(rows)
        rows += page.rows
        cursor = page.next_cursor
        if cursor is None:
            break
    assert rows == whole.rows
    with pytest.raises(InvalidCursor):
        ratings.board(POOL, "AAAA", 3)


# -- what counts, in a log


def opened(world: World, number: int = 1, **given: Any) -> Match:
    seats = given.pop("seats", {"south": AMARA, "north": BETH})
    opening = OpenMatch(game="kalah", tenant="ten_a", seats=seats, **given)
    return world.matches.handle(f"mat_{number}", opening, by="key:k").match


def moved(world: World, match: Match, plies: int = 2) -> Match:
    for _ in range(plies):
        assert match.position is not None
        command = PlayMove(seat=str(match.to_move), move=match.position.legal_moves[0])
        match = world.matches.handle(match.id, command, by="seat").match
    return match


def resigned(world: World, match: Match, seat: str = "north") -> Result | None:
    world.matches.handle(match.id, Resign(seat=seat), by="seat")
    return result_of(match.id, world.matches.events(match.id))


def test_a_game_between_two_who_are_known_counts(world: World) -> None:
    result = resigned(world, moved(world, opened(world)))
    now = 1_700_000_000_000
    assert result == Result("mat_1", POOL, now, ("usr_b", "usr_a"), 0.0, is_rated=True)


def test_a_clock_has_a_pool_of_its_own(world: World) -> None:
    clock = {"initial_s": 300, "increment_s": 2}
    result = resigned(world, moved(world, opened(world, clock=clock)))
    assert result is not None
    assert result.pool.clock_class == "blitz"


def test_an_ai_is_known_by_its_level(world: World) -> None:
    match = opened(world, seats={"south": AMARA, "north": AI})
    result = resigned(world, moved(world, match), "south")
    assert result is not None
    assert result.players == ("ai:3", "usr_a")


@pytest.mark.parametrize(
    ("given", "plies"),
    [
        ({"rated": False}, 2),
        ({"position": "4,4,0,5,5,5/4,4,4,4,4,4 1,0 S"}, 2),
        ({}, 1),
    ],
)
def test_met_but_not_rated(world: World, given: dict[str, Any], plies: int) -> None:
    """Casual, begun elsewhere, or hardly begun."""
    result = resigned(world, moved(world, opened(world, **given), plies))
    assert result is not None
    assert not result.is_rated


def test_what_was_taken_back_is_not_rated(world: World) -> None:
    match = moved(world, opened(world), 3)
    ask = RequestTakeback(seat="south", to_version=match.version - 1)
    world.matches.handle(match.id, ask, by="seat")
    yes = Answer(seat="north", kind="takeback", accept=True)
    match = world.matches.handle(match.id, yes, by="seat").match
    result = resigned(world, moved(world, match))
    assert result is not None
    assert not result.is_rated


@pytest.mark.parametrize(("other", "is_rated"), [(AI, False), (BETH, True)])
def test_a_draw_that_an_ai_takes_is_not_rated(
    world: World, other: Player, is_rated: bool
) -> None:
    """It could be had after two moves, and against the strongest."""
    match = moved(world, opened(world, seats={"south": AMARA, "north": other}))
    match = world.matches.handle(match.id, OfferDraw(seat="south"), by="seat").match
    if not match.is_over:
        yes = Answer(seat="north", kind="draw", accept=True)
        match = world.matches.handle(match.id, yes, by="seat").match
    result = result_of(match.id, world.matches.events(match.id))
    assert result is not None
    assert result.score == 0.5
    assert result.is_rated is is_rated


@pytest.mark.parametrize("other", [NOBODY, AMARA])
def test_strangers_and_one_against_oneself_say_nothing(
    world: World, other: Player
) -> None:
    match = opened(world, seats={"south": AMARA, "north": other})
    assert resigned(world, moved(world, match)) is None


def test_what_the_server_ended_says_nothing(world: World) -> None:
    match = moved(world, opened(world))
    assert result_of(match.id, world.matches.events(match.id)) is None
    world.matches.handle(match.id, Abandon(), by="server")
    assert result_of(match.id, world.matches.events(match.id)) is None


@pytest.mark.parametrize(
    "seats", [{}, {"south": AMARA}, {"south": AMARA, "north": BETH}]
)
def test_what_was_over_when_it_was_opened_says_nothing_and_stops_nothing(
    world: World, ratings: Ratings, seats: dict[str, Player]
) -> None:
    """A fork of a match that is over has no moves, and perhaps nobody at a seat."""
    over = start("kalah", {"pits": 3, "seeds": 1})
    while over.to_move:
        over = over.play(over.legal_moves[0])
    options = dict(over.options)
    opened(world, 1, seats=seats, snapshot=over.snapshot, options=options)
    resigned(world, moved(world, opened(world, 2)))
    Projector(world.log, ratings).begin()
    assert list(ratings.dump()) == ["mat_2"]


def test_the_projector_counts_what_it_hears_and_a_rebuild_the_same(
    world: World, ratings: Ratings
) -> None:
    projector = Projector(world.log, ratings)
    projector.begin()
    chance = random.Random(1)
    for number in range(12):
        match = moved(world, opened(world, number))
        resigned(world, match, chance.choice(("south", "north")))
        drain(projector)
    before = told(ratings)
    assert len(before["history"]["usr_a"].rows) == 12
    assert Projector(world.log, Ratings(world.url)).rebuild() == 12
    assert told(ratings) == before


def test_the_first_game_is_rated_as_the_formula_says(ratings: Ratings) -> None:
    at_ms = 1_700_000_000_000
    game = Result("mat_1", POOL, at_ms, ("usr_a", "usr_b"), 1.0, is_rated=True)
    ratings.write([game], {})
    ratings.settle(lambda: None)
    standing = ratings.standings([POOL], "usr_a")[POOL]
    assert standing.rating == rate(Rating(), Rating(), 1.0, at_ms)
    assert (standing.won, standing.drawn, standing.lost) == (1, 0, 0)
    assert ratings.score("ten_a", "usr_b", "usr_a") == {"kalah": [0, 0, 1]}
