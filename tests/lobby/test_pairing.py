"""Who is given to whom: nobody twice, and nobody left beside one who fits."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from services.lobby import Seek, pairs
from services.lobby.pairing import ANYBODY_AFTER_MS, fits

NOW = 1_800_000_000_000


def seek(name: str, waited_s: float = 0, **given_: Any) -> Seek:
    facts: dict[str, Any] = {
        "tenant": "ten_a",
        "player": f"usr_{name}",
        "game": "kalah",
        "options": {"seeds": 4},
        "by": "key:k",
        "deviation": 50.0,
        "since_ms": NOW - int(waited_s * 1000),
    }
    return Seek(id=f"skg_{name}", **(facts | given_))


def names(*seeks: Seek) -> list[set[str]]:
    return [{a.id[4:], b.id[4:]} for a, b in pairs(seeks, NOW)]


def test_two_who_want_the_same_are_paired() -> None:
    assert names(seek("a"), seek("b")) == [{"a", "b"}]


def test_what_has_to_be_the_same() -> None:
    wanted = seek("a")
    for other in (
        seek("b", tenant="ten_b"),
        seek("b", game="oware"),
        seek("b", options={"seeds": 6}),
        seek("b", clock={"initial_s": 60, "increment_s": 0}),
        seek("b", rated=False),
        seek("b", player="usr_a"),
    ):
        assert names(wanted, other) == []


def test_the_nearest_is_taken_by_who_has_waited_longest() -> None:
    assert names(
        seek("a", 3, rating=1500.0),
        seek("b", 2, rating=1600.0),
        seek("c", 1, rating=1510.0),
    ) == [{"a", "c"}]


def test_what_is_near_enough_widens() -> None:
    weak, strong = seek("a", rating=1500.0), seek("b", rating=1800.0)
    assert not fits(weak, strong, NOW)
    assert not fits(weak, strong, NOW + 2_000)
    assert fits(weak, strong, NOW + 3_000)
    champion = seek("c", rating=3500.0)
    assert not fits(weak, champion, NOW + ANYBODY_AFTER_MS - 1)
    assert fits(weak, champion, NOW + ANYBODY_AFTER_MS)


def test_a_limit_of_ones_own_does_not_widen() -> None:
    picky = seek("a", 60, rating=1500.0, within=100)
    assert not fits(picky, seek("b", 60, rating=1601.0), NOW)
    assert fits(picky, seek("b", 60, rating=1600.0), NOW)


def test_for_fun_ratings_do_not_matter() -> None:
    assert fits(seek("a", rated=False), seek("b", rating=3000.0, rated=False), NOW)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(("kalah", "oware")),
            st.integers(0, 40),
            st.integers(1000, 2400),
            st.sampled_from((0, 0, 50, 300)),
            st.booleans(),
        ),
        max_size=30,
    )
)
def test_nobody_twice_and_nobody_left_beside_one_who_fits(
    facts: list[tuple[str, int, int, int, bool]],
) -> None:
    seeks = [
        seek(
            str(n), waited, game=game, rating=float(rating), within=within, rated=rated
        )
        for n, (game, waited, rating, within, rated) in enumerate(facts)
    ]
    found = pairs(seeks, NOW)
    taken = [each.id for two in found for each in two]
    assert len(taken) == len(set(taken))
    assert all(fits(one, other, NOW) and one.pool == other.pool for one, other in found)
    left = [each for each in seeks if each.id not in taken]
    assert not any(
        one.pool == other.pool and fits(one, other, NOW)
        for one in left
        for other in left
    )
