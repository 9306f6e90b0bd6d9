"""From which sides a board looks the same to the rules.

A game of two rows looks to north as it does to south, a board of squares the same from
each of its corners, face up and face down. Whether that holds of a game is tried, not
believed: whoever brings a game need not say it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rules_core.boards.squares import BLACK, SQUARES, WHITE, Squares
from rules_core.game import Variant
from rules_core.kernel import Board
from rules_core.origins import start
from rules_core.position import Position, count_position
from rules_core.replay import play_all
from rules_core.snapshot import format_rest

NONE, SEATS, CORNERS = "none", "seats", "corners"
SYMMETRIES = (CORNERS, SEATS, NONE)

TRIED_GAMES, TRIED_PLIES = 6, 60


@dataclass(frozen=True, slots=True)
class View:
    """One side to look from: boards and moves as they are called there.

    ``turn`` returns a board of its own, or None where it knows no such thing.
    """

    moves: Mapping[str, str]
    turn: Callable[[Board], Board | None]


def views_of(variant: Variant, symmetry: str) -> tuple[View, ...]:
    """Return the sides of a symmetry, the usual one first.

    :raises ValueError: there is no such symmetry.
    """
    usual = View({name: name for name in variant.move_names}, list.copy)
    if symmetry == NONE:
        return (usual,)
    if symmetry == SEATS:
        return (usual, _from_the_other_seat(variant))
    if symmetry == CORNERS:
        return tuple(_from_a_corner(corner) for corner in range(8))
    raise ValueError(f"there is no symmetry {symmetry!r}; {', '.join(SYMMETRIES)}")


def find_symmetry(variant: Variant) -> str:
    """Return the symmetry that random games of a game have; the same each time."""
    return next(name for name in SYMMETRIES if _holds(variant, name))


def seen_alike(position: Position, views: tuple[View, ...]) -> tuple[Position, View]:
    """Return the one position that stands for all that look the same, and its side.

    Nothing has come up before in it.
    """
    variant, board = position.variant, position.flat
    turned = [(view.turn(board), view) for view in views]
    texts = [
        (text_of(variant, seen), -number)
        for number, (seen, _) in enumerate(turned)
        if seen is not None
    ]
    seen, view = turned[-max(texts)[1]]  # with south to move, if that can be
    assert seen is not None, "only such have a text"  # noqa: S101
    come_up = count_position(variant, seen, seen, (), None)
    return Position(variant, seen, come_up), view


def text_of(variant: Variant, board: Board) -> str:
    """Return all that tells a board that is not over, whatever came up before."""
    return f"{variant.face.format(board, False)}|{format_rest(variant, board, ())}"


def _from_a_corner(corner: int) -> View:
    """Return a side of a board of squares: turned, and for the last four face down."""
    places = []
    for index in range(64):
        file, rank = index % 8, index // 8
        if corner & 1:
            file = 7 - file
        if corner & 2:
            rank = 7 - rank
        if corner & 4:
            file, rank = rank, file
        places.append(8 * rank + file)

    def turn(board: Board) -> Board:
        turned = board.copy()
        for cell in (BLACK, WHITE):
            discs = board[cell]
            turned[cell] = sum(
                1 << places[index] for index in range(64) if discs >> index & 1
            )
        return turned

    return View({SQUARES[i]: SQUARES[place] for i, place in enumerate(places)}, turn)


def _from_the_other_seat(variant: Variant) -> View:
    """Return a board as who sits across sees it: what is south's is north's there.

    What has no name on the board must be as at the start, such as who owns which pit.
    """
    engine, opening = variant.engine, variant.opening
    seats = dict(zip(variant.seats, variant.seats[::-1], strict=True))
    cells = {name: cell for cell, name in enumerate(variant.cell_names) if name}
    across = {cell: cells[_across(name, seats)] for name, cell in cells.items()}
    seated = {cell for cell in (engine.turn, engine.starter) if cell >= 0}
    counted = {cell for cell in (engine.winner, engine.passed) if cell >= 0}
    known = {*across, *seated, *counted, engine.over}
    others = [cell for cell in range(engine.size) if cell not in known]

    def turn(board: Board) -> Board | None:
        if any(board[cell] != opening[cell] for cell in others):
            return None
        turned = board.copy()
        for cell, other in across.items():
            turned[other] = board[cell]
        for cell in seated:
            turned[cell] = 1 - board[cell]
        for cell in counted:
            turned[cell] = board[cell] and 3 - board[cell]
        return turned

    return View({name: _across(name, seats) for name in variant.move_names}, turn)


def _across(name: str, seats: Mapping[str, str]) -> str:
    """Return what is called `C` here as it is called there, `c`; `@c` is `@C`."""
    if name in seats:
        return seats[name]
    letter = 1 if name.startswith("@") else 0
    return name[:letter] + name[letter : letter + 1].swapcase() + name[letter + 1 :]


def _holds(variant: Variant, symmetry: str) -> bool:
    """Tell whether moves of random games do the same, seen from every side."""
    if (symmetry == CORNERS) != isinstance(variant.face, Squares):
        return symmetry == NONE
    if symmetry == NONE:
        return True
    try:
        views = views_of(variant, symmetry)
    except KeyError:  # its pits are not called by the same letters
        return False
    return all(
        _is_same(variant, views, random.Random(seed))  # noqa: S311  # a game
        for seed in range(TRIED_GAMES)
    )


def _is_same(variant: Variant, views: tuple[View, ...], chance: random.Random) -> bool:
    game, size = variant.game, variant.engine.size
    position = start(game.key, rules=game.rules)
    for _ in range(TRIED_PLIES):
        if not position.legal_moves:
            break
        move = chance.choice(position.legal_moves)
        after = play_all(position, [move])
        for view in views:
            board, wanted = view.turn(position.flat), view.turn(after.flat)
            if board is None or wanted is None:
                continue
            come_up = count_position(variant, board, board, (), None)
            turned = Position(variant, board, come_up)
            moves = {view.moves[name] for name in position.legal_moves}
            if moves != set(turned.legal_moves):
                return False
            found = play_all(turned, [view.moves[move]])
            is_settled = after.outcome is None or found.outcome is not None
            if is_settled and found.flat[:size] != wanted[:size]:
                return False
        position = after
    return True
