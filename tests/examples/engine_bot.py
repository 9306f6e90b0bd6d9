"""An engine of anybody's takes a seat by the ordinary calls, and plays it.

Whatever thinks stands behind a pipe, and is asked on one line what to play: here
`seedlog engine`; any program will do that reads and writes such lines.

    SEEDLOG_URL=... SEEDLOG_KEY=... python -m tests.examples.engine_bot MATCH [SEAT]
"""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from services.client import Problem, Seedlog
from services.client.shapes import ReadMatch

ENGINE = (sys.executable, "-m", "services.cli", "engine")
MOST_MS = 1_000
SHARE_OF_CLOCK = 30


class Engine:
    """A program that is asked what to play, for as long as the block lasts."""

    def __init__(self, command: Sequence[str] = ENGINE) -> None:
        """Know how it is started."""
        self.command = command

    def __enter__(self) -> "Engine":
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, *_: object) -> None:
        self.process.communicate()  # it ends with what it is asked
        self.process.wait()

    def ask(self, **question: Any) -> dict[str, Any]:
        """Return the answer to a question; one it cannot answer has an `error`."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(question) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        return answer


class Bot:
    """Plays one seat of one match."""

    def __init__(self, player: Seedlog, match_id: str, seat: str) -> None:
        """Act by the token of the seat."""
        self.player, self.match_id, self.seat = player, match_id, seat

    @classmethod
    def sit(cls, app: Seedlog, match_id: str, seat: str | None = None) -> "Bot":
        """Sit down at a match, at a seat or the first that is free."""
        taken = app.sit(match_id, seat=seat, name="engine bot")
        return cls(app.holding(taken["seat_token"]), match_id, taken["seat"])

    def play(self, engine: Engine) -> ReadMatch:
        """Play until the match is over; return it as it ended."""
        while True:
            match = self.player.wait_for_turn(self.match_id, self.seat, within_s=3600)
            if match["status"] in ("finished", "aborted"):
                return match
            answer = engine.ask(**self.question(match))
            if "error" in answer:
                self.player.resign(self.match_id)
                raise RuntimeError(answer["error"])
            try:
                self.player.play(
                    self.match_id, answer["move"], version=match["version"]
                )
            except Problem as refused:
                # The position has changed meanwhile: it was taken back, or time is up.
                if refused.type not in ("version-conflict", "match-over"):
                    raise

    def question(self, match: ReadMatch) -> dict[str, Any]:
        """Return what the engine is asked: all moves, since positions may repeat."""
        asked = {
            "game": match["game"],
            "options": match["options"],
            "time_ms": self.time_ms(match),
        }
        moves = [played["move"] for played in self.player.moves(self.match_id)]
        if self.began_at:
            return {**asked, "position": self.began_at, "moves": moves}
        return {**asked, "starter": match["starter"], "moves": moves}

    @cached_property
    def began_at(self) -> str:
        """Where the match began, if not at a start: its first event says so."""
        opened = next(self.player.events(self.match_id))
        return str(opened["data"].get("position", ""))

    def time_ms(self, match: ReadMatch) -> int:
        """Return how long to think: a share of what is left, if there is a clock."""
        if match["clock"] is None:
            return MOST_MS
        left_ms = match["clock"][self.seat]["remaining_ms"]
        return max(1, min(MOST_MS, left_ms // SHARE_OF_CLOCK))


def main() -> None:
    """Sit down at the match that is named, and play it."""
    match_id, *seat = sys.argv[1:]
    with (
        Seedlog(os.environ["SEEDLOG_URL"], os.environ["SEEDLOG_KEY"]) as app,
        Engine() as engine,
    ):
        match = Bot.sit(app, match_id, *seat).play(engine)
        print(match["outcome"])


if __name__ == "__main__":
    main()
