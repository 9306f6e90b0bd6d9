"""kill -9 of every process during play: nothing acknowledged is lost, nothing doubled.

A killed process does not test fsync; that the server is told to sync every append is
asserted from the running server.
"""

import itertools
import os
import random
import signal
import threading
import time
import urllib.error
from pathlib import Path
from typing import Any

from services.cli import redis_server
from services.cli.client import ApiError, Client
from services.eventlog.connection import Connections
from tests.support.proof import prove
from tests.support.stack import Stack, running_stack

# What is killed, by a word of its command line, in this order, twice.
VICTIMS = ("dispatcher", "ai-worker", "gunicorn", "projector", "log", "queue")
BETWEEN_KILLS_S = 1.2
AI_MATCHES_AT_ONCE = 3
LONGEST_WAIT_S = 30.0  # longer, and a turn was lost; how soon one comes says the bench


def persistently(send: Any, stopping_at: float) -> Any:
    """Send again what got no answer, with the same key, as a client should."""
    while True:
        try:
            return send()
        except ApiError as error:
            if error.status != 503:
                raise
        except (urllib.error.URLError, ConnectionError, TimeoutError, OSError):
            pass
        assert time.monotonic() < stopping_at, "the stack did not come back"
        time.sleep(0.05)


class Player(threading.Thread):
    """Plays matches against an AI, and remembers every acknowledged move."""

    def __init__(self, client: Client, game: str, seed: int) -> None:
        super().__init__()
        self.client, self.game = client, game
        self.chance = random.Random(seed)
        self.acknowledged: dict[tuple[str, int], str] = {}
        self.matches: list[str] = []
        self.longest_wait_s = 0.0
        self.stopping = threading.Event()
        self.failure: BaseException | None = None
        self.keys = (f"{seed}-{number}" for number in itertools.count())

    def run(self) -> None:
        try:
            while not self.stopping.is_set():
                self.play_match()
        except BaseException as error:
            self.failure = error
            raise

    def post(self, path: str, body: dict[str, Any], **headers: str) -> Any:
        headers["Idempotency_Key"] = next(self.keys)
        until = time.monotonic() + 40
        return persistently(lambda: self.client.post(path, body, **headers), until)

    def play_match(self) -> None:
        first, second = (
            ("black", "white") if self.game == "reversi" else ("south", "north")
        )
        seats = {first: {"kind": "human"}, second: {"kind": "ai", "level": 3}}
        match = self.post("/v1/matches", {"game": self.game, "seats": seats})
        self.matches.append(match["id"])
        path = f"/v1/matches/{match['id']}"
        while not match["outcome"]:
            if self.stopping.is_set() and match["to_move"] == first:
                self.post(f"{path}/resignation", {"seat": first})
                return
            if match["to_move"] == first:
                move = self.chance.choice(match["legal_moves"])
                body = {"move": move, "seat": first}
                version = f'"{match["version"]}"'
                answer = self.post(f"{path}/moves", body, If_Match=version)
                played = answer["events"][0]
                self.acknowledged[match["id"], played["version"]] = move
            match = self.await_reply(match["id"], first)

    def await_reply(self, match_id: str, seat: str) -> dict[str, Any]:
        began = time.monotonic()
        wait = lambda: self.client.wait_for(match_id, seat)  # noqa: E731
        match: dict[str, Any] = persistently(wait, began + 60)
        self.longest_wait_s = max(self.longest_wait_s, time.monotonic() - began)
        return match


def kill(stack: Stack, word: str) -> None:
    """Kill the processes of one kind as a power cut would."""
    if word in ("log", "queue"):
        url = stack.facts[f"{word}_url" if word == "queue" else "redis_url"]
        info = Connections(url).call("INFO", "server")
        pid = next(line[11:] for line in info.splitlines() if "process_id" in line)
        victims = [int(pid)]
    else:
        victims = stack.pids(word)[:1]
    assert victims, f"no process {word!r} to kill"
    for pid in victims:
        os.kill(pid, signal.SIGKILL)


def test_nothing_acknowledged_is_lost_and_every_match_ends(tmp_path: Path) -> None:
    with running_stack(tmp_path) as stack:
        redis = Connections(stack.facts["redis_url"])
        for name, value in redis_server.DURABLE.items():
            assert redis.call("CONFIG", "GET", name) == [name, value]

        players = [
            Player(stack.client, game, seed)
            for seed, game in enumerate(["kalah", "oware", "reversi"])
        ]
        for player in players:
            player.start()
        watched = [open_ai_match(stack, n) for n in range(AI_MATCHES_AT_ONCE)]
        for number, word in enumerate(VICTIMS * 2):
            time.sleep(BETWEEN_KILLS_S)
            kill(stack, word)
            watched.append(open_ai_match(stack, number))
        time.sleep(BETWEEN_KILLS_S)
        for player in players:
            player.stopping.set()
        for player in players:
            player.join(timeout=90)
            assert player.failure is None

        acknowledged = {k: v for p in players for k, v in p.acknowledged.items()}
        matches = [match for p in players for match in p.matches] + watched
        until = time.monotonic() + 90
        for match_id in matches:
            ended = persistently(
                lambda m=match_id: stack.client.wait_for(m, "nobody", 60), until
            )
            assert ended["outcome"], f"{match_id} did not end"
        logs = {match_id: prove(stack.client, match_id) for match_id in matches}

        for (match_id, version), move in acknowledged.items():
            assert logs[match_id][version - 1]["data"]["move"] == move
        moves = sum(
            event["type"] == "match.move_played" and event["by"].startswith("key:")
            for log in logs.values()
            for event in log
        )
        assert moves == len(acknowledged), "a move was doubled"
        assert len(acknowledged) > 50
        assert max(player.longest_wait_s for player in players) < LONGEST_WAIT_S
        is_listed = await_view(stack, {m: len(log) for m, log in logs.items()})
        assert is_listed, "the list of matches did not catch up"
        output = (tmp_path / "output.txt").read_text()
        for role in (
            "dispatcher",
            "ai-worker",
            "api",
            "projector",
            "redis (event log)",
        ):
            assert f"{role}" in output
        assert output.count("SIGKILL); starting it again") >= len(VICTIMS) * 2 - 2


def open_ai_match(stack: Stack, number: int) -> str:
    seats = {
        "south": {"kind": "ai", "level": 1 + number % 5},
        "north": {"kind": "ai", "level": 2 + number % 3},
    }
    key = {"Idempotency_Key": f"ai-{number}-{time.monotonic_ns()}"}
    body = {"game": "oware" if number % 2 else "kalah", "seats": seats}
    until = time.monotonic() + 30
    match = persistently(lambda: stack.client.post("/v1/matches", body, **key), until)
    return str(match["id"])


def await_view(stack: Stack, versions: dict[str, int]) -> bool:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        cursor, shown = "", {}
        while cursor is not None:
            query = f"&cursor={cursor}" if cursor else ""
            page = stack.client.get(f"/v1/matches?limit=200{query}")
            shown |= {row["id"]: row["version"] for row in page["data"]}
            cursor = page["next_cursor"]
        if shown == versions:
            return True
        time.sleep(0.2)
    return False
