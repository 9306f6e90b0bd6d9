"""A look at one position by the search of a checkout, deeper and deeper.

`python look.py CHECKOUT` reads `{"game", "options", "starter", "moves", "time_s"}` and
prints `{"nodes", "plays", "depth", "time_s"}`, both as JSON.
"""

import json
import sys
import time
from typing import Any

FOREVER = 1 << 60


def look(position: Any, time_s: float) -> dict[str, float]:
    from rules_core.search import find_searcher
    from rules_core.search.alphabeta import INFINITE, MAX_PLY

    began = time.perf_counter()
    searcher = find_searcher(position.game, FOREVER, time_s)
    for depth in range(1, MAX_PLY):
        searcher.value(position.flat, depth, -INFINITE, INFINITE)
        if searcher.stopped:
            break
    spent, nodes = time.perf_counter() - began, searcher.nodes
    plays = getattr(searcher, "plays", nodes)
    return {"nodes": nodes, "plays": plays, "depth": depth - 1, "time_s": spent}


def main(checkout: str) -> None:
    sys.path[0] = checkout
    from rules_core import start

    asked = json.loads(sys.stdin.read())
    position = start(asked["game"], asked["options"], asked["starter"])
    for move in asked["moves"]:
        position = position.play(move)
    print(json.dumps(look(position, asked["time_s"])))


if __name__ == "__main__":
    main(sys.argv[1])
