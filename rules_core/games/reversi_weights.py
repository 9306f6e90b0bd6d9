"""How the learned weights of Reversi are laid out, and how their file is read.

The file is one line of JSON, which says what the weights are and how they were made,
then the numbers, compressed: 16 bits each, little end first, phase by phase. What is
the same from the other side (an edge from its other corner) is kept once.
"""

from __future__ import annotations

import array
import hashlib
import json
import sys
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

FORMAT = "seedlog-reversi-weights/1"
FILE = Path(__file__).with_name("reversi_weights_1.bin")
PHASES = 8
PHASE_OF = tuple(min(max((discs - 7) // 6, 0), PHASES - 1) for discs in range(65))
"""The phase by the number of discs: up to 12, then six each, and from 49 the last."""

SYMMETRIES: dict[str, tuple[int, ...]] = {
    "edge with both diagonal neighbours": (7, 6, 5, 4, 3, 2, 1, 0, 9, 8),
    "corner 2 x 5": (),
    "corner 3 x 3": (0, 3, 6, 1, 4, 7, 2, 5, 8),
    "second row": (7, 6, 5, 4, 3, 2, 1, 0),
    "third row": (7, 6, 5, 4, 3, 2, 1, 0),
    "fourth row": (7, 6, 5, 4, 3, 2, 1, 0),
    "diagonal of 8": (7, 6, 5, 4, 3, 2, 1, 0),
    "diagonal of 7": (6, 5, 4, 3, 2, 1, 0),
    "diagonal of 6": (5, 4, 3, 2, 1, 0),
    "diagonal of 5": (4, 3, 2, 1, 0),
    "diagonal of 4": (3, 2, 1, 0),
}
"""The patterns, each with where its squares are when it is seen from the other side."""

LENGTHS = {name: 3 ** (len(order) or 10) for name, order in SYMMETRIES.items()}
MOST_MOVES = 40
PARTS = (*LENGTHS.values(), MOST_MOVES, MOST_MOVES)
(
    EDGES,
    CORNERS_2_5,
    CORNERS_3_3,
    ROWS_2,
    ROWS_3,
    ROWS_4,
    DIAGONALS_8,
    DIAGONALS_7,
    DIAGONALS_6,
    DIAGONALS_5,
    DIAGONALS_4,
    MOVES,
    REPLIES,
) = (sum(PARTS[:index]) for index in range(len(PARTS)))
SIZE_OF_PHASE = sum(PARTS)


class DamagedWeights(Exception):
    """The file of the weights is not what it says; tells what is wrong."""


@cache
def kept_once() -> tuple[int, ...]:
    """Return, for each weight of a phase, the index of the one that is kept for it."""
    kept: list[int] = []
    count = 0
    for name, order in SYMMETRIES.items():
        first = len(kept)
        for index, seen in enumerate(mirrored(order) or range(LENGTHS[name])):
            kept.append(kept[first + seen] if seen < index else count)
            count += seen >= index
    return (*kept, *range(count, count + 2 * MOST_MOVES))


def mirrored(order: Sequence[int]) -> list[int]:
    """Return each index of a pattern as it is seen from the other side."""
    indices = [0]
    for place in order:
        indices = [known + digit * 3**place for digit in range(3) for known in indices]
    return indices if order else []


def read_weights(path: Path) -> Sequence[int]:
    """Return all weights, phase by phase.

    :raises DamagedWeights: the file is of another format, or was changed.
    """
    head, _, packed = path.read_bytes().partition(b"\n")
    facts = json.loads(head)
    if facts["format"] != FORMAT:
        raise DamagedWeights(f"{path.name} is {facts['format']}, not {FORMAT}")
    data = zlib.decompress(packed)
    found = hashlib.sha256(data).hexdigest()
    if found != facts["sha256"]:
        raise DamagedWeights(f"{path.name} has sha256 {found}, not {facts['sha256']}")
    numbers = array.array("h", data)
    if sys.byteorder == "big":
        numbers.byteswap()
    kept = kept_once()
    each = kept[-1] + 1
    if len(numbers) != PHASES * each:
        what = f"{path.name} has {len(numbers)} weights, not {PHASES * each}"
        raise DamagedWeights(what)
    weights = array.array("h")
    for phase in range(PHASES):
        one = numbers[phase * each : (phase + 1) * each]
        weights.extend([one[index] for index in kept])
    return weights


def write_weights(path: Path, kept: Sequence[int], facts: dict[str, object]) -> None:
    """Write the weights that are kept, phase by phase, and how they were made."""
    numbers = array.array("h", kept)
    if sys.byteorder == "big":
        numbers.byteswap()
    data = numbers.tobytes()
    digest = hashlib.sha256(data).hexdigest()
    head = json.dumps({"format": FORMAT, **facts, "sha256": digest})
    path.write_bytes(head.encode() + b"\n" + zlib.compress(data, 9))
