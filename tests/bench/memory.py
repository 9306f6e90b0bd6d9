"""What a match takes in Redis: bytes of an event, and of a match of 60 moves."""

import itertools
import random
import tempfile
from pathlib import Path

from services.archive import ColdStream, pack_stream
from services.cli import redis_server
from services.eventlog import RedisEventLog
from services.eventlog.connection import Connections
from services.match import MatchService, OpenMatch, Player, PlayMove
from services.match.phrases import PHRASES
from tests.support.measure import report, spread

MATCHES = 30
MOVES = 60
AIM_BYTES = 8 * 1024
AIM_ARCHIVED = 820


def play_match(service: MatchService, number: int) -> str | None:
    """Play an Oware match of at least so many moves; return its stream."""
    chance = random.Random(number)
    human = Player(kind="human", player="ply_0123456789abcdef")
    seats = {"south": human, "north": human}
    match_id = f"mat_{number:022d}"
    opening = OpenMatch(game="oware", tenant="ten_local", seats=seats)
    match = service.handle(match_id, opening, by="key:0123456789ab").match
    for _ in range(MOVES):
        if match.to_move is None or match.position is None:
            return None
        move = chance.choice(match.position.legal_moves)
        command = PlayMove(seat=match.to_move, move=move)
        match = service.handle(match_id, command, by="seat").match
    return match_id


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        port = redis_server.free_port()
        process = redis_server.start(Path(folder), port, redis_server.DURABLE)
        url = f"redis://127.0.0.1:{port}/0"
        redis, log = Connections(url), RedisEventLog(url, phrases=PHRASES)
        times = itertools.accumulate(itertools.cycle((3_217, 8_054, 1_499, 12_873)))
        service = MatchService(log, lambda: 1_700_000_000_000 + next(times))
        streams = [s for n in range(MATCHES) if (s := play_match(service, n))]
        sizes, per_event, archived = [], [], []
        for stream in streams:
            keys = redis.call("KEYS", f"*:{stream}:*")
            used = {key: redis.call("MEMORY", "USAGE", key) for key in keys}
            sizes.append(sum(used.values()))
            [events] = [size for key, size in used.items() if key.endswith(":ev")]
            per_event.append(events / len(log.read(stream)))
            state = log.load(stream)
            assert state is not None
            cold = ColdStream(stream, "ten_local", state.head, log.read(stream))
            archived.append(len(pack_stream(cold)))
        process.terminate()
        process.wait()
    verdict = "reached" if max(sizes) <= AIM_BYTES else "missed"
    report(
        f"Memory of matches of {MOVES} moves in Redis ({len(sizes)} matches)",
        [
            ("bytes of an event", spread(per_event)),
            (f"bytes of a match (aim {AIM_BYTES}: {verdict})", spread(sizes, 0)),
            (
                f"bytes of a match in the archive (aim {AIM_ARCHIVED})",
                spread(archived, 0),
            ),
        ],
    )


if __name__ == "__main__":
    main()
