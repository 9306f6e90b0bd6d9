"""Make the compiled games: `python -m rules_core.translation.c.build`.

Needs Cython and a C compiler. Nothing else depends on it: where it cannot be done, the
games run in plain Python. The games of installed packages are compiled like ours.
"""

from __future__ import annotations

import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from pathlib import Path

from rules_core import engine as defaults
from rules_core import kernel
from rules_core.catalog import EARLIER, GAMES
from rules_core.compiled import find_compiled, fingerprint, module_name, parts_of
from rules_core.game import Game
from rules_core.games import sowing
from rules_core.plugins import find_plugins
from rules_core.search import (
    alphabeta,
    circles,
    endings,
    ordering,
    remembering,
    solving,
    swapping,
    worth,
)
from rules_core.translation.c.checked import RAISES
from rules_core.translation.c.tables import declare, header_of
from rules_core.translation.c.translate import translate
from rules_core.translation.subset import OutsideSubset, Rule, rules_of

HERE = Path(__file__).parent
FOLDER = Path("build") / "compiled"
X86 = platform.machine() in {"x86_64", "AMD64"}
FLAGS = ("-O3", "-g0", "-w", *(("-mpopcnt",) if X86 else ()))
"""Every x86-64 since 2008 counts bits at once, which rules on words do all the time."""

TRIAL = "rules_core.translation.c.trial"
CHECKED_FLAGS = ("-O0", "-g0", "-w")  # it is built for one run of the tests
SEARCH = (
    *(worth, swapping, remembering, ordering, endings, circles),
    *(solving, alphabeta),
)
TAKEN = frozenset(
    name
    for path in HERE.glob("*.pxi")
    for name in re.findall(
        r"^c?def (?:class )?(?:[\w *]+ )?\*?(\w+)[(:]", path.read_text("utf-8"), re.M
    )
)
"""The names of the functions around the rules."""


class CannotCompile(Exception):
    """A game stays in plain Python; says what is missing or wrong."""


def source_of(game: Game, *, checked: bool = False) -> tuple[str, str]:
    """Return the Cython source of a game: rules, replay, perft and search.

    And the header of the tables that its rules look into.

    *checked*: of rules that raise `Trapped` where C cannot keep what they do.

    :raises OutsideSubset: when a rule cannot be compiled, naming file and line.
    """
    engine, raises = game.engine, RAISES if checked else "noexcept"
    rules: list[Rule] = []
    for module in (kernel, sowing, *parts_of(game)):
        rules += rules_of(module, engine.words).values()
    for rule in rules:
        if rule.tree.name in TAKEN:
            raise rule.refuse(rule.tree, f"a rule cannot be called {rule.tree.name}")
    for module in SEARCH:
        rules += rules_of(module, words=False).values()
    known = {rule.tree.name for rule in rules}
    missing = rules_of(defaults, words=False)
    rules += [rule for name, rule in missing.items() if name not in known]
    roots = ["legal", "apply", "settle", "score", *missing, "negamax", "key_of"]
    roots += ["entry_move", "fill_endings", "link_endings", "narrow_endings"]
    plain = ""
    if engine.evaluate is not None:
        roots.append("evaluate")
    else:
        plain += f"cdef i64 evaluate(cell *board) {raises} nogil:\n"
        plain += "    return 100 * score(board)\n\n"
    for name in set(roots) - known - set(missing):
        what = f"{name} is no rule: it needs the mark @rule"
        raise OutsideSubset(str(sys.modules[game.module].__file__), 0, what)
    sites: list[str] | None = [] if checked else None
    functions, tables = translate(rules, roots, sites)
    parts = [constants_of(game), 'include "engine.pxi"\n']
    parts.append(declare(tables, place_of(FOLDER, game, ".h").name))
    if sites is not None:
        parts.append("from rules_core.translation.c.checked import Trapped\n")
        parts.append(f'SITES = {sites!r}\n\ninclude "checks.pxi"\n')
    parts += [f"{functions}\n", f'{plain}include "interface.pxi"\n']
    return "\n".join(parts), header_of(tables)


def constants_of(game: Game) -> str:
    """Return the type of a cell, and the numbers of a game as constants."""
    engine = game.engine
    constants = {
        "TURN": engine.turn,
        "OVER": engine.over,
        "WINNER": engine.winner,
        "PASSED": engine.passed,
        "GIVEN": engine.given,
        "CLAIMING": engine.claiming,
        "SWAPPING": engine.swapping,
        "SIZE": engine.size,
        "WORK": engine.work,
        "MAX_MOVES": engine.max_moves,
        "MOVE_IDS": engine.move_ids,
        "WORDS": int(engine.words),
        "RECURS": int(engine.recurs),
        "LATE_DEPTH": engine.late_depth,
        "LATE_FROM": engine.late_from,
        "LATE_BY": engine.late_by,
        "WHOLE_TURNS": int(engine.whole_turns),
        "TRIES": int(engine.tries),
        "SOLVES": int(engine.solves),
        "BOUNDED": int(engine.bounded),
        "BANKS": int(engine.banks),
        "HAS_ENDINGS": int(engine.has_endings),
        "COUNTS": int(engine.counts),
        "MAJORITY": int(engine.majority),
        "DRAWS": int(engine.draws),
        "KEY_WORDS": -(-engine.size * (8 if engine.words else 2) // 8),
        "LASTING_COUNT": len(engine.lasting),
    }
    directives = "language_level=3, boundscheck=False, wraparound=False, cdivision=True"
    lasting = ", ".join(map(str, (*engine.lasting, 0)))
    return "\n".join(
        [
            f"# cython: {directives}",
            f"ctypedef {'unsigned long long' if engine.words else 'short'} cell",
            "",
            "cdef enum:",
            *(f"    {name} = {value}" for name, value in constants.items()),
            "",
            f'FINGERPRINT = "{fingerprint(game)}"',
            "cdef int LASTING_CELLS[LASTING_COUNT + 1]",
            f"LASTING_CELLS[:] = [{lasting}]",
            "",
        ]
    )


def write_c_sources(
    folder: Path, games: Iterable[Game], *, checked: bool = False
) -> dict[Game, Path]:
    """Write the C source of each game, by one process; return where they are.

    A header with its tables stands beside each.

    :raises OutsideSubset: a rule cannot be compiled.
    """
    paths = {game: place_of(folder, game, ".pyx") for game in games}
    for game, path in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        source, header = source_of(game, checked=checked)
        path.write_text(source, encoding="utf-8")
        path.with_suffix(".h").write_text(header, encoding="utf-8")
    lines = ["--line-directives"] if checked else []  # for what a sanitizer says
    command = [sys.executable, "-m", "cython", "-I", str(HERE), *lines]
    command += map(str, paths.values())
    subprocess.run(command, check=True)  # noqa: S603  # our own files
    return {game: path.with_suffix(".c") for game, path in paths.items()}


def place_of(folder: Path, game: Game, suffix: str) -> Path:
    """Return where something made of a game lies: packages share names, not folders."""
    package, _, name = module_name(game).rpartition(".")
    return folder / package / f"{name}{suffix}"


def build_in_place(games: Iterable[Game], folder: Path) -> list[Path]:
    """Compile, beside its file, every game whose extension is missing or out of date.

    Returns the extensions that were made.

    :raises CannotCompile: a game cannot be compiled here; the others are.
    """
    if missing := why_not():
        raise CannotCompile(missing)
    stale = [game for game in games if find_compiled(game) is None]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tried = [(game, pool.submit(compile_game, folder, game)) for game in stale]
    wrong = {game.key: made.exception() for game, made in tried if made.exception()}
    if wrong:
        raise CannotCompile("; ".join(f"{key}: {why}" for key, why in wrong.items()))
    return [made.result() for _, made in tried]


def try_out(folder: Path, game: Game) -> None:
    """Play a game of a package in the build that traps what C cannot keep.

    :raises CannotCompile: it was trapped; names file and line.
    """
    [made] = compile_checked(folder / "checked", [game], ())
    command = [sys.executable, "-m", TRIAL, str(made), game.key]
    ran = subprocess.run(command, capture_output=True, text=True)  # noqa: S603  # ours
    if ran.returncode:
        *_, why = ran.stderr.strip().splitlines() or ["it ended without a word"]
        raise CannotCompile(why)


def compile_game(folder: Path, game: Game) -> Path:
    """Compile one game; a running process keeps the extension it has loaded.

    One of a package is tried out before.

    :raises CannotCompile: in the trial it did what C cannot keep.
    :raises OutsideSubset, subprocess.CalledProcessError, OSError: as
        `compile_game_file` does.
    """
    if game not in built_in():
        try_out(folder, game)
    return compile_game_file(folder, game)


def compile_game_file(folder: Path, game: Game) -> Path:
    """Compile one game as it stands, without a trial.

    :raises OutsideSubset: a rule cannot be compiled.
    :raises subprocess.CalledProcessError: the compiler refused.
    :raises OSError: where the game file lies nothing can be written.
    """
    source = write_c_sources(folder, [game])[game]
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    beside = Path(str(sys.modules[game.module].__file__)).parent
    path = beside / f"{source.stem}{suffix}"
    made = path.with_suffix(".new")
    compile_c_source(source, made, FLAGS)
    return made.replace(path)


def compile_checked(
    folder: Path, games: Iterable[Game], sanitizers: tuple[str, ...]
) -> list[Path]:
    """Compile the checked builds of games in a folder, with these flags more.

    :raises subprocess.CalledProcessError: the compiler refused.
    """
    sources = write_c_sources(folder, games, checked=True).values()
    flags = (*CHECKED_FLAGS, *sanitizers)
    made = [source.with_suffix(".so") for source in sources]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(compile_c_source, sources, made, repeat(flags)))
    return made


def compile_c_source(source: Path, made: Path, flags: tuple[str, ...]) -> None:
    """Make a shared object as the compiler of this Python does."""
    include = f"-I{sysconfig.get_path('include')}"
    command = [*linker(), *flags, "-fPIC", include, str(source), "-o", str(made)]
    subprocess.run(command, check=True)  # noqa: S603  # the compiler of this Python


def built_in() -> tuple[Game, ...]:
    """Return every game that is built in, in every version of its rules."""
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
    try:
        made = build_in_place((*built_in(), *find_plugins()), FOLDER)
    except CannotCompile as why:
        sys.stdout.write(f"{why}: the games run in plain Python, slower\n")
        return
    for path in made:
        sys.stdout.write(f"compiled {path.name}\n")


if __name__ == "__main__":
    main()
