"""Boards that no play leads to, but that a text can bring."""

import random
from collections.abc import Iterator

from rules_core import InvalidPosition, Position, parse
from rules_core.game import Variant
from rules_core.kernel import Board

MORE = 20  # texts are drawn for each position that is wanted, at most


def unreachable(variant: Variant, chance: random.Random) -> Board:
    """Return a board with the seeds thrown anywhere."""
    board = variant.deal()
    engine = variant.engine
    if engine.words:
        board[0] = chance.getrandbits(64) & chance.getrandbits(64)
        board[1] = chance.getrandbits(64) & ~board[0]
    else:
        cells = [c for c, name in enumerate(variant.cell_names) if name]
        throw(board, cells, chance)
    board[engine.turn] = chance.randint(0, 1)
    return board


def throw(board: Board, cells: list[int], chance: random.Random) -> None:
    """Put all seeds of the board into some of these cells, or into one."""
    seeds = sum(board[cell] for cell in cells)
    into = chance.sample(cells, chance.randint(1, len(cells)))
    for cell in cells:
        board[cell] = 0
    for _ in range(seeds):
        board[chance.choice(into)] += 1


def strange_positions(
    variant: Variant, chance: random.Random, wanted: int
) -> Iterator[Position]:
    """Yield positions of texts that can be read, of boards that cannot arise."""
    for _ in range(MORE * wanted):
        if not wanted:
            return
        text = variant.face.format(strange(variant, chance), over=False)
        try:
            position = parse(variant.game.key, text, variant.options)
        except InvalidPosition:
            continue
        wanted -= 1
        yield position


def strange(variant: Variant, chance: random.Random) -> Board:
    """Return such a board, with burnt pits, owners, rounds and claims if it has any."""
    face, engine = variant.face, variant.engine
    burnt, owned = getattr(face, "burnt", None), getattr(face, "owned", None)
    if engine.words or (burnt is None and owned is None):
        return unreachable(variant, chance)
    board = variant.deal()
    extras = face.extras
    board[extras.round] = chance.choice([1, 2, 9, 10, 999, 9999])
    board[extras.starter] = chance.randint(0, 1)
    board[engine.turn] = chance.randint(0, 1)
    row = face.south if chance.random() < 0.5 else face.north
    others = chance.randint(0, len(row) - 1)
    if burnt is not None:
        board[burnt[row is face.north]] = others
        names = variant.cell_names
        cells = [names.index(name) for name in face.places(board)]
        # the seeds of burnt pits lie with the others
        for cell in {*face.south, *face.north} - {*cells}:
            board[cells[0]] += board[cell]
            board[cell] = 0
        throw(board, cells, chance)
    else:
        for cell in chance.sample(row, others):
            board[owned + cell] = 1 - board[owned + cell]
        if chance.random() < 0.3:
            board[extras.claim] = chance.randint(1, 5)
        else:
            throw(board, [*face.south, *face.north, *face.stores], chance)
    return board
