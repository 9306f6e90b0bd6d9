"""Writes the recorded exports: `python -m tests.audit.record`.

They are of the format of their day, and must verify for ever: a file that is there is
left alone.
"""

import random

from rules_core import GAMES
from tests.support.samples import RECORDED
from tests.support.tables import Table


def main() -> None:
    RECORDED.mkdir(exist_ok=True)
    for game in GAMES:
        path = RECORDED / f"{game.rules.replace('/', '-')}.jsonl"
        if path.exists():
            continue
        table = Table(game, random.Random(game.rules), f"mat_{game.key}")
        table.open()
        path.write_bytes(table.play(50).export())
        print(f"{path.name}: {table.match.version} events, {table.match.status}")


if __name__ == "__main__":
    main()
