"""Tests are read one by one: what they share stands where no test stands."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FILES = sorted(
    path.relative_to(ROOT)
    for path in (ROOT / "tests").rglob("*.py")
    if "plugins/ayoayo" not in path.as_posix()  # a package of its own
)


def test_the_files_that_are_begun_first_are_there() -> None:
    conftest = (ROOT / "tests/conftest.py").read_text("utf-8")
    [longest] = re.findall(r"^LONGEST = (\(.*?^\))", conftest, re.M | re.S)
    assert all((ROOT / "tests" / name).exists() for name in ast.literal_eval(longest))


@cache
def parsed(file: Path) -> ast.Module:
    """Return the tree of a file, which both rules look at."""
    return ast.parse((ROOT / file).read_text("utf-8"))


def imported(file: Path) -> set[tuple[str, ...]]:
    """Return the modules of the tests that a file imports, as parts of their names."""
    modules = set()
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.ImportFrom) and node.module:
            modules |= {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
    return {tuple(m.split(".")) for m in modules if m.split(".")[0] == "tests"}


@pytest.mark.parametrize("file", FILES, ids=str)
def test_nothing_is_imported_from_a_test_or_from_another_room(file: Path) -> None:
    """It would run twice, and two files would have to be read for one rule."""
    room = file.parts[1]
    for _, other, *names in imported(file):
        assert not any(name.startswith("test_") for name in (other, *names)), names
        assert "conftest" not in names
        assert other in ("support", room) or not names, f"{other} is another room"


@pytest.mark.parametrize("file", FILES, ids=str)
def test_every_function_says_what_it_takes_and_returns(file: Path) -> None:
    """Names alone do not say whether a board is a text, a list or a position."""
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.FunctionDef):
            given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            untyped = [a.arg for a in given if not a.annotation]
            assert set(untyped) <= {"self", "cls"}, f"{node.name}: {untyped}"
            assert node.returns or node.name == "__init__", node.name


@cache
def names_in(module: str) -> set[str]:
    """Return what a module or a package of the tests has under a name."""
    place = Path(*module.split("."))
    if (ROOT / place).is_dir():
        names = {path.stem for path in (ROOT / place).iterdir()}
        file = place / "__init__.py"
    else:
        names, file = set(), place.with_suffix(".py")
    if not (ROOT / file).exists():
        return names
    for node in ast.walk(parsed(file)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name)
    return names


def test_what_is_imported_is_there() -> None:
    """Also by what the tests do not run: a bench that cannot begin measures nothing."""
    for file in FILES:
        for node in ast.walk(parsed(file)):
            if isinstance(node, ast.ImportFrom) and str(node.module)[:6] == "tests.":
                lacking = {alias.name for alias in node.names} - names_in(node.module)
                assert not lacking, f"{file}: {node.module} has no {lacking}"
