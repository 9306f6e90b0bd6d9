"""What was learned of a game of seeds, as it is kept and as it is told."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from rules_core.search.whole_files import write_whole

FORMAT = 1


class NotLearned(Exception):
    """A file does not hold what was learned of a game; says why."""


@dataclass(frozen=True, slots=True)
class Learned:
    """The weights of *traits*, and their standard *errors*, in hundredths of a seed.

    *command*: how they were made, of so many *games* with so many *nodes* a move; the
    *positions* are those of all but some that were kept back. *off_by*: how many seeds
    the score alone, the evaluation of the game, a fit of pits alone, and the traits are
    off on these, as root mean square.
    """

    game: str
    rules: str
    command: str
    games: int
    nodes: int
    positions: int
    log_sha256: str
    traits: Mapping[str, int]
    errors: Mapping[str, float]
    off_by: Mapping[str, float]


def write_learned(path: Path, learned: Learned) -> None:
    """Write what was learned, which appears whole or not at all."""
    text = json.dumps({"format": FORMAT, **asdict(learned)}, indent=2)
    write_whole(path, f"{text}\n".encode())


def read_learned(path: Path) -> Learned:
    """Return what a file says was learned.

    :raises NotLearned: it is of another format, or damaged.
    """
    try:
        facts = json.loads(path.read_text("utf-8"))
        if facts.pop("format") != FORMAT:
            raise NotLearned(f"{path.name} is not of the format {FORMAT}")
        return Learned(**facts)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise NotLearned(f"{path.name} is damaged: {error!r}") from error


def told(learned: Learned) -> Iterator[str]:
    """Yield the lines of a table: the weights, and how far off guesses are."""
    width = max(map(len, learned.traits))
    yield "weights in hundredths of a seed, and their standard errors:"
    for name, weight in learned.traits.items():
        yield f"{name:<{width}} {weight:>6} +- {learned.errors[name]}"
    yield "how far off the end is, as root mean square in seeds, on games kept back:"
    for name, seeds in learned.off_by.items():
        yield f"{name:<{width}} {seeds:>9.2f}"
