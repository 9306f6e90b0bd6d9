"""How fast exports are verified, with every rule played again, on one core.

Beside it, in the same run and over the same bytes, a plain baseline: reading each line
as JSON with the standard library, and hashing the chain, with no rule and no signature.
"""

import hashlib
import itertools
import json
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from rules_core import find_game
from services.audit import SigningKeys, export_lines, verify
from services.audit.export import PlayerName
from services.audit.signing_keys import SigningKey
from services.eventlog import MemoryEventLog, genesis
from services.match import MatchService, OpenMatch, Player, PlayMove
from tests.support.measure import report, spread

ROUNDS = 21
EVENTS = 20_000
AIM = 100_000
# The first is the match that the aim is for: about 60 moves.
GAMES: tuple[tuple[str, dict[str, object]], ...] = (
    ("kalah", {"seeds": 6}),
    ("kalah", {}),
    ("oware", {}),
    ("congkak", {}),
    ("bao-kujifunza", {}),
    ("reversi", {}),
)
PRIVATE = "5eed" * 16
BEGAN_MS = 1_763_000_000_000
AT = "2026-11-21T12:00:00.000Z"


def exports(game: str, options: dict[str, object], key: SigningKey) -> list[bytes]:
    """Return exports of matches played at random, until there are events enough."""
    chance = random.Random(game)
    log = MemoryEventLog()
    clock = itertools.count(BEGAN_MS, 4_321)
    service = MatchService(log, lambda: next(clock))
    human = Player(kind="human", player="ply_a")
    made: list[bytes] = []
    count = 0
    while count < EVENTS:
        name = f"mat_{len(made)}"
        seats = dict.fromkeys(find_game(game).seats, human)
        opening = OpenMatch(game=game, tenant="ten_a", options=options, seats=seats)
        match = service.handle(name, opening, by="key:bench").match
        while match.to_move and match.position and match.version < 200:
            move = chance.choice(match.position.legal_moves)
            command = PlayMove(seat=match.to_move, move=move)
            match = service.handle(name, command, by="seat").match
        events = log.read(name)
        lines = export_lines(
            name, match.rules, events, {"ply_a": PlayerName()}, key, AT
        )
        made.append("".join(lines).encode())
        count += len(events)
    return made


def baseline(data: bytes) -> None:
    """Read every line as JSON, and hash the chain."""
    lines = data.decode().splitlines()
    head = genesis(json.loads(lines[0])["match"])
    for line in lines[1:-1]:
        json.loads(line)
        text = line[len('{"event":') : line.rindex(',"hash":"')]
        head = hashlib.sha256((head + text).encode()).hexdigest()
    assert json.loads(lines[-1])["head"]["hash"] == head


def check(data: bytes) -> None:
    assert verify(data).is_ok


def rate(work: Callable[[bytes], None], files: list[bytes], events: int) -> float:
    """Return events a second of CPU time."""
    began = time.process_time()
    for data in files:
        work(data)
    return events / (time.process_time() - began)


def measure(game: str, options: dict[str, object], key: SigningKey) -> bool:
    """Measure matches of a game; return whether the aim was reached."""
    files = exports(game, options, key)
    events = sum(data.count(b"\n") - 2 for data in files)
    verified, plain, ratios = [], [], []
    for _ in range(ROUNDS):
        plain.append(rate(baseline, files, events))
        verified.append(rate(check, files, events))
        ratios.append(plain[-1] / verified[-1])
    said = "".join(f", {name} {value}" for name, value in options.items())
    report(
        f"Verifying {len(files)} exports: {events // len(files)} events, {game}{said}",
        [
            ("events/s", spread(verified, 0)),
            ("events/s, JSON and SHA-256 alone", spread(plain, 0)),
            ("times the cost of JSON and SHA-256 alone", spread(ratios, 2)),
        ],
    )
    return statistics.median(verified) >= AIM


def main() -> None:
    key = SigningKeys(Path(), PRIVATE, lambda: 0).current()[0]
    reached = [measure(game, options, key) for game, options in GAMES]
    report(f"Aim: {AIM} events/s of the first", [("reached", str(reached[0]))])


if __name__ == "__main__":
    main()
