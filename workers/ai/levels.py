"""How strong each level plays: how far it looks, and how much it leaves to chance."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """A budget of positions, and a temperature in hundredths of a seed or disc.

    The budget is larger where the compiled search is at hand. At temperature 0 the best
    move is played; above it, a move worse by one temperature is e times as rare.
    """

    nodes: int
    compiled_nodes: int
    temperature: int


LEVELS: dict[int, Level] = {
    1: Level(40, 40, 500),
    2: Level(80, 80, 250),
    3: Level(160, 200, 120),
    4: Level(400, 1_000, 60),
    5: Level(1_000, 5_000, 20),
    6: Level(2_500, 30_000, 0),
    7: Level(6_000, 200_000, 0),
    8: Level(14_000, 1_500_000, 0),
}

TRIED_OUT = 3
"""In games whose moves must be tried to know whether they are legal (G8), a position
costs several times as much: a level looks at a third of them."""

HARD_CAP_S = 2.0
"""No move takes longer, however slow the machine is."""

TIME_S = 1.8
"""When looking ahead ends at the latest."""
