"""Players who look for somebody at once over real connections, some of whom vanish."""

import asyncio
import json
import random
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from tests.support.stack import Stack


@dataclass
class Seeker:
    """One player: what became of them, and when, in seconds of this machine's clock."""

    player: str
    vanishes: bool
    began: float = 0.0
    ended: float = 0.0
    told: dict[str, Any] | None = None
    statuses: list[int] = field(default_factory=list)


async def seek_all(
    stack: Stack, count: int, *, within_s: float, wait_s: int
) -> list[Seeker]:
    """Let so many players seek within a time; every second one soon hangs up."""
    chance = random.Random(1)
    seekers = [Seeker(f"u-{n}", vanishes=bool(n % 2)) for n in range(count)]
    arrivals = [chance.random() * within_s for _ in seekers]
    stays = [chance.random() * 0.6 for _ in seekers]
    await asyncio.gather(
        *(
            _seek(stack, seeker, wait_s, arrival, stay)
            for seeker, arrival, stay in zip(seekers, arrivals, stays, strict=True)
        )
    )
    return seekers


async def _seek(
    stack: Stack, seeker: Seeker, wait_s: int, arrival: float, stay: float
) -> None:
    await asyncio.sleep(arrival)
    host, port = urlsplit(stack.url).hostname, urlsplit(stack.url).port
    reader, writer = await asyncio.open_connection(host, port)
    seeker.began = time.monotonic()
    body = {"game": "kalah", "player": seeker.player, "wait_s": wait_s}
    _send(writer, stack, "POST", "/v1/seeks", body)
    try:
        within_s = stay if seeker.vanishes else None
        seeker.told = await asyncio.wait_for(_read(reader, seeker), within_s)
    except TimeoutError:
        seeker.told = None
    seeker.ended = time.monotonic()
    writer.close()


def _send(
    writer: asyncio.StreamWriter, stack: Stack, method: str, path: str, body: Any
) -> None:
    text = json.dumps(body).encode()
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {stack.api_key}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(text)}\r\n\r\n"
    )
    writer.write(head.encode() + text)


async def _read(reader: asyncio.StreamReader, seeker: Seeker) -> dict[str, Any]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    seeker.statuses.append(int(head.split(" ", 2)[1]))
    lengths = [
        int(line.split(":")[1])
        for line in head.lower().split("\r\n")
        if line.startswith("content-length")
    ]
    told: dict[str, Any] = json.loads(await reader.readexactly(lengths[0]))
    return told
