"""Whatever comes over the wire, both servers answer as HTTP does, and nothing breaks.

`SEEDLOG_FUZZ_REQUESTS=100000` asks for the long run; a failure tells its seed.
"""

import os
import random
import socket
from typing import Any
from urllib.parse import urlsplit

import pytest

from services.client import Seedlog
from tests.http.mutations import request
from tests.support.processes import children, memory_kb
from tests.support.serving import Answer, Client
from tests.support.stack import Stack

REQUESTS = int(os.environ.get("SEEDLOG_FUZZ_REQUESTS", "5000"))
SEED = int(os.environ.get("SEEDLOG_FUZZ_SEED", "1"))
WITHIN_S = 0.25
GROWTH = 1.10


@pytest.fixture(scope="module")
def match(stack: Stack) -> dict[str, Any]:
    """Open a match that is only looked at, beside those that chance opens."""
    human = {"kind": "human"}
    seats = {"south": human, "north": human}
    return dict(stack.client.open_match("kalah", seats))


def paths(match_id: str) -> list[bytes]:
    match = f"/v1/matches/{match_id}"
    targets = [
        match,
        "/v1/matches",
        "/v1/games",
        "/v1/games/kalah/rules",
        "/",
        "/v1/events",
    ]
    targets += [
        f"{match}/{name}" for name in ("events", "moves", "audit", "export", "stream")
    ]
    targets += [
        f"{match}/{name}" for name in ("players", "draw-offers", "takebacks/answer")
    ]
    targets += ["/v1/guest-matches", "/v1/imports", "/v1/stream", "/health/ready"]
    targets += ["/openapi.yaml", "/problems/not-found", "/static/main.js", "*"]
    return [path.encode() for path in targets]


def send(port: int, data: bytes, chance: random.Random) -> Answer | None:
    """Send bytes, in one piece or cut in two; return the answer if one comes soon.

    Half a request has none until its time is up; so its sender says that it ends.
    """
    with Client(port) as client:
        client.socket.settimeout(WITHIN_S)
        cut = chance.randrange(len(data) + 1) if chance.random() < 0.2 else 0
        try:
            for piece in (data[:cut], data[cut:]):
                if piece:
                    client.send(piece)
            client.socket.shutdown(socket.SHUT_WR)
            return client.receive("HEAD" if data.startswith(b"HEAD") else "GET")
        except OSError:  # too late, or the other side was through before us
            return None


@pytest.mark.parametrize("server", ["api", "stream"])
def test_whatever_comes_is_answered_or_left(
    stack: Stack, match: dict[str, Any], server: str
) -> None:
    facts = stack.facts
    port = urlsplit(facts["url" if server == "api" else "stream_url"]).port or 0
    tokens = [token.encode() for token in (stack.api_key, "st_x.south.0.y", "sk_no")]
    chance = random.Random(SEED)
    word = "gunicorn" if server == "api" else "services.cli stream"
    pids = stack.pids(word)
    pids += [pid for pid in children(pids) if pid not in pids]
    answered, refused, warm = 0, 0, {}
    for number in range(REQUESTS):
        data = request(chance, paths(match["id"]), tokens)
        answer = send(port, data, chance)
        if number == REQUESTS // 3:
            warm = {pid: memory_kb(pid) for pid in pids}
        if answer is None:
            continue
        answered += 1
        assert answer.status < 500 or answer.status in (501, 503), (SEED, number, data)
        if answer.status >= 400 and answer.body:
            refused += 1
            assert answer.problem, (SEED, number, data)

    assert answered > REQUESTS // 2
    assert refused > REQUESTS // 4
    for pid, before in warm.items():
        assert memory_kb(pid) < before * GROWTH + 4_000, (before, memory_kb(pid))
    assert is_unchanged(stack.client, match)
    output = (stack.data / "output.txt").read_text()
    assert "Traceback" not in output
    assert "starting it again" not in output


def is_unchanged(client: Seedlog, match: dict[str, Any]) -> bool:
    """Tell whether nothing was appended: no request of chance names who acts."""
    return bool(client.match(match["id"])["version"] == match["version"])
