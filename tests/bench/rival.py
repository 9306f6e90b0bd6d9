"""One side of a match: a checkout of this project that thinks, one line a move.

`python rival.py CHECKOUT` reads `{"game", "options", "starter", "moves", "time_s"}` and
answers `{"move", "depth", "nodes"}`, each as one line of JSON. Checkouts from before
`think` are asked as their computer player did.
"""

import json
import sys
from typing import Any

FOREVER = 1 << 60


def find_move(game: str, position: Any, time_s: float) -> dict[str, object]:
    try:
        from rules_core.search.thinking import Budget, think
    except ImportError:
        return by_deepening(position, time_s)
    thought = think(position, Budget(time_s), keep=True)
    line = thought.lines[0].moves if thought.lines else position.legal_moves
    return {"move": line[0], "depth": thought.depth, "nodes": thought.nodes}


def by_deepening(position: Any, time_s: float) -> dict[str, object]:
    from rules_core.search import find_searcher
    from workers.ai import choice

    searcher = find_searcher(position.game, FOREVER, time_s)
    values = choice.deepen(position, searcher, exact=False)  # type: ignore[attr-defined]
    move = next(iter(values), position.legal_moves[0])
    return {"move": move, "depth": 0, "nodes": searcher.nodes}


def is_compiled(position: Any) -> bool:
    from rules_core.compiled import find_compiled

    return find_compiled(position.game) is not None


def main(checkout: str) -> None:
    sys.path[0] = checkout
    from rules_core import start

    for line in sys.stdin:
        asked = json.loads(line)
        position = start(asked["game"], asked["options"], asked["starter"])
        for move in asked["moves"]:
            position = position.play(move)
        found = find_move(asked["game"], position, asked["time_s"])
        found["compiled"] = is_compiled(position)
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
