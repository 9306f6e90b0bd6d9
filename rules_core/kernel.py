"""What a game file may use besides integers, one flat board and `range` loops.

Functions marked with `rule` stay in the integer subset: the same source runs as
plain Python and can be compiled to C.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Protocol, TypeVar

Board = list[int]
Moves = list[int]
Signed = int
"""A number that may be below zero, in a game of 64-bit words, where an `int` may not.

In a game of small counts every number is signed, and nothing has to be said."""


class Table:
    """Whole numbers that never change, read from a file when the first is asked for.

    A rule may look into one, and into a tuple of numbers, by the name that it has in
    its module; in C it is an array.
    """

    def __init__(self, path: Path, read: Callable[[Path], Sequence[int]]) -> None:
        """Take a file, and what reads it."""
        self.path = path
        self._read = read

    @cached_property
    def cells(self) -> Sequence[int]:
        """The numbers."""
        return self._read(self.path)

    def __getitem__(self, index: int) -> int:
        return self.cells[index]

    def __len__(self) -> int:
        return len(self.cells)


Steps = list[tuple[int, int, int, int]] | None
"""Steps of a move as (kind, cell, count, seat), or None when nobody watches."""

Rule = TypeVar("Rule", bound=Callable[..., object])


def rule(function: Rule) -> Rule:
    """Mark a function as part of the rules, written in the integer subset."""
    return function


# What a step shows; the names are in `step.KINDS`, in this order.
LIFT = 0
SOW = 1
LAP = 2
CAPTURE = 3
ENTER = 4
PLACE = 5
FLIP = 6
GIVE = 7
CLAIM = 8
REFILL = 9
BURN = 10
PASS = 11
SWEEP = 12
SWAP = 13

# Why a game is over; the names are in `outcome.REASONS`, in this order. 0: it is not.
BY_SEEDS = 1
BY_MAJORITY = 2
BY_HALVES = 3
BY_NO_SEEDS = 4
BY_NO_FEEDING_MOVE = 5
BY_STANDSTILL = 6
BY_DISCS = 7
BY_NO_MOVES = 8
BY_ROUNDS = 9
BY_FRONT_ROW = 10
BY_NO_REFILL = 11
BY_ALL_PITS = 12

NOBODY = 0
"""In a WINNER cell: a draw. A seat is written as its index plus one."""

ENDLESS = 1000
"""A move that would take seeds in hand more often than this is endless (G8).

To find that out costs plain Python about half a millisecond for each such move."""

NEVER_ENDS = -1
"""In an OVER cell: a move was tried that is not legal, because it is endless (G8)."""


@rule
def leader(first: int, second: int) -> int:
    """Return who has more, as a WINNER cell says it."""
    if first > second:
        return 1
    if second > first:
        return 2
    return NOBODY


@rule
def popcount(word: int) -> int:
    """Count the ones of a 64-bit word."""
    return word.bit_count()


@rule
def lowest(word: int) -> int:
    """Return the index of the lowest one of a 64-bit word that is not 0."""
    return (word & -word).bit_length() - 1


@rule
def highest(word: int) -> int:
    """Return the index of the highest one of a 64-bit word that is not 0."""
    return word.bit_length() - 1


@rule
def bit(index: int) -> int:
    """Return the word in which only this bit is one."""
    return 1 << index


@rule
def gather(word: int, factor: int) -> int:
    """Return the top 8 bits of a product of 64: lone bits, moved together by it."""
    return ((word * factor) >> 56) & 255


# What a search hands to a game file that looks ahead by itself


class Rows(Protocol):
    """Lists of numbers, one for each ply."""

    def __getitem__(self, ply: int) -> Moves: ...


class Memory(Protocol):
    """The part of a search's memory that a game file may use."""

    nodes: int
    limit: int
    stopped: bool
    ends: dict[tuple[int, int], int]

    @property
    def moves(self) -> Rows:
        """The moves at each ply."""

    @property
    def ranks(self) -> Rows:
        """What each of them is sorted by."""

    def is_used_up(self) -> bool:
        """Tell whether there is no budget left."""


MOST_ENDS = 1 << 18


def find_end(memory: Memory, own: int, other: int) -> int:
    """Return what is remembered of two words, or -1."""
    return memory.ends.get((own, other), -1)


def put_end(memory: Memory, own: int, other: int, entry: int) -> None:
    """Remember a number from 0 to 2**31 - 1; forget all when there is too much."""
    if len(memory.ends) >= MOST_ENDS:
        memory.ends.clear()
    memory.ends[own, other] = entry


def out_of_budget(memory: Memory) -> bool:
    """Tell whether the budget of a search is used up."""
    return memory.is_used_up()
