"""The FFO endings of Reversi, exactly: seconds of CPU time on one thread.

The baseline is the search of the middle of the game, which solves twelve squares and
fewer: how deep it comes in as much time.
"""

import time

from rules_core import find_game, parse
from rules_core.search import INFINITE, find_searcher
from tests.support.ffo import FFO
from tests.support.measure import report

AIMS_S = {"FFO40": 1.0, "FFO45": 60.0}
MOST_S = 300.0
NO_LIMIT = 1 << 62


def main() -> None:
    reversi = find_game("reversi")
    rows, spent = list[tuple[str, str]](), 0.0
    for ending in FFO:
        board = parse("reversi", ending.text).flat
        searcher = find_searcher(reversi, NO_LIMIT, MOST_S)
        began = time.process_time()
        found = searcher.solve(board, -64, 64)
        took = time.process_time() - began
        spent = spent or took
        right = "exact" if found == ending.margin else f"WRONG, it is {ending.margin}"
        aim = AIMS_S.get(ending.name)
        verdict = "" if aim is None else "reached" if took < aim else "missed"
        aimed = f" (aim {aim:.0f} s: {verdict})" if aim else ""
        empty = ending.text.count("-")
        nodes = searcher.nodes / 1e6
        speed = f"{nodes:.1f} M nodes, {nodes / took:.1f} M/s"
        rows.append(
            (
                f"{ending.name}, {empty} empty{aimed}",
                f"{found:+d} {right}, {took:.2f} s, {speed}",
            )
        )
    first = parse("reversi", FFO[0].text).flat
    searcher = find_searcher(reversi, NO_LIMIT, spent)
    depth = 0
    while not searcher.stopped:
        searcher.value(first, depth + 1, -INFINITE, INFINITE)
        depth += not searcher.stopped
    rows.append(
        (
            f"{FFO[0].name} by the other search, {spent:.2f} s",
            f"depth {depth}; from {FFO[0].text.count('-') - 12} on it is solved",
        )
    )
    report("Endings of Reversi", rows)


if __name__ == "__main__":
    main()
