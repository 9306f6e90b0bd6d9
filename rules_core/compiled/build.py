"""Make the compiled games: `python -m rules_core.compiled.build`.

Needs Cython and a C compiler. Nothing else depends on it: where it cannot be done, the
games run in plain Python.
"""

from __future__ import annotations

import importlib.util
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

from rules_core import kernel, sowing
from rules_core.catalog import EARLIER, GAMES
from rules_core.compiled import RULES_CORE, fingerprint, module_name
from rules_core.compiled.template import (
    INTERFACE,
    NO_STANDSTILL,
    OWN_VALUE,
    PREAMBLE,
    SCORE_AS_VALUE,
)
from rules_core.compiled.translate import Rule, rules_of, translate
from rules_core.game import Game
from rules_core.search import alphabeta, evaluation

FOLDER = Path("build") / "compiled"
FLAGS = ("-O3", "-g0", "-w")


def source_of(game: Game) -> str:
    """Return the Cython source of a game: rules, replay, perft and search.

    :raises OutsideSubset: when a rule cannot be compiled, naming file and line.
    """
    engine = game.engine
    rules: list[Rule] = []
    for module in (kernel, sowing, sys.modules[game.module], evaluation):
        rules += rules_of(module, engine.words).values()
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
    return "\n".join([preamble_of(game), translate(rules, roots), text, INTERFACE])


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

    For `setup.py`, which makes an optional extension of each. Without Cython: none.
    """
    if importlib.util.find_spec("Cython") is None:
        sys.stderr.write("no Cython: the games will run in plain Python\n")
        return []
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for game in (*GAMES, *EARLIER):
        path = folder / f"{module_name(game).rpartition('.')[2]}.pyx"
        path.write_text(source_of(game), encoding="utf-8")
        command = [sys.executable, "-m", "cython", "-3", str(path)]
        subprocess.run(command, check=True)  # noqa: S603  # our own file
        found.append((module_name(game), str(path.with_suffix(".c"))))
    return found


def build_in_place(folder: Path = FOLDER) -> list[Path]:
    """Compile all games beside this file; return the extensions."""
    linker = shlex.split(sysconfig.get_config_var("LDSHARED") or "cc -shared")
    include = f"-I{sysconfig.get_path('include')}"
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    found = []
    for name, source in write_c_sources(folder):
        path = Path(RULES_CORE) / "compiled" / f"{name.rpartition('.')[2]}{suffix}"
        made = path.with_suffix(".new")  # a running process keeps the one it has
        command = [*linker, *FLAGS, "-fPIC", include, source, "-o", str(made)]
        subprocess.run(command, check=True)  # noqa: S603  # the compiler of this Python
        made.replace(path)
        found.append(path)
    return found


if __name__ == "__main__":
    for path in build_in_place(Path(*sys.argv[1:2]) if sys.argv[1:] else FOLDER):
        sys.stdout.write(f"{path.name}\n")
