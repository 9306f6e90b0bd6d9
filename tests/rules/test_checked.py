"""The rules never do what C cannot keep: played in a build that traps it.

Indices, cells and sums are checked in every rule, and what is written around the rules
runs under the sanitizers of the compiler, if it has them.
"""

import inspect
import json
import os
import shutil
import subprocess
import sys
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from rules_core import GAMES
from rules_core.game import Game
from rules_core.translation.c import build
from rules_core.translation.c.build import (
    CHECKED_FLAGS,
    compile_checked,
    linker,
    source_of,
    why_not,
)
from tests.rules import faulty_counts, faulty_words
from tests.support.require import skip_without

ROOT = Path(__file__).parents[2]
AROUND = Path(build.__file__).parent
KEPT = ROOT / "build" / "checked"
pytestmark = pytest.mark.timeout(900)
"""All games are compiled before the first test: minutes, on a busy machine."""

SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
FAULTY = (faulty_counts, faulty_words)


@pytest.fixture(scope="session")
def sanitizers(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, ...]:
    """Return the flags of the sanitizers, if this compiler has them, or none."""
    if missing := why_not():
        skip_without("compiled", missing)
    folder = tmp_path_factory.mktemp("sanitizers")
    (folder / "empty.c").write_text("int nothing;\n")
    command = [*linker(), *SANITIZERS, "-fPIC", "empty.c", "-o", "empty.so"]
    ran = subprocess.run(command, cwd=folder, capture_output=True)
    return SANITIZERS if ran.returncode == 0 and address_sanitizer() else ()


def address_sanitizer() -> str:
    """Return what has to be loaded before Python, or nothing."""
    command = [linker()[0], "-print-file-name=libasan.so"]
    found = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    return found if Path(found).is_absolute() else ""


@pytest.fixture(scope="session")
def checked(sanitizers: tuple[str, ...]) -> Path:
    """Return the folder of the checked builds, kept until their sources change.

    To compile them takes minutes, and to play them seconds.
    """
    games = [*GAMES, *map(Game.of, FAULTY)]
    folder = KEPT / fingerprint_of(games, sanitizers)
    if not folder.exists():
        shutil.rmtree(KEPT, ignore_errors=True)
        KEPT.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(dir=KEPT, ignore_cleanup_errors=True) as begun:
            made = Path(begun) / "whole"
            compile_checked(made, games, sanitizers)
            made.rename(folder)
    return folder


def fingerprint_of(games: list[Game], sanitizers: tuple[str, ...]) -> str:
    """Return what tells apart builds of other sources, by other tools or flags."""
    texts = [text for game in games for text in source_of(game, checked=True)]
    texts += [path.read_text("utf-8") for path in sorted(AROUND.glob("*.p*"))]
    command = [linker()[0], "--version"]
    tools = subprocess.run(command, capture_output=True, text=True).stdout
    parts = (
        texts,
        tools,
        linker(),
        CHECKED_FLAGS,
        sanitizers,
        version("cython"),
        sys.version,
    )
    return sha256(repr(parts).encode()).hexdigest()[:16]


def play(folder: Path, key: str, sanitizers: tuple[str, ...]) -> str:
    """Try a game in a process of its own, which a sanitizer may end."""
    environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
    if sanitizers:
        environment["LD_PRELOAD"] = address_sanitizer()
    ran = subprocess.run(
        [sys.executable, "-m", "tests.rules.trials", str(folder), key],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    return ran.stdout


@pytest.mark.parametrize("key", [game.key for game in GAMES])
def test_no_rule_does_what_c_cannot_keep(
    checked: Path, sanitizers: tuple[str, ...], key: str
) -> None:
    """Recorded and random games, perft, search, and boards that only a text brings."""
    assert play(checked, key, sanitizers) == ""


@pytest.mark.parametrize("module", FAULTY, ids=lambda module: module.KEY)
def test_what_c_cannot_keep_is_trapped_with_file_and_line(
    checked: Path, sanitizers: tuple[str, ...], module: object
) -> None:
    """In Python each of these would be an error, or another number."""
    answers = json.loads(play(checked, module.KEY, sanitizers))

    lines = inspect.getsource(module).splitlines()
    expected = [
        f"{module.__file__}:{lines.index(line) + 1}: {says}"
        for comment, says in TRAPPED[module.KEY].items()
        for line in lines
        if line.endswith(f"# {comment}")
    ]
    assert len(expected) == len(TRAPPED[module.KEY])
    assert answers == [*expected, *UNTRAPPED[module.KEY], expected[0]]


NO_BIT = "no bit of 0 is the lowest"
BELOW = "the difference is below zero, or has more than 64 bits"
TRAPPED = {
    "faulty-counts": {
        "an index below zero": "there is no cell -1, there are 9",
        "a place below zero": "there is no cell -1, there are 9",
        "40,000 in a cell": "40000 does not fit into a cell of 16 bits",
        "40,000 by adding": "40000 does not fit into a cell of 16 bits",
        "past the scratch space": "there is no cell 9, there are 9",
        "more than 64 bits": "the product has more than 64 bits",
        "a shift too far": "a shift by less than 0 or more than 63",
        "division by nothing": "division by 0",
        "no lowest bit": NO_BIT,
        "two at once": "40000 does not fit into a cell of 16 bits",
        "too many moves": "there is no cell 10, there are 10",
    },
    "faulty-words": {
        "a word below zero": BELOW,
        "below zero by counting down": BELOW,
        "an index below zero": BELOW,
        "more than 64 bits": "the sum has more than 64 bits",
        "a bit that falls out": "bits fall out of 64",
        "no such bit": "there is no cell 64, there are 64",
        "no lowest bit": NO_BIT,
        "division by nothing": "division by 0",
    },
}
THIRD = (1 << 63) // 3
UNTRAPPED = {
    "faulty-counts": [],
    "faulty-words": [
        str([1 << 63, THIRD, 0, 0, 0, 0, 0]),
        str(list(range(9))),
    ],
}
"""What is right at the end of the moves, and the legal moves of the crowded board."""
