"""kill -9 of every process during play: nothing acknowledged is lost, nothing doubled.

A killed process does not test fsync; that the server is told to sync every append is
asserted from the running server.
"""

import os
import random
import signal
import threading
import time
from pathlib import Path

from services.cli import redis_server
from services.client import Seedlog
from services.client.shapes import Match
from services.eventlog.connection import Connections
from tests.support.patience import wait_for
from tests.support.proof import prove
from tests.support.stack import Stack, running_stack

# What is killed, by a word of its command line, in this order, twice.
VICTIMS = ("dispatcher", "ai-worker", "gunicorn", "projector", "log", "queue")
BETWEEN_KILLS_S = 1.2
AI_MATCHES_AT_ONCE = 3
MOVES = 50
LONGEST_WAIT_S = 30.0  # longer, and a turn was lost; how soon one comes says the bench


class Player(threading.Thread):
    """Plays matches against an AI, and remembers every acknowledged move."""

    def __init__(self, client: Seedlog, game: str, seed: int) -> None:
        super().__init__()
        self.client, self.game = client, game
        self.chance = random.Random(seed)
        self.acknowledged: dict[tuple[str, int], str] = {}
        self.matches: list[str] = []
        self.longest_wait_s = 0.0
        self.stopping = threading.Event()
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            while not self.stopping.is_set():
                self.play_match()
        except BaseException as error:
            self.failure = error
            raise

    def play_match(self) -> None:
        first, second = (
            ("black", "white") if self.game == "reversi" else ("south", "north")
        )
        seats = {first: {"kind": "human"}, second: {"kind": "ai", "level": 3}}
        match: Match = self.client.open_match(self.game, seats)
        match_id = match["id"]
        self.matches.append(match_id)
        while not match["outcome"]:
            if self.stopping.is_set() and match["to_move"] == first:
                self.client.resign(match_id, first)
                return
            if match["to_move"] == first:
                move = self.chance.choice(match["legal_moves"])
                answer = self.client.play(
                    match_id, move, version=match["version"], seat=first
                )
                self.acknowledged[match_id, answer["events"][0]["version"]] = move
            match = self.await_reply(match_id, first)

    def await_reply(self, match_id: str, seat: str) -> Match:
        began = time.monotonic()
        match = self.client.wait_for_turn(match_id, seat)
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
        wait_for("moves", lambda: sum(len(p.acknowledged) for p in players) > MOVES)
        for player in players:
            player.stopping.set()
        for player in players:
            player.join(timeout=90)
            assert player.failure is None

        acknowledged = {k: v for p in players for k, v in p.acknowledged.items()}
        matches = [match for p in players for match in p.matches] + watched
        for match_id in matches:
            ended = stack.client.wait_for_end(match_id, 90)
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
        assert max(player.longest_wait_s for player in players) < LONGEST_WAIT_S
        versions = {match_id: len(log) for match_id, log in logs.items()}
        wait_for("the list of matches", lambda: is_view(stack, versions))
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
    game = "oware" if number % 2 else "kalah"
    return stack.client.open_match(game, seats)["id"]


def is_view(stack: Stack, versions: dict[str, int]) -> bool:
    return {row["id"]: row["version"] for row in stack.client.matches()} == versions
