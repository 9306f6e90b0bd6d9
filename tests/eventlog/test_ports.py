"""The port of the log is in parts, and callers take the part that they need."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import services.eventlog
from services.eventlog import EventLog, port

ROOT = Path(__file__).parents[2]
PARTS = (port.Streams, port.Feed, port.Deadlines, port.Standing)


def promised(part: type) -> set[str]:
    return {name for name in vars(part) if not name.startswith("_")}


def test_every_part_is_small_and_says_what_no_other_does() -> None:
    for part in PARTS:
        assert 0 < len(promised(part)) <= 7, part
    names = [name for part in PARTS for name in promised(part)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("part", PARTS)
def test_every_log_keeps_every_part(log: EventLog, part: type) -> None:
    for name in promised(part):
        assert callable(getattr(log, name)), name


def test_the_whole_log_is_named_where_it_is_wired_alone() -> None:
    """Whoever asks for the whole can do with it what is not theirs to do."""
    found = {
        str(path.relative_to(ROOT))
        for room in ("services", "workers")
        for path in (ROOT / room).rglob("*.py")
        if "eventlog" not in path.parts and "EventLog" in set(names_in(path))
    }

    assert found == {"services/bootstrap.py"}


def names_in(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            yield from (alias.name for alias in node.names)


def test_no_file_of_the_room_outgrows_a_reader() -> None:
    [room] = services.eventlog.__path__
    lengths = {
        path.name: len(path.read_text("utf-8").splitlines())
        for path in Path(room).glob("*.py")
    }

    assert {name: n for name, n in lengths.items() if n >= 300} == {}
