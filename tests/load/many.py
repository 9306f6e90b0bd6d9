"""`python -m tests.load.many`: rebuild, audit, backup and restore of many matches.

Some hundred real playthroughs are written under fresh ids, most of them into the
archive, as an installation of years has them. Then each command runs as operators run
it, killed in its middle and run again to its end: how long, and in how much memory. Of
that it has to take the same for 20,000 and for 200,000.
"""

import argparse
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click
import orjson

from rules_core import GAMES
from services.archive.archive import SUFFIX
from services.archive.segment import ColdStream, pack_segment
from services.bootstrap import Services, connect
from services.cli import redis_server
from services.cli.view_commands import VIEWS
from services.eventlog import (
    Head,
    MemoryEventLog,
    StoredEvent,
    chain_all,
    genesis,
)
from services.eventlog.keys import key_of
from services.eventlog.records import PARTITIONS
from services.local_files import make_private_folder
from services.match import MatchService, OpenMatch, Player, PlayMove, Resign
from services.match.notes import note_of
from services.settings import Settings
from services.views.lease import LEASE_S
from tests.support.archived import none_damaged
from tests.support.group import Single, single_server

PLAYTHROUGHS = 200
LIVE = 1_000
SEGMENT = 500
LOOK_EVERY_S = 0.1
MEBIBYTE = 1024.0
TENANT, ARCHIVE = "ten_local", "archive"
START_MS = 1_700_000_000_000


@dataclass(frozen=True, slots=True)
class Run:
    """What a command took: seconds, and mebibytes of memory at its peak."""

    seconds: float
    peak: float
    said: str
    """The last line that speaks of matches."""


def playthroughs() -> list[list[StoredEvent]]:
    """Play matches of every game to their end, or until somebody gives up."""
    log = MemoryEventLog()
    service = MatchService(log, lambda: START_MS)
    human = Player(kind="human", player="ply_0123456789abcdef")
    games = list(GAMES)
    for number in range(PLAYTHROUGHS):
        chance, game = random.Random(number), games[number % len(games)]
        name = f"mat_{number}"
        seats = dict.fromkeys(game.seats, human)
        opening = OpenMatch(game=game.key, tenant=TENANT, seats=seats)
        match = service.handle(name, opening, by="key:0123456789ab").match
        for _ in range(chance.randrange(2, 60)):
            if match.to_move is None or match.position is None:
                break
            move = chance.choice(match.position.legal_moves)
            command = PlayMove(seat=match.to_move, move=move)
            match = service.handle(name, command, by="seat").match
        if not match.is_over:
            service.handle(name, Resign(seat=game.seats[0]), by="seat")
    return [log.read(f"mat_{number}") for number in range(PLAYTHROUGHS)]


def fill(services: Services, count: int, begun: int = 0) -> None:
    """Write matches until there are so many; most stand in the archive alone."""
    played = playthroughs()
    folder = services.settings.data / ARCHIVE
    make_private_folder(folder)
    length = count - begun
    with click.progressbar(length=length, label="Writing", file=sys.stderr) as bar:
        for number in range(begun, LIVE):
            name, events = new_name(), played[number % len(played)]
            note = note_of(services.matches.replay(name, events))
            services.event_log.append(name, Head(0, genesis(name)), events, note)
            bar.update(1)
        for begin in range(max(begun, LIVE), count, SEGMENT):
            cold = [
                cold_stream(new_name(), played[number % len(played)])
                for number in range(begin, min(begin + SEGMENT, count))
            ]
            segment = f"{begin:016x}"
            data, _ = pack_segment(segment, cold)
            (folder / f"{segment}{SUFFIX}").write_bytes(data)
            bar.update(len(cold))
    services.archive.reindex(none_damaged)


def new_name() -> str:
    return f"mat_{secrets.token_hex(11)}"


def cold_stream(name: str, events: list[StoredEvent]) -> ColdStream:
    """Return a playthrough as a match of its own; the chain begins with its name."""
    head = Head(len(events), chain_all(genesis(name), events))
    return ColdStream(name, TENANT, head, events)


def seedlog(
    settings: Settings, *arguments: str, kill_when: Callable[[], bool] | None = None
) -> Run:
    """Run a command on a log; kill it when it is time."""
    environment = {
        **os.environ,
        "REDIS_URL": settings.redis_url,
        "SEEDLOG_DATA": str(settings.data),
        "SEEDLOG_SECRET": settings.secret,
    }
    began = time.monotonic()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(
            [sys.executable, "-m", "services.cli", *arguments],
            env=environment,
            stdout=said,
            stderr=said,
        )
        ended = 0
        while kill_when is not None and not ended:
            time.sleep(LOOK_EVERY_S)
            if kill_when():
                os.kill(process.pid, signal.SIGKILL)
                break
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
        if not ended:
            _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        said.seek(0)
        lines = said.read().decode().splitlines()
    expected = -signal.SIGKILL if kill_when else 0
    if process.returncode != expected:
        raise SystemExit(f"{arguments} ended with {process.returncode}: {lines}")
    told = [line for line in lines if " matches" in line]
    return Run(seconds, usage.ru_maxrss / MEBIBYTE, told[-1] if told else "")


def after(seconds: float) -> Callable[[], bool]:
    """Return what is true after a time."""
    until = time.monotonic() + seconds
    return lambda: time.monotonic() > until


def audited(state: Path, count: int) -> Callable[[], bool]:
    """Return what is true when an audit has come to so many matches."""

    def is_there() -> bool:
        return state.exists() and orjson.loads(state.read_bytes())["matches"] >= count

    return is_there


def restored(server: Single, count: int) -> Callable[[], bool]:
    """Return what is true when so many matches are in a log."""

    def is_there() -> bool:
        [port] = server.servers
        names = [key_of("streams", partition) for partition in range(PARTITIONS)]
        return sum(server.ask(port, "ZCARD", name) for name in names) >= count

    return is_there


@contextmanager
def log_in(folder: Path) -> Iterator[tuple[Single, Settings]]:
    """Run an empty log in a folder."""
    with single_server(folder, redis_server.VOLATILE) as server:
        settings = Settings(redis_url=server.url, data=folder, secret="many" * 8)
        yield server, settings


def measure(folder: Path, count: int) -> None:
    """Fill a log, do with it what an operator does, and print what each step took."""
    state, file = folder / "audit.json", str(folder / "backup.gz")
    audit = ("audit", "--all", "--state", str(state))
    half = count // 2
    with (
        log_in(folder / "full") as (_, full),
        log_in(folder / "empty") as (server, empty),
    ):
        fill(connect(full), count)

        def do(
            name: str,
            log: Settings,
            *command: str,
            killed: Callable[[], bool] | None = None,
        ) -> float:
            run = seedlog(log, *command, kill_when=killed)
            took = f"{run.seconds:8.1f} s {run.peak:6.0f} MiB"
            print(f"{name:<28} {took}  {run.said}", flush=True)
            return run.seconds

        do("audit, killed", full, *audit, killed=audited(state, half))
        seconds = do("audit, gone on", full, *audit)
        for view in VIEWS:
            dies = after(seconds / 4)
            do(f"rebuild {view}, killed", full, "rebuild", view, killed=dies)
            time.sleep(LEASE_S)  # so long the dead one is taken for alive
            do(f"rebuild {view}, again", full, "rebuild", view)
        do("backup, killed", full, "backup", file, killed=after(seconds / 4))
        do("backup, gone on", full, "backup", file, "--continue")
        do("restore, killed", empty, "restore", file, killed=restored(server, half))
        do("restore, gone on", empty, "restore", file)
        do("audit of what was restored", empty, *audit)


def main() -> None:
    """Measure so many matches as are asked for."""
    parser = argparse.ArgumentParser("python -m tests.load.many", description=__doc__)
    parser.add_argument("--matches", type=int, default=20_000)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), asked.matches)


if __name__ == "__main__":
    main()
