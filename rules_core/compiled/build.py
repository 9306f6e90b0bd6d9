"""Make the compiled games: `python -m rules_core.compiled.build`.

Needs Cython and a C compiler. Nothing else depends on it: where it cannot be done, the
games run in plain Python.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from rules_core import kernel, sowing
from rules_core.catalog import EARLIER, GAMES
from rules_core.compiled import (
    RULES_CORE,
    find_compiled,
    fingerprint,
    module_name,
)
from rules_core.compiled.checked import RAISES, checks
from rules_core.compiled.interface import INTERFACE
from rules_core.compiled.template import (
    NO_STANDSTILL,
    OWN_VALUE,
    PREAMBLE,
    SCORE_AS_VALUE,
)
from rules_core.compiled.translate import translate
from rules_core.game import Game
from rules_core.search import alphabeta, evaluation
from rules_core.subset import Rule, rules_of

FOLDER = Path("build") / "compiled"
FLAGS = ("-O3", "-g0", "-w")
TAKEN = frozenset(re.findall(r"^c?def (?:[\w *]+ )?\*?(\w+)\(", INTERFACE, re.M))
"""The names of the functions around the rules."""

CHECKED_FLAGS = ("-O0", "-g0", "-w")  # it is built for one run of the tests


def source_of(game: Game, *, checked: bool = False) -> str:
    """Return the Cython source of a game: rules, replay, perft and search.

    *checked*: of rules that raise `Trapped` where C cannot keep what they do.

    :raises OutsideSubset: when a rule cannot be compiled, naming file and line.
    """
    engine = game.engine
    rules: list[Rule] = []
    for module in (kernel, sowing, sys.modules[game.module], evaluation):
        rules += rules_of(module, engine.words).values()
    for rule in rules:
        if rule.tree.name in TAKEN:
            raise rule.refuse(rule.tree, f"a rule cannot be called {rule.tree.name}")
    rules += rules_of(alphabeta, words=False).values()
    roots = ["legal", "apply", "settle", "score", "negamax"]
    text = SCORE_AS_VALUE
    if game.key in evaluation.EVALUATIONS:
        name = evaluation.EVALUATIONS[game.key].__name__
        text = OWN_VALUE.replace("@NAME@", name)
        roots.append(name)
    if engine.standstill is None:
        text += NO_STANDSTILL
    else:
        roots.append("standstill")
    sites: list[str] | None = [] if checked else None
    translated = translate(rules, roots, sites)
    preamble = preamble_of(game)
    if sites is not None:
        preamble += checks(sites)
    around = "\n".join([preamble, translated, text, INTERFACE])
    return around.replace("@ERRORS@", RAISES if checked else "noexcept")


def preamble_of(game: Game) -> str:
    """Return the types, with the cells of a game as constants."""
    engine = game.engine
    constants = {
        "TURN": engine.turn,
        "OVER": engine.over,
        "WINNER": engine.winner,
        "PASSED": engine.passed,
        "CLAIMING": engine.claiming,
        "SIZE": engine.size,
        "WORK": engine.work,
        "MAX_MOVES": engine.max_moves,
        "MOVE_IDS": engine.move_ids,
        "REPEATS": int(engine.standstill is not None),
        "LASTING_COUNT": len(engine.lasting),
    }
    lines = "\n".join(f"    {name} = {value}" for name, value in constants.items())
    return (
        PREAMBLE.replace("@CELL@", "unsigned long long" if engine.words else "short")
        .replace("@CONSTANTS@", lines)
        .replace("@FINGERPRINT@", fingerprint(game))
        .replace("@LASTING@", ", ".join(map(str, (*engine.lasting, 0))))
    )


def write_c_sources(folder: Path = FOLDER) -> list[tuple[str, str]]:
    """Write the C source of each game; return the module names with their paths.

    For `setup.py`, which makes an optional extension of each. Without Cython, or the
    headers of this Python: none.
    """
    if why_not():
        return []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(partial(write_c_source, folder), every_game()))


def write_c_source(
    folder: Path, game: Game, *, checked: bool = False
) -> tuple[str, str]:
    """Write the C source of one game; return its module name and path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{module_name(game).rpartition('.')[2]}.pyx"
    path.write_text(source_of(game, checked=checked), encoding="utf-8")
    lines = ["--line-directives"] if checked else []  # for what a sanitizer says
    command = [sys.executable, "-m", "cython", "-3", *lines, str(path)]
    subprocess.run(command, check=True)  # noqa: S603  # our own file
    return module_name(game), str(path.with_suffix(".c"))


def build_in_place(folder: Path = FOLDER) -> list[Path]:
    """Compile beside this file what is missing or out of date; return the extensions.

    :raises subprocess.CalledProcessError: the compiler refused.
    """
    stale = [game for game in every_game() if find_compiled(game) is None]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(partial(compile_game, folder), stale))


def compile_game(folder: Path, game: Game) -> Path:
    """Compile one game; a running process keeps the extension it has loaded."""
    name, source = write_c_source(folder, game)
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    path = Path(RULES_CORE) / "compiled" / f"{name.rpartition('.')[2]}{suffix}"
    made = path.with_suffix(".new")
    compile_c_source(source, made, FLAGS)
    return made.replace(path)


def compile_checked(folder: Path, game: Game, sanitizers: tuple[str, ...]) -> Path:
    """Compile the checked build of one game in a folder, with these flags more.

    :raises subprocess.CalledProcessError: the compiler refused.
    """
    _, source = write_c_source(folder, game, checked=True)
    made = Path(source).with_suffix(".so")
    compile_c_source(source, made, (*CHECKED_FLAGS, *sanitizers))
    return made


def compile_c_source(source: str, made: Path, flags: tuple[str, ...]) -> None:
    """Make a shared object as the compiler of this Python does."""
    include = f"-I{sysconfig.get_path('include')}"
    command = [*linker(), *flags, "-fPIC", include, source, "-o", str(made)]
    subprocess.run(command, check=True)  # noqa: S603  # the compiler of this Python


def every_game() -> tuple[Game, ...]:
    """Return every game in every version of its rules."""
    return (*GAMES, *EARLIER)


def linker() -> list[str]:
    """Return the command that makes a shared object, as this Python was made."""
    given = os.environ.get("CC")
    known = shlex.split(sysconfig.get_config_var("LDSHARED") or "cc -shared")
    return [*shlex.split(given), "-shared"] if given else known


def why_not() -> str:
    """Return in words what is missing to compile, or nothing."""
    if importlib.util.find_spec("Cython") is None:
        return "no Cython"
    if not Path(sysconfig.get_path("include"), "Python.h").exists():
        return "no headers of this Python"
    if shutil.which(linker()[0]) is None:
        return "no C compiler"
    return ""


def main() -> None:
    """Build what is to be built, or say what is missing; either way games run."""
    if missing := why_not():
        sys.stdout.write(f"{missing}: the games run in plain Python, slower\n")
        return
    folder = Path(*sys.argv[1:2]) if sys.argv[1:] else FOLDER
    try:
        made = build_in_place(folder)
    except subprocess.CalledProcessError:
        sys.stdout.write("compiling failed: the games run in plain Python, slower\n")
        return
    for path in made:
        sys.stdout.write(f"compiled {path.name}\n")


if __name__ == "__main__":
    main()
