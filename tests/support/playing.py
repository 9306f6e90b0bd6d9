"""Random play for tests: games, options and lines of positions."""

import random
from collections.abc import Iterator, Mapping

from hypothesis import strategies as st

from rules_core import GAMES, Game, OptionSpec, Position, Step, start

PLIES = 150
"""Where a random line is cut off; most games are over by then."""


def values(spec: OptionSpec) -> st.SearchStrategy[object]:
    """Draw any allowed value of an option."""
    if spec.kind == "bool":
        return st.booleans()
    if spec.kind == "choice":
        return st.sampled_from(spec.choices)
    numbers = st.integers(spec.minimum, spec.maximum)
    return numbers if spec.default is not None else st.none() | numbers


@st.composite
def options_of(draw: st.DrawFn, game: Game) -> dict[str, object]:
    """Draw any options of a game."""
    return {spec.name: draw(values(spec)) for spec in game.options}


@st.composite
def lines(
    draw: st.DrawFn, game: Game | None = None, plies: int = PLIES
) -> list[Position]:
    """Draw a line of random moves from the start; hypothesis chooses game and seed."""
    game = game or draw(st.sampled_from(GAMES))
    first = start(
        game.key, draw(options_of(game)), draw(st.sampled_from(game.starters))
    )
    chance = dice(draw(st.integers(0, 2**32)))
    return list(play_on(first, chance, plies))


def dice(seed: int) -> random.Random:
    """Return chance that can be repeated."""
    return random.Random(seed)  # a game, no secret


def play_on(
    position: Position, chance: random.Random, plies: int = PLIES
) -> Iterator[Position]:
    """Yield the position and those after random moves, to the end if it comes."""
    yield position
    while position.legal_moves and plies:
        position = position.play(chance.choice(position.legal_moves))
        plies -= 1
        yield position


def replay_steps(
    board: Mapping[str, int | str], steps: tuple[Step, ...]
) -> dict[str, int | str]:
    """Follow the steps on a board, with a hand, and return the board after them."""
    places = dict(board)
    hand = 0
    for step in steps:
        at, to, count = step.at, step.to, step.count
        if step.kind in ("lift", "lap", "enter"):
            places[at] -= count
            hand += count
        elif step.kind == "sow":
            places[at] += 1
            hand -= 1
        elif step.kind in ("capture", "sweep"):
            places[at] -= count
            places[to] += count
        elif step.kind == "refill":
            places[at] = places.get(at, 0) + count
            places[to] -= count
        elif step.kind == "swap":
            places = {other_side(place): count for place, count in places.items()}
        elif step.kind == "burn":
            assert places.pop(at) == 0
        elif step.kind == "place":
            assert at not in places
            places[at] = to
        elif step.kind == "flip":
            assert places[at] != to
            places[at] = to
        else:
            assert step.kind in ("give", "claim", "pass")
    assert hand == 0
    return places


def other_side(place: str) -> str:
    """Return the place of the other seat that is called as a place of one is."""
    stores = {"south": "north", "north": "south"}
    return stores.get(place) or place.swapcase()
