"""What the tests of the clients stand on: a stack behind networks that can be bad."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from services.cli import redis_server
from services.client import Seedlog
from tests.support.cutter import Cutter, cutting
from tests.support.stack import ALL_KINDS, Stack, running_stack

HEARTBEAT_S = 1
HUMANS: dict[str, dict[str, Any]] = {
    "south": {"kind": "human"},
    "north": {"kind": "human"},
}
AGAINST_AI: dict[str, dict[str, Any]] = {
    "south": {"kind": "human"},
    "north": {"kind": "ai", "level": 1},
}
SHORT = {"pits": 4, "seeds": 2}
"""Options of Kalah for matches of a few moves."""


@dataclass
class World:
    """A stack, and what stands before its API and its streams."""

    stack: Stack
    api: Cutter
    streams: Cutter

    def client(self, retry_for_s: float = 60.0) -> Seedlog:
        """Return a client that speaks through the bad networks."""
        return Seedlog(
            self.api.url,
            self.stack.api_key,
            retry_for_s=retry_for_s,
            heartbeat_s=HEARTBEAT_S,
        )

    def mend(self) -> None:
        """Make the networks good again."""
        for cutter in (self.api, self.streams):
            cutter.cut_requests = cutter.cut_answers = 0.0
            cutter.mute = 0


@contextmanager
def running_world(folder: Path) -> Iterator[World]:
    """Run a stack; what it says of its streams leads through the bad network."""
    port = redis_server.free_port()
    with cutting(port) as streams:
        settings = {
            **ALL_KINDS,
            "SEEDLOG_STREAM_PORT": str(port),
            "SEEDLOG_STREAM_URL": streams.url,
            "SEEDLOG_HEARTBEAT_S": str(HEARTBEAT_S),
            "SEEDLOG_WEBHOOK_PRIVATE": "1",
            "SEEDLOG_ORIGINS": "*",
        }
        with running_stack(folder, **settings) as stack:
            own = urlsplit(stack.url).port or 0
            with cutting(own) as api:
                yield World(stack, api, streams)
