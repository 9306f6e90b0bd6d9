"""What is said about the boards of a worked example, in each language."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from rules_core import Outcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentences:
    """The sentences of one language; a seat it has no name for is called by its key."""

    seats: dict[str, str]
    of: dict[str, str] = field(default_factory=dict)  # the name before a postposition
    turn: str
    move: str
    legal_moves: str
    forced_pass: str
    winner: str
    draw: str
    dash: str
    comma: str
    random_play: dict[str, str]  # the words of the table of random play
    levels: dict[str, str]  # and of that of computer players

    def to_move(self, seat: str) -> str:
        """Say whose turn it is."""
        return self._say(self.turn, seat)

    def played(self, seat: str, move: str) -> str:
        """Say who plays what."""
        return f"**{self._say(self.move, seat, f'`{move}`')}**"

    def legal(self, moves: Sequence[str]) -> str:
        """List the legal moves."""
        return self.legal_moves.format(self.comma.join(f"`{move}`" for move in moves))

    def passes(self, seat: str) -> str:
        """Say who misses the turn."""
        return self._say(self.forced_pass, seat)

    def over(self, outcome: Outcome) -> str:
        """Say what each seat has, and who wins."""
        score = self.comma.join(
            f"{self.seats.get(seat, seat)} {points}"
            for seat, points in outcome.score.items()
        )
        if outcome.winner is None:
            return self.draw.format(score=score)
        return self._say(self.winner, outcome.winner, score=score)

    def _say(self, sentence: str, seat: str, *words: str, score: str = "") -> str:
        name = self.seats.get(seat, seat)
        return sentence.format(
            *words, seat=name, of=self.of.get(seat, name), score=score
        )


@cache
def find_sentences(language: str) -> Sentences:
    """Return the sentences of a language."""
    path = files("services.rulebooks") / "texts" / language / "sentences.json"
    return Sentences(**json.loads(path.read_text(encoding="utf-8")))
