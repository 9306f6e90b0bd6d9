"""A correspondence server: days for each move, reminders, and losses on time.

It keeps one number, the place in the feed up to which it has read. Stopped at any
moment and started again, it goes on after that: no letter is left out, and none but
the last one written twice. The clocks are kept by Seedlog, also while this is away.

    SEEDLOG_URL=... SEEDLOG_KEY=... python -m tests.examples.correspondence amara bola
"""

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from services.client import Seedlog
from services.client.shapes import Control, FeedEntry, OpenedMatch

DAYS: Control = {"days_per_move": 3}
PLACE = Path("correspondence.place")


@dataclass(frozen=True)
class Letter:
    """What somebody is sent: to whom (a seat of a match), and what."""

    match: str
    seat: str
    text: str


class Correspondence:
    """Opens matches, and writes the letters that follow from what happens in them."""

    def __init__(self, app: Seedlog, place: Path = PLACE) -> None:
        """Keep in *place* how far the feed was read."""
        self.app, self.place = app, place

    def open(self, game: str, names: list[str], clock: Control = DAYS) -> OpenedMatch:
        """Open a match for two people; hand each the token of their seat."""
        seats = zip(self.app.game(game)["seats"], names, strict=True)
        people = {seat: {"kind": "human", "name": name} for seat, name in seats}
        return self.app.open_match(game, people, clock=clock)

    def letters(self, within_s: float | None = None) -> Iterator[Letter]:
        """Yield each letter that is due, for ever or for a while.

        The place is kept once a letter was taken: whoever dies over it finds it again.
        """
        for entry in self.app.follow_all(self.read_to(), within_s=within_s):
            yield from self.letters_of(entry)
            self.keep(entry["seq"])

    def letters_of(self, entry: FeedEntry) -> Iterator[Letter]:
        """Yield what follows from one event; what is not told, need not be asked."""
        match, data = entry["match"], entry["data"]
        if entry["type"] == "match.ended":
            winner = data["winner"] or "nobody"
            why = "on time" if data["reason"] == "time" else f"by {data['reason']}"
            for seat in data["score"]:
                yield Letter(match, seat, f"{winner} wins {why}")
            return
        if entry["type"] == "match.aborted":
            for seat in self.app.match(match)["seats"]:
                yield Letter(match, seat, "called off: somebody did not come")
            return
        seat, clock = entry.get("to_move"), entry.get("clock")
        if seat and clock and clock["running"] == seat:
            by = datetime.fromisoformat(clock["flag_at"])
            legal = " ".join(entry.get("legal_moves", []))
            until = f"until {by:%d %B, %H:%M} UTC"
            yield Letter(match, seat, f"your turn, {until}: {legal}")

    def read_to(self) -> int:
        """Return the place in the feed; 0 is where it begins."""
        return int(self.place.read_text()) if self.place.exists() else 0

    def keep(self, seq: int) -> None:
        """Keep the place, at once or not at all: half a number is a wrong one."""
        new = self.place.with_suffix(".new")
        new.write_text(str(seq))
        new.replace(self.place)


def main(*names: str) -> None:
    """Open a match for two names, if they are given, and write letters until Ctrl-C."""
    with Seedlog(os.environ["SEEDLOG_URL"], os.environ["SEEDLOG_KEY"]) as app:
        server = Correspondence(app)
        if names:
            opened = server.open("oware", list(names))
            print(opened["id"], *opened["seat_tokens"].values())
        for letter in server.letters():
            print(f"{letter.match} {letter.seat}: {letter.text}", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
