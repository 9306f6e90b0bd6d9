"""How fast a view is built anew from the log, beside reading the log alone."""

import random
import tempfile
import time
from pathlib import Path

from services.cli import redis_server
from services.eventlog import PARTITIONS, RedisEventLog
from services.match import MatchService, OpenMatch, Player, PlayMove
from services.match.phrases import PHRASES
from services.views import MatchList, Projector
from tests.support.measure import report, spread

MATCHES = 200
ROUNDS = 3


def fill(service: MatchService) -> None:
    chance = random.Random(1)
    human = Player(kind="human", player="ply_0123456789abcdef")
    for number in range(MATCHES):
        opening = OpenMatch(
            game="kalah", tenant="ten_local", seats={"south": human, "north": human}
        )
        match_id = f"mat_{number:022d}"
        match = service.handle(match_id, opening, by="key:0123456789ab").match
        while match.to_move is not None and match.position is not None:
            move = chance.choice(match.position.legal_moves)
            command = PlayMove(seat=match.to_move, move=move)
            match = service.handle(match_id, command, by="seat").match


def read_all(log: RedisEventLog) -> int:
    return sum(
        len(log.read(stream))
        for partition in range(PARTITIONS)
        for stream in log.streams(partition)
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        port = redis_server.free_port()
        process = redis_server.start(Path(folder), port, redis_server.VOLATILE)
        url = f"redis://127.0.0.1:{port}/0"
        log = RedisEventLog(url, phrases=PHRASES)
        fill(MatchService(log, lambda: 1_700_000_000_000))
        reading, rebuilding = [], []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            events = read_all(log)
            reading.append(events / (time.perf_counter() - began))
            began = time.perf_counter()
            Projector(log, MatchList(url)).rebuild()
            rebuilding.append(events / (time.perf_counter() - began))
        process.terminate()
        process.wait()
    ratios = [whole / alone for whole, alone in zip(rebuilding, reading, strict=True)]
    report(
        f"Rebuild of the list of matches ({MATCHES} Kalah matches, {events} events)",
        [
            ("events/s, with every rule replayed", spread(rebuilding, 0)),
            ("events/s, reading alone", spread(reading, 0)),
            ("ratio", spread(ratios, 2)),
        ],
    )


if __name__ == "__main__":
    main()
