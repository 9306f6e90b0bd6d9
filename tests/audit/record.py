"""Writes the recorded exports: `python -m tests.audit.record`.

They are of the format of their day, and must verify for ever: a file that is there is
left alone.
"""

import itertools
import random

from rules_core import GAMES, Game, find_game
from tests.support.samples import RECORDED
from tests.support.tables import Table


def main() -> None:
    RECORDED.mkdir(exist_ok=True)
    for game in GAMES:
        _record(game, game.rules)
    for game in (find_game("kalah"), find_game("congkak")):
        _record(game, f"{game.rules}-pie", pie=True)


def _record(game: Game, name: str, **options: object) -> None:
    path = RECORDED / f"{name.replace('/', '-')}.jsonl"
    if path.exists():
        return
    for attempt in itertools.count():  # with a swap, if there can be one
        table = Table(game, random.Random(f"{name}{attempt or ''}"), f"mat_{game.key}")
        table.open(options=options)
        export = table.play(50).export()
        if not options or b'"move":"swap"' in export:
            break
    path.write_bytes(export)
    print(f"{path.name}: {table.match.version} events, {table.match.status}")


if __name__ == "__main__":
    main()
