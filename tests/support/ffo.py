"""The FFO endgame suite, positions 40 to 45, as published with Edax."""

from typing import NamedTuple


class Ending(NamedTuple):
    """A position, and the margin of the seat to move by perfect play."""

    name: str
    text: str
    margin: int


FFO = (
    Ending(
        "FFO40",
        "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X",
        38,
    ),
    Ending(
        "FFO41",
        "-OOOOO----OOOOX--OOOOOO-XXXXXOO--XXOOX--OOXOXX----OXXO---OOO--O- X",
        0,
    ),
    Ending(
        "FFO42",
        "--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X",
        6,
    ),
    Ending(
        "FFO43",
        "--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX- O",
        -12,
    ),
    Ending(
        "FFO44",
        "--O-X-O---O-XO-O-OOXXXOOOOOOXXXOOOOOXX--XXOOXO----XXXX-----XXX-- O",
        -14,
    ),
    Ending(
        "FFO45",
        "---XXXX-X-XXXO--XXOXOO--XXXOXO--XXOXXO---OXXXOO-O-OOOO------OO-- X",
        6,
    ),
)
