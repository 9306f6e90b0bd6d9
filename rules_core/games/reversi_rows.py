"""Rows of discs on a board of 64 squares: where a disc may be placed, what it flips.

A word holds the discs of one seat; bit 0 is a1, bit 63 is h8.
"""

from __future__ import annotations

from rules_core.kernel import rule

ALL = 0xFFFFFFFFFFFFFFFF
INNER = 0x7E7E7E7E7E7E7E7E  # the files b to g: a row that runs on never wraps round


@rule
def placements(own: int, other: int) -> int:
    """Return the empty squares where *own* would outflank a row of *other*."""
    inner = other & INNER
    squares = ends_up(own, inner, 1) | ends_down(own, inner, 1)
    squares |= ends_up(own, other, 8) | ends_down(own, other, 8)
    squares |= ends_up(own, inner, 7) | ends_down(own, inner, 7)
    squares |= ends_up(own, inner, 9) | ends_down(own, inner, 9)
    return squares & (ALL ^ (own | other))


@rule
def outflanked(own: int, other: int, disc: int) -> int:
    """R3: the unbroken rows of *other* between the new disc and one of *own*."""
    inner = other & INNER
    rows = row_up(own, inner, disc, 1) | row_down(own, inner, disc, 1)
    rows |= row_up(own, other, disc, 8) | row_down(own, other, disc, 8)
    rows |= row_up(own, inner, disc, 7) | row_down(own, inner, disc, 7)
    rows |= row_up(own, inner, disc, 9) | row_down(own, inner, disc, 9)
    return rows


@rule
def ends_up(own: int, other: int, shift: int) -> int:
    """Return the squares behind the rows of *other* that begin beside *own*."""
    row = (own << shift) & other
    row |= (row << shift) & other
    row |= (row << shift) & other
    row |= (row << shift) & other
    row |= (row << shift) & other
    row |= (row << shift) & other
    return (row << shift) & ALL


@rule
def ends_down(own: int, other: int, shift: int) -> int:
    """Do the same towards a1."""
    row = (own >> shift) & other
    row |= (row >> shift) & other
    row |= (row >> shift) & other
    row |= (row >> shift) & other
    row |= (row >> shift) & other
    row |= (row >> shift) & other
    return row >> shift


@rule
def row_up(own: int, other: int, disc: int, shift: int) -> int:
    """Return the row of *other* that begins beside the disc, if *own* ends it."""
    row = (disc << shift) & other
    row |= (row << shift) & other
    row |= (row << shift) & other
    row |= (row << shift) & other
    row |= (row << shift) & other
    row |= (row << shift) & other
    if (row << shift) & own:
        return row
    return 0


@rule
def row_down(own: int, other: int, disc: int, shift: int) -> int:
    """Do the same towards a1."""
    row = (disc >> shift) & other
    row |= (row >> shift) & other
    row |= (row >> shift) & other
    row |= (row >> shift) & other
    row |= (row >> shift) & other
    row |= (row >> shift) & other
    if (row >> shift) & own:
        return row
    return 0
