"""A game from elsewhere comes out of the API, the projector and the AI by itself."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from rules_core.translation.c.build import why_not
from services.cli.scaffold import InvalidName, write_game
from tests.support.require import skip_without
from tests.support.stack import running_stack

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def install(folder: Path, *sources: Path) -> dict[str, str]:
    """Install packages as pip does, into a folder; return an environment with them."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    target = folder / "installed"
    subprocess.run(
        [*pip, "--no-build-isolation", "--target", str(target), *map(str, sources)],
        check=True,
    )
    paths = {"PYTHONPATH": f"{target}:{ROOT}", "SEEDLOG_DATA": str(folder / "data")}
    return {**os.environ, **paths}


def run_tests(folder: Path, environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "pytest", "-p", "pytest_timeout"]
    ran = subprocess.run(
        [*command, "-q", "-p", "no:cacheprovider", str(folder)],
        cwd=folder,
        env={**environment, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def ayoayo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("ayoayo")
    source = shutil.copytree(HERE / "ayoayo", folder / "source")
    return install(folder, source)


def test_the_example_keeps_its_rules(ayoayo: dict[str, str]) -> None:
    run_tests(HERE / "ayoayo" / "tests", ayoayo)


def ask_of_the_game(environment: dict[str, str]) -> str:
    """Return whether ayoayo is compiled, and whether it brings an evaluation."""
    ask = """
from rules_core import find_game
from rules_core.compiled import find_compiled
from rules_core.search import INFINITE, PlainSearcher, find_searcher
from rules_core import start
game, board = find_game("ayoayo"), start("ayoayo").flat
plain, fast = PlainSearcher(game, 10**6, 60), find_searcher(game, 10**6, 60)
same = [s.value(board, 4, -INFINITE, INFINITE) for s in (plain, fast)]
print(find_compiled(game) is not None, game.engine.evaluate is not None, *set(same))
"""
    command = [sys.executable, "-c", ask]
    ran = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def seedlog(environment: dict[str, str], *command: str) -> str:
    ran = subprocess.run(
        [sys.executable, "-m", "services.cli", *command],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def failed(environment: dict[str, str], *command: str) -> str:
    """Return what a command says as it fails."""
    ran = subprocess.run(
        [sys.executable, "-m", "services.cli", *command],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert ran.returncode == 1, ran.stdout + ran.stderr
    return ran.stderr


def test_the_example_is_compiled_like_our_own_games(ayoayo: dict[str, str]) -> None:
    """Its own evaluation with it; what is compiled already is left as it is."""
    if missing := why_not():
        skip_without("compiled", missing)
    value = ask_of_the_game(ayoayo).split()
    assert value[:2] == ["False", "True"]

    compiled = seedlog(ayoayo, "compile")

    assert "seedlog_ayoayo/_game." in compiled
    assert ask_of_the_game(ayoayo).split() == ["True", "True", *value[2:]]
    assert "_game." not in seedlog(ayoayo, "compile")


def test_a_book_of_the_example_lies_in_its_package(ayoayo: dict[str, str]) -> None:
    """Without one its highest level thinks; with one it opens by that."""
    ask = """
from rules_core import start
from rules_core.search.book import book_moves, find_book
from workers.ai import choose
first, noted = start("ayoayo"), []
book = find_book(first.variant)
move = choose(first, 8, 1, 0.2, note=lambda *thought: noted.append(thought))
print(len(noted), book is not None and move in book_moves(first, book))
"""

    def asked() -> list[str]:
        command = [sys.executable, "-c", ask]
        ran = subprocess.run(command, env=ayoayo, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.split()

    assert asked() == ["1", "False"]

    made = seedlog(ayoayo, "book", "ayoayo", "--nodes", "300", "--positions", "4")

    assert "seedlog_ayoayo/ayoayo-1.book: 4 positions" in made
    assert asked() == ["0", "True"]


def test_the_example_is_played_over_http_against_the_ai(
    ayoayo: dict[str, str], tmp_path: Path
) -> None:
    if not why_not():
        seedlog(ayoayo, "compile")
    with running_stack(tmp_path, PYTHONPATH=ayoayo["PYTHONPATH"]) as stack:
        games = [game["key"] for game in stack.client.games()]
        assert "ayoayo" in games
        health = stack.client.request("GET", "/health/ready")
        assert ("ayoayo" in health.get("plain_rules", [])) == bool(why_not())
        with urlopen(f"{stack.url}/v1/games/ayoayo/rules") as rules:
            assert "**Y5.**" in rules.read().decode()
        where = ["--url", stack.url, "--key", stack.api_key]
        played = seedlog(ayoayo, "demo", "--game", "ayoayo", *where)
        assert "every served position is the replayed one" in played
        [row] = stack.client.matches(game="ayoayo", status="finished")
        assert row["outcome"]
        assert sum(row["outcome"]["score"].values()) == 48


def test_a_new_game_runs_before_a_rule_is_changed(tmp_path: Path) -> None:
    written = write_game("Gabata of Tests", tmp_path)

    root = tmp_path / "seedlog-gabata-of-tests"
    assert root / "seedlog_gabata_of_tests/game.py" in written
    texts = [path for path in written if path.suffix == ".md"]
    assert [path.name for path in texts] == ["gabata-of-tests.md"]
    assert "**A1.**" in texts[0].read_text()  # G is the letter of the shared rules
    environment = install(tmp_path, root)
    run_tests(root / "tests", environment)
    installed = tmp_path / "installed" / "seedlog_gabata_of_tests"
    (installed / "game.py").write_text("import nothing_of_that")
    for command in (["check"], ["up"], ["compile"], ["new-game", "x"]):
        told = failed(environment, *command)
        assert "the package seedlog-gabata-of-tests brings" in told, command
        assert "Traceback" not in told


FAULTS = {
    "MAX_MOVES, MOVE_IDS = 6, 12": ("MAX_MOVES, MOVE_IDS = 2, 12", "game.py"),
    "across = 11 - last": ("across = last - 12", "there is no cell -"),
    "@rule\ndef score": ("def score", "score is no rule: it needs the mark @rule"),
}


def test_what_c_cannot_keep_is_not_compiled(tmp_path: Path) -> None:
    """In Python it is an error; in C it would be the end of the process."""
    if missing := why_not():
        skip_without("compiled", missing)
    roots = []
    for number, (right, (wrong, _)) in enumerate(FAULTS.items()):
        write_game(f"Faulty {number}", tmp_path)
        roots.append(tmp_path / f"seedlog-faulty-{number}")
        game = roots[-1] / f"seedlog_faulty_{number}" / "game.py"
        text = game.read_text()
        assert right in text
        game.write_text(text.replace(right, wrong))

    told = failed(install(tmp_path, *roots), "compile")

    assert "not compiled: " in told
    for number, (_, says) in enumerate(FAULTS.values()):
        [why] = re.findall(rf"\bfaulty-{number}: (.*?)(?=; faulty-\d: |$)", told, re.S)
        assert says in why
    assert not list(tmp_path.glob("installed/seedlog_faulty_*/*.so"))


@pytest.mark.parametrize(
    "name", ["kalah", "Kalah", "7", "ਖੇਡ", "", 'A "b"', "a\\b", "a\nb", "a" * 61]
)
def test_a_name_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidName):
        write_game(name, tmp_path)
    assert list(tmp_path.iterdir()) == []
