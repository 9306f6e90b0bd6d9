"""A stream process of its own, and a reader who tells its frames."""

import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from services.bootstrap import Services, connect
from services.cli import redis_server
from services.cli.forked import Forked, begin_to_import
from services.match import Match, OfferDraw, OpenMatch, Player, PlayMove
from services.match.commands import Answer
from services.settings import Settings
from services.stream import follower
from tests.support.patience import wait_for

SECRET = "a secret of these tests, long enough"
SSE, NDJSON = "text/event-stream", "application/x-ndjson"
HUMAN = Player(kind="human", player="ply_a")
WITHIN_S = 30.0

PATIENCE_S = 120.0


@dataclass
class Heard:
    """One frame as it was heard."""

    event: str
    id: int | None = None
    data: dict[str, Any] = field(default_factory=dict)


class Reader:
    """Reads one answer of the stream process, frame by frame."""

    def __init__(
        self,
        port: int,
        path: str,
        token: str = "",
        method: str = "GET",
        buffer: int = 0,
        **headers: str,
    ) -> None:
        self.socket = socket.socket()
        if buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        self.socket.settimeout(WITHIN_S)
        try:
            self.socket.connect(("127.0.0.1", port))
        except OSError:
            self.socket.close()
            raise
        sent = {"Host": f"127.0.0.1:{port}", "Accept": SSE}
        if token:
            sent["Authorization"] = f"Bearer {token}"
        sent |= {name.replace("_", "-"): text for name, text in headers.items()}
        lines = [f"{method} {path} HTTP/1.1", *(f"{n}: {t}" for n, t in sent.items())]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.file = self.socket.makefile("rb")
        self.status = 0
        self.headers: dict[str, str] = {}

    def head(self) -> "Reader":
        """Read status and headers."""
        self.status = int(self.file.readline().split()[1])
        while line := self.file.readline().decode("latin-1").strip():
            name, _, text = line.partition(": ")
            self.headers[name] = text
        return self

    def body(self) -> Any:
        """Read the rest as JSON."""
        text = self.file.read()
        return json.loads(text) if text else None

    def frames(self) -> Iterator[Heard]:
        """Yield what is heard until the stream ends; a heartbeat is one too."""
        heard = Heard("")
        for line in self.file:
            name, _, text = line.decode().rstrip("\n").partition(": ")
            if name == "":
                if text:
                    yield Heard(text)
                elif heard.event:
                    yield heard
                heard = Heard("")
            elif name == "id":
                heard.id = int(text)
            elif name == "event":
                heard.event = text
            elif name == "data":
                heard.data = json.loads(text)

    def lines(self) -> Iterator[dict[str, Any]]:
        """Yield the objects of an NDJSON stream."""
        for line in self.file:
            yield json.loads(line)

    def close(self) -> None:
        self.file.close()
        self.socket.close()


class Patient(Forked):
    """A stream process that leaves readers more time for its last words.

    It is forked from one that has imported all: that takes longer than most tests.
    """

    def __init__(self, environment: dict[str, str]) -> None:
        begin_to_import()
        super().__init__("stream", environment)

    @staticmethod
    def carry_out(role: str, environment: Mapping[str, str]) -> None:
        follower.READ_WITHIN_S = PATIENCE_S
        Forked.carry_out(role, environment)


class Streams:
    """A stream process on some Redis, and matches to follow there."""

    def __init__(self, redis_url: str, **settings: str) -> None:
        self.redis_url = redis_url
        self.settings = settings
        archive = settings.get("SEEDLOG_ARCHIVE", "")
        self.services: Services = connect(
            Settings(redis_url=redis_url, secret=SECRET, archive=archive)
        )
        self.key = self.services.tenants.create_key("ten_a")[0]
        self.port = redis_server.free_port()
        self.readers: list[Reader] = []
        self.start()

    def start(self) -> None:
        """Start the process, and wait until it answers."""
        self.process = Patient(
            {
                "REDIS_URL": self.redis_url,
                "SEEDLOG_SECRET": SECRET,
                "SEEDLOG_STREAM_PORT": str(self.port),
                **self.settings,
            }
        )
        wait_for("the streams", self._is_alive, self.process)

    def _is_alive(self) -> bool:
        with closing(Reader(self.port, "/health/live")) as reader:
            return reader.head().status == 200

    def stop(self, number: int = signal.SIGTERM) -> float:
        """Stop it; return how long that took, in seconds."""
        began = time.monotonic()
        self.send_signal(number)
        self.process.wait(WITHIN_S)
        return time.monotonic() - began

    def send_signal(self, number: int) -> None:
        os.kill(self.process.pid, number)

    def get(self, path: str, token: str | None = None, **options: Any) -> Reader:
        """Ask for something, and read the head of the answer."""
        key = self.key if token is None else token
        reader = Reader(self.port, path, key, **options)
        self.readers.append(reader)
        return reader.head()

    def follow(self, match: Match, query: str = "", **options: Any) -> Reader:
        """Follow a match."""
        reader = self.get(f"/v1/matches/{match.id}/events{query}", **options)
        assert reader.status == 200, reader.body()
        return reader

    def open_match(self, game: str = "kalah", tenant: str = "ten_a") -> Match:
        """Open a match between humans."""
        self.opened = getattr(self, "opened", 0) + 1
        first, second = ("black", "white") if game == "reversi" else ("south", "north")
        seats = {first: HUMAN, second: HUMAN}
        opening = OpenMatch(game=game, tenant=tenant, seats=seats)
        name = f"mat_{time.time_ns()}x{self.opened}"
        return self.services.matches.handle(name, opening, by="key:k").match

    def play(self, match: Match, count: int = 1000) -> Match:
        """Play the first legal move, so often or until the end."""
        for _ in range(count):
            if match.to_move is None or match.position is None:
                break
            move = PlayMove(seat=match.to_move, move=match.position.legal_moves[0])
            match = self.services.matches.handle(match.id, move, by="seat").match
        return match

    def close(self) -> None:
        for reader in self.readers:
            reader.close()
        if self.process.poll() is None:
            self.stop(signal.SIGKILL)


Running = Callable[..., Streams]


def talk(streams: Streams, match: Match, count: int) -> Match:
    """Offer and decline draws: events without end."""
    handle = streams.services.matches.handle
    for _ in range(count // 2):
        handle(match.id, OfferDraw(seat="south"), by="seat")
        answer = Answer(seat="north", kind="draw", accept=False)
        match = handle(match.id, answer, by="seat").match
    return match


def ids(frames: Iterable[Heard], count: int | None = None) -> list[int]:
    """Return the ids of so many frames that have one, or of all."""
    told = (frame.id for frame in frames if frame.id is not None)
    return list(islice(told, count))
