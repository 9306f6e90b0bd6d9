"""Worked examples: written as positions and moves, held to the rules, told in words.

In the text of a rulebook an example is a fenced block::

    ```example game=kalah options={"seeds": 4}
    position 4,4,4,4,4,4/4,4,4,4,4,4 0,0 S
    legal A B C D E F
    C -> 4,4,0,5,5,5/4,4,4,4,4,4 1,0 S
    ```

Besides, `passes north` and `over south seeds 26:22` (or `over draw ...`) may follow a
move. Readers are shown drawn boards and sentences instead.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from rules_core import Position, parse
from rules_core.boards.steps import Step
from services.rulebooks.drawing import draw
from services.rulebooks.wording import Sentences

FENCE = re.compile(r"^```example ([^\n]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEAD = re.compile(r"game=([a-z0-9-]+)(?: options=(\{.*\}))?")
LINE = re.compile(r"(\S+) -> (.+)")


@dataclass(frozen=True, slots=True)
class Example:
    """One fenced block: which game it is of, and its lines."""

    game: str
    options: dict[str, object]
    lines: tuple[str, ...]


class BadExample(Exception):
    """An example says something that is not so by the rules."""


def find_examples(text: str) -> list[Example]:
    """Return the examples of a text, in their order."""
    return [_read(block) for block in FENCE.finditer(text)]


def tell_examples(text: str, sentences: Sentences) -> str:
    """Return the text with boards and sentences in the place of its examples.

    :raises BadExample: when the rules say otherwise.
    """
    return FENCE.sub(lambda block: "\n\n".join(tell(_read(block), sentences)), text)


def shown_steps(text: str) -> Iterator[tuple[Step, ...]]:
    """Yield, for each board that readers are shown, the steps of the move before it."""
    for example in find_examples(text):
        start = example.lines[0].removeprefix("position ")
        position = parse(example.game, start, example.options)
        yield ()
        for line in example.lines[1:]:
            if move := LINE.fullmatch(line):
                yield position.steps(move[1])
                position = position.play(move[1])


def _read(block: re.Match[str]) -> Example:
    head = HEAD.fullmatch(block[1].strip())
    if not head:
        raise BadExample(f"expected game=<key> options=<JSON>, not {block[1]!r}")
    lines = tuple(line.strip() for line in block[2].splitlines() if line.strip())
    return Example(head[1], json.loads(head[2] or "{}"), lines)


def tell(example: Example, sentences: Sentences) -> Iterator[str]:
    """Play an example and yield what there is to see and to say, block by block.

    :raises BadExample: when the rules say otherwise.
    """
    word, _, rest = example.lines[0].partition(" ")
    _check(word == "position", f"an example begins with a position, not {word!r}")
    position = parse(example.game, rest, example.options)
    _check(str(position) == rest, f"{rest!r} is {str(position)!r}")
    yield from _show(position, sentences)
    for line in example.lines[1:]:
        if move := LINE.fullmatch(line):
            before, position = position, position.play(move[1])
            _check(str(position) == move[2], f"{move[1]} gives {str(position)!r}")
            yield sentences.played(str(before.to_move), move[1])
            yield from _show(position, sentences)
        else:
            yield _tell_fact(position, line, sentences)


def _show(position: Position, sentences: Sentences) -> Iterator[str]:
    layout = position.game.layout(position.options)
    yield f"```board\n{draw(layout, position.board)}\n```"
    line = f"`{position}`"
    if position.to_move is not None:
        line += f" {sentences.dash} {sentences.to_move(position.to_move)}"
    yield line


def _tell_fact(position: Position, line: str, sentences: Sentences) -> str:
    """Check one of the lines that are no moves, and say it."""
    word, _, rest = line.partition(" ")
    if word == "legal":
        _check(position.legal_moves == tuple(rest.split()), f"legal here: {position!r}")
        return sentences.legal(position.legal_moves)
    if word == "passes":
        _check(position.passes == (rest,), f"nobody but {position.passes} passes")
        return sentences.passes(rest)
    _check(word == "over", f"{word!r} begins no line of an example")
    outcome = position.outcome
    if outcome is None:
        raise BadExample(f"{position!r} is not over")
    score = ":".join(str(points) for points in outcome.score.values())
    said = f"{outcome.winner or 'draw'} {outcome.reason} {score}"
    _check(rest == said, f"it is over as {said!r}, not {rest!r}")
    return sentences.over(outcome)


def _check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise BadExample(otherwise)
