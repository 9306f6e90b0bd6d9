"""What positions of Reversi are worth: the same however the board is turned."""

import json
import random
from pathlib import Path

import pytest

from rules_core import find_game, start
from rules_core.games import reversi_patterns as patterns
from rules_core.games import reversi_weights as weights
from tests.support.playing import dice

ENGINE = find_game("reversi").engine


def boards(count: int) -> list[list[int]]:
    """Return boards of random games, of all phases."""
    chance, found = dice("boards"), list[list[int]]()
    while len(found) < count:
        position = start("reversi")
        for _ in range(chance.randint(1, 55)):
            if position.legal_moves:
                position = position.play(chance.choice(position.legal_moves))
        if position.legal_moves:
            found.append(position.flat)
    return found


def moved(word: int, seen_from: int) -> int:
    """Return a word as it is seen from another side: mirrored, turned, or both."""
    result = 0
    for square in range(64):
        if word >> square & 1:
            rank, file = divmod(square, 8)
            if seen_from & 1:
                file = 7 - file
            if seen_from & 2:
                rank = 7 - rank
            if seen_from & 4:
                rank, file = file, rank
            result |= 1 << (8 * rank + file)
    return result


def test_the_worth_is_the_same_from_all_eight_sides() -> None:
    """No corner is another corner."""
    for board in boards(40):
        worth = patterns.worth(board[0], board[1])
        for side in range(8):
            seen = moved(board[0], side), moved(board[1], side)
            assert patterns.worth(*seen) == worth


def test_what_black_has_white_has_with_colours_swapped() -> None:
    """And the other seat to move."""
    assert ENGINE.evaluate is not None
    for board in boards(40):
        swapped = [board[1], board[0], 1 - board[2], *board[3:]]
        assert ENGINE.evaluate(swapped) == -ENGINE.evaluate(board)


def test_the_shipped_weights_say_how_they_were_made() -> None:
    """By which command, from how many games, and how far they are off."""
    head = json.loads(weights.FILE.read_bytes().partition(b"\n")[0])
    assert head["format"] == "seedlog-reversi-weights/1"
    assert head["command"].startswith("seedlog tune reversi")
    assert len(head["error_in_discs"]) == weights.PHASES
    assert weights.FILE.stat().st_size < 1_000_000


def test_weights_are_read_as_they_were_written(tmp_path: Path) -> None:
    """Also those that are kept once for two sides."""
    chance = random.Random(1)
    each = weights.kept_once()[-1] + 1
    kept = [chance.randint(-32768, 32767) for _ in range(weights.PHASES * each)]
    weights.write_weights(tmp_path / "some.bin", kept, {"games": 7})
    read = weights.read_weights(tmp_path / "some.bin")
    assert len(read) == weights.PHASES * weights.SIZE_OF_PHASE
    for phase in (0, weights.PHASES - 1):
        begin = phase * weights.SIZE_OF_PHASE
        for index in range(0, weights.SIZE_OF_PHASE, 97):
            one = kept[phase * each + weights.kept_once()[index]]
            assert read[begin + index] == one


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ((b'weights/1"', b'weights/2"'), "weights/2, not"),
        ((b'"sha256": "', b'"sha256": "0'), "has sha256"),
    ],
)
def test_damaged_weights_are_refused(
    tmp_path: Path, change: tuple[bytes, bytes], says: str
) -> None:
    """A search by other numbers would play on as if nothing were wrong."""
    path = tmp_path / "damaged.bin"
    path.write_bytes(weights.FILE.read_bytes().replace(*change, 1))
    with pytest.raises(weights.DamagedWeights, match=says):
        weights.read_weights(path)


def test_what_is_seen_from_the_other_side_is_kept_once() -> None:
    """An edge and its mirror image share a weight, a corner of 2 x 5 has its own."""
    kept = weights.kept_once()
    edge = 1 * 1 + 2 * 3  # own disc in the corner, another beside it
    assert kept[weights.EDGES + edge] == kept[weights.EDGES + 1 * 3**7 + 2 * 3**6]
    corners = kept[weights.CORNERS_2_5 : weights.CORNERS_3_3]
    assert len(set(corners)) == len(corners)
