"""The engine by itself: a question on each line, an answer on the next.

    {"game": "kalah", "moves": ["C"], "time_ms": 500}
    {"move":"F","value":7.0,"exact":false,"depth":15,"nodes":3519272,"pv":["F","e"],...}

Whatever comes in, one line goes out, and the engine goes on; an empty line is no
question. If a question has an `id`, a text or a whole number, its answer has it too, be
it an error.
"""

import json
import random
import time
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import orjson
import structlog
from marshmallow import ValidationError, fields

from rules_core import Position, RulesError, play_all
from rules_core.search.thinking import Budget, Line, Thought, think
from services.analysis.question import MOST_NODES
from services.api.checks import Length, Range, Wrong
from services.api.positions import first_position
from services.api.schema_fields import LEVEL, Text
from services.api.schemas import PlaceSchema
from services.http.refusals import InvalidBody
from services.http.request import pointers
from services.languages import Message
from workers.ai import choose
from workers.ai.levels import TIME_S

LONGEST_LINE = 1_048_576
MOST_MOVES = 10_000
MOST_TIME_MS = 3_600_000
MOST_THREADS = 64
USUAL_MS = 1_000
VALUED_NODES = 20_000
"""So many positions are looked at to say what the move of a level is worth."""

log = structlog.get_logger()


class NoQuestion(Exception):
    """The line cannot be answered; says why."""


class NameField(fields.Field[str | int]):
    """What a question is called, to tell its answer by: a text or a whole number."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> str | int:
        if isinstance(value, bool) or not isinstance(value, str | int):
            raise Wrong(Message("should be a text or a whole number of 64 bits"))
        return value


class AskedSchema(PlaceSchema):
    """A position, for how long to think about it, and how hard."""

    id = NameField()
    moves = fields.List(
        Text(validate=Length(1, 20)),
        load_default=list,
        validate=Length(max=MOST_MOVES),
    )
    time_ms = fields.Integer(strict=True, validate=Range(1, MOST_TIME_MS))
    nodes = fields.Integer(strict=True, validate=Range(1, 1_000 * MOST_NODES))
    level = fields.Integer(strict=True, validate=LEVEL)
    threads = fields.Integer(
        strict=True, load_default=1, validate=Range(1, MOST_THREADS)
    )


ASKED = AskedSchema()


def answer_lines(asked: BinaryIO) -> Iterator[str]:
    """Yield an answer to each line that is asked, until there are no more."""
    while line := asked.readline(LONGEST_LINE + 1):
        is_whole = len(line) <= LONGEST_LINE
        while not is_whole and line and not line.endswith(b"\n"):
            line = asked.readline(LONGEST_LINE)
        if not is_whole:
            said = f"the line is too long: {LONGEST_LINE} bytes at the most"
            yield json.dumps({"error": said})
        elif line.strip():
            yield json.dumps(answer(line), ensure_ascii=False)


def answer(line: bytes) -> dict[str, Any]:
    """Return the answer to a line: what to play, or what is wrong with it."""
    name: dict[str, Any] = {}
    try:
        told = _read(line)
        if isinstance(told.get("id"), str | int):
            name = {"id": told["id"]}
        return name | _think(ASKED.load(told))
    except ValidationError as error:
        said = str(InvalidBody(pointers(error.messages)))
    except (RulesError, NoQuestion) as error:
        said = str(error)
    except Exception as error:
        log.exception("question not answered")
        said = f"this is a fault of the engine: {error!r}"
    return name | {"error": said}


def _read(line: bytes) -> dict[str, Any]:
    try:
        told = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise NoQuestion(f"the line is no JSON: {error}") from error
    if not isinstance(told, dict):
        raise NoQuestion("the line should be a JSON object")
    return told


def _think(asked: Mapping[str, Any]) -> dict[str, Any]:
    position = play_all(first_position(asked), asked["moves"])
    if position.to_move is None:
        raise NoQuestion("the game is over: there is no move to choose")
    began = time.monotonic()
    thought, line = _best(position, asked)
    return {
        "move": line.moves[0],
        "value": line.value,
        "exact": line.exact,
        "depth": line.depth,
        "nodes": thought.nodes,
        "pv": list(line.moves),
        "time_ms": round(1000 * (time.monotonic() - began)),
    }


def _best(position: Position, asked: Mapping[str, Any]) -> tuple[Thought, Line]:
    """Return what was found, and of it the line to play."""
    usual_ms = MOST_TIME_MS if "nodes" in asked else USUAL_MS
    time_s = asked.get("time_ms", usual_ms) / 1000
    if "level" in asked:
        return _best_of_level(position, asked["level"], time_s)
    budget = Budget(time_s, asked.get("nodes"), threads=asked["threads"])
    thought = think(position, budget, once_at_least=True)
    return thought, thought.lines[0]


def _best_of_level(
    position: Position, level: int, time_s: float
) -> tuple[Thought, Line]:
    """Return what a level plays, and what that is worth as far as one sees at once."""
    seed = random.SystemRandom().getrandbits(64)
    try:
        move = choose(position, level, seed, min(time_s, TIME_S))
    except ValueError as error:  # not every game has as many levels
        raise NoQuestion(str(error)) from error
    moves = len(position.legal_moves)
    budget = Budget(TIME_S, VALUED_NODES)
    thought = think(position, budget, lines=moves, once_at_least=True)
    return thought, next(line for line in thought.lines if line.moves[0] == move)
