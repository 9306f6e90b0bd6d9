"""What a move was worth, beside the best one: its loss, and a code that comments on it.

Values are final margins, in seeds or discs, that a seat may expect (a whole number and
exact, or an estimate). Pure: thinking is done elsewhere.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from rules_core import Position
from rules_core.search.root import all_there_is

FORCED, BEST, GOOD = "forced", "best", "good"
INACCURACY, MISTAKE, BLUNDER = "inaccuracy", "mistake", "blunder"
COMMENTS = (FORCED, BEST, GOOD, INACCURACY, MISTAKE, BLUNDER)
ERRORS = (INACCURACY, MISTAKE, BLUNDER)

SHARES = {BLUNDER: 0.12, MISTAKE: 0.06, INACCURACY: 0.02}
"""From which loss on it is one, as a share of all seeds or squares: of the 48 seeds of
Kalah some 6, 3 and 1."""


def comment_on(
    loss: float, size: int, *, is_best: bool, choices: int, turned: bool
) -> str:
    """Return the code for a move that loses so much; *turned*: a sure win, or draw."""
    if choices == 1:
        return FORCED
    if is_best:
        return BEST
    if turned:
        return BLUNDER
    for code, share in SHARES.items():
        if loss >= share * size:
            return code
    return GOOD


def judge(
    position: Position,
    move: str,
    best: dict[str, Any],
    after: tuple[float, bool],
) -> dict[str, Any]:
    """Return what is told of a move: *best* is the first line in the position.

    *after* is what the position after it is worth, to whoever moved, and whether that
    is exact. A move that turns out better than what was held for best loses nothing.
    """
    value, is_exact = after
    is_best = move == best["moves"][0]
    if is_best and not is_exact:
        value, is_exact = best["value"], best["exact"]
    loss = max(0.0, best["value"] - value)
    turned = best["exact"] and is_exact and _result(best["value"]) > _result(value)
    choices = len(position.legal_moves)
    size = all_there_is(position)
    comment = comment_on(loss, size, is_best=is_best, choices=choices, turned=turned)
    return {
        "seat": position.to_move,
        "move": move,
        "value": value,
        "exact": is_exact,
        "loss": round(loss, 2) if comment not in (FORCED, BEST) else 0.0,
        "comment": comment,
        "best": best,
    }


def mistakes(plies: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the moves that lost something worth telling: the worst code first.

    Of the same code the greatest loss comes first.
    """
    found = [ply for ply in plies if ply["comment"] in ERRORS]
    found.sort(key=lambda ply: (-ERRORS.index(ply["comment"]), -ply["loss"]))
    return [{name: ply[name] for name in ("ply", *TOLD)} for ply in found]


TOLD = ("seat", "move", "loss", "comment")


def count_comments(
    seats: Sequence[str], plies: Iterable[dict[str, Any]]
) -> dict[str, dict[str, int]]:
    """Return how many moves of each seat got which comment."""
    counted = {seat: dict.fromkeys(COMMENTS, 0) for seat in seats}
    for ply in plies:
        counted[ply["seat"]][ply["comment"]] += 1
    return counted


def _result(value: float) -> int:
    return (value > 0) - (value < 0)
