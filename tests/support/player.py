"""One client: it plays matches to their end, and knows the rules, too."""

import random
import threading
import time
from collections.abc import Iterable
from typing import Any

from rules_core import GAMES, Position, start
from services.client import Problem, Seedlog, Unreachable
from services.client.shapes import EventBody, Match
from tests.support.ledger import Ledger

AI_LEVELS = (1, 4)
LONGEST_REPLY_S = 10
MOST_MOVES = 120
"""A match that is longer is given up; some games may have no end at random."""
SHARE_OF_STREAMS = 0.5
"""So often a reply is followed on the stream, and otherwise waited for at the move."""


class Player(threading.Thread):
    """Plays one match after the other until it is told to stop.

    Every answer is held against the rules: the board, whose turn it is, what is legal,
    how it ended. What does not agree stands in the ledger, and ends the match.
    """

    def __init__(
        self,
        client: Seedlog,
        seed: int,
        stop: Any,
        share_of_ai: float,
        rest_s: float = 0.0,
    ) -> None:
        """Play by an app's client until the event *stop* is set."""
        super().__init__(daemon=True)
        self.ledger = Ledger()
        self.failure: BaseException | None = None
        self._client = client
        self._chance = random.Random(seed)  # a game, no secret
        self._share_of_ai = share_of_ai
        self._rest_s = rest_s
        self._must_stop = stop

    def run(self) -> None:
        """Play; what goes wrong otherwise than by a refusal is kept as the failure."""
        try:
            while not self._must_stop.is_set():
                self._play_match()
        except BaseException as error:
            self.failure = error
            raise

    def _play_match(self) -> None:
        game = self._chance.choice(GAMES)
        human, ai = {"kind": "human"}, {"kind": "ai"}
        ai |= {"level": self._chance.randint(*AI_LEVELS)}
        has_ai = self._chance.random() < self._share_of_ai
        first, second = game.seats
        seats = {first: human, second: ai if has_ai else human}
        try:
            began = time.time()
            match: Match = self._client.open_match(game.key, seats)
        except Unreachable:
            return  # nobody has heard of it, and nobody misses it
        self.ledger.timed(began)
        self.ledger.matches.append(match["id"])
        options, starter = match["options"], match["starter"]
        position = start(game.key, options, starter, match["rules"])
        try:
            self._play_on(match, position, humans=[first] if has_ai else game.seats)
        except Unreachable:
            self.ledger.unanswered.add(match["id"])
        except _Wrong as error:
            self.ledger.wrong.append(f"{match['id']} version {error}")

    def _play_on(
        self, match: Match, position: Position, humans: tuple[str, ...] | list[str]
    ) -> None:
        """Play a match to its end, or give it up when it is time."""
        match_id = match["id"]
        for _ in range(MOST_MOVES):
            if match["to_move"] not in (*humans, None):
                position, match = self._await_reply(match, position, humans[0])
            _compare(match, position)
            if match["outcome"]:
                self.ledger.ended += 1
                return
            if self._must_stop.wait(self._rest_s):
                break
            position, match = self._move(match, position, len(humans) == 1)
        self._give_up(match_id, match, humans[0])

    def _move(
        self, match: Match, position: Position, has_ai: bool
    ) -> tuple[Position, Match]:
        """Play a random move; return what came of it, with a reply if one was asked."""
        move, seat = self._chance.choice(position.legal_moves), match["to_move"]
        waits = has_ai and self._chance.random() >= SHARE_OF_STREAMS
        began = time.time()
        answer = self._client.play(
            match["id"],
            move,
            version=match["version"],
            seat=seat,
            wait_for_reply_s=LONGEST_REPLY_S if waits else 0,
        )
        if not waits:
            self.ledger.timed(began)
        played = answer["events"][0]
        self.ledger.moves[match["id"], played["version"]] = move
        if played["version"] != match["version"] + 1 or played["data"]["move"] != move:
            raise _Wrong(f"{match['version'] + 1}: {move} was answered by {played}")
        events = [*answer["events"], *answer.get("reply", ())]
        return _replay(position, events), answer["match"]

    def _await_reply(
        self, match: Match, position: Position, seat: str
    ) -> tuple[Position, Match]:
        seen = match["version"]
        match = self._client.wait_for_turn(match["id"], seat)
        events = [
            event
            for event in self._client.events(match["id"], after=seen)
            if event["version"] <= match["version"]
        ]
        return _replay(position, events), match

    def _give_up(self, match_id: str, match: Match, seat: str) -> None:
        """Resign, which also shows that the match can still be written to."""
        try:
            began = time.time()
            self._client.resign(match_id, seat)
            self.ledger.timed(began)
        except Problem as error:
            if error.type != "match-over":  # the AI's reply may have ended it
                raise _Wrong(f"{match['version']}: not resigned: {error}") from error


class _Wrong(Exception):
    """The server and the rules do not agree; says at which version, and how."""


def _replay(position: Position, events: Iterable[EventBody]) -> Position:
    for event in events:
        if event["type"] == "match.move_played":
            position = position.play(event["data"]["move"])
            if event["data"]["digest"] != position.digest:
                raise _Wrong(f"{event['version']}: not the digest {position.digest}")
    return position


def _compare(match: Match, position: Position) -> None:
    """Hold what was answered of a match against the rules."""
    outcome = position.outcome
    expected = {
        "position": str(position),
        "legal_moves": list(position.legal_moves),
        "to_move": None if outcome else position.to_move,
        "ended": bool(outcome),
    }
    told = {
        "position": match["position"],
        "legal_moves": match["legal_moves"],
        "to_move": match["to_move"],
        "ended": bool(match["outcome"]),
    }
    if told != expected:
        raise _Wrong(f"{match['version']}: {told}, by the rules {expected}")
