"""Glicko-2, beside an independent implementation and what its author has printed."""

import pytest
from glicko2.math.algorithm import update_rating
from hypothesis import given
from hypothesis import strategies as st

from services.views.glicko import FIRST_RD, MIDDLE, PERIOD_MS, SCALE, Rating, rate

WEEK = PERIOD_MS
ratings = st.builds(
    Rating,
    rating=st.floats(0, 3000),
    rd=st.floats(30, 330),
    volatility=st.floats(0.03, 0.09),
)


def theirs(mine: Rating, games: list[tuple[Rating, float]]) -> Rating:
    """Return what the other implementation makes of games."""
    after = update_rating(
        (mine.rating - MIDDLE) / SCALE,
        mine.rd / SCALE,
        mine.volatility,
        [((r.rating - MIDDLE) / SCALE, r.rd / SCALE, score) for r, score in games],
    )
    return Rating(after.mu * SCALE + MIDDLE, after.phi * SCALE, after.sigma)


def test_the_other_one_gives_the_example_of_the_paper() -> None:
    games = [
        (Rating(1400, 30), 1.0),
        (Rating(1550, 100), 0.0),
        (Rating(1700, 300), 0.0),
    ]
    after = theirs(Rating(1500, 200), games)
    assert after.rating == pytest.approx(1464.06, abs=0.01)
    assert after.rd == pytest.approx(151.52, abs=0.01)
    assert after.volatility == pytest.approx(0.05999, abs=0.00001)


@given(ratings, ratings, st.sampled_from((0.0, 0.5, 1.0)))
def test_a_game_changes_what_it_should(
    mine: Rating, other: Rating, score: float
) -> None:
    expected, found = theirs(mine, [(other, score)]), rate(mine, other, score, 0)
    assert found.volatility == pytest.approx(expected.volatility, abs=1e-7)
    if expected.rd < FIRST_RD - 20:  # ours knows no less of anybody than of nobody
        assert found.rating == pytest.approx(expected.rating, abs=1e-4)
        assert found.rd == pytest.approx(expected.rd, abs=1e-4)


@given(ratings, ratings)
def test_winning_is_better_than_a_draw_and_that_than_losing(
    mine: Rating, other: Rating
) -> None:
    lost, drawn, won = (rate(mine, other, s, 0).rating for s in (0.0, 0.5, 1.0))
    assert lost < drawn < won
    assert lost < mine.rating < won


def test_time_makes_less_sure() -> None:
    seen = Rating(1500, 60, 0.06, at_ms=WEEK)
    soon = rate(seen, Rating(1500, 60), 0.5, 2 * WEEK)
    late = rate(seen, Rating(1500, 60), 0.5, 200 * WEEK)
    assert soon.rd < late.rd < FIRST_RD
    assert late.at_ms == 200 * WEEK


@pytest.mark.parametrize("score", [0.0, 1.0])
def test_nobody_is_too_strong_to_be_rated(score: float) -> None:
    after = rate(Rating(9000, 40), Rating(-3000, 40), score, 0)
    assert after.rd > 0
    assert abs(after.rating) < 100_000
