"""A game from elsewhere comes out of the API, the projector and the AI by itself."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from services.cli.scaffold import InvalidName, write_game
from tests.support.stack import running_stack

HERE = Path(__file__).parent
ROOT = HERE.parents[1]


def install(source: Path, folder: Path) -> dict[str, str]:
    """Install a package as pip does, into a folder; return an environment with it."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    target = folder / "installed"
    subprocess.run(
        [*pip, "--no-build-isolation", "--target", str(target), str(source)], check=True
    )
    return {**os.environ, "PYTHONPATH": f"{target}:{ROOT}"}


def run_tests(folder: Path, environment: dict[str, str]) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(folder)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.fixture(scope="module")
def ayoayo(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("ayoayo")
    source = shutil.copytree(HERE / "ayoayo", folder / "source")
    return install(source, folder)


def test_the_example_keeps_its_rules(ayoayo: dict[str, str]) -> None:
    run_tests(HERE / "ayoayo" / "tests", ayoayo)


def test_the_example_is_played_over_http_against_the_ai(
    ayoayo: dict[str, str], tmp_path: Path
) -> None:
    with running_stack(tmp_path, PYTHONPATH=ayoayo["PYTHONPATH"]) as stack:
        games = [game["key"] for game in stack.client.get("/v1/games")["data"]]
        assert games[-1] == "ayoayo"
        with urlopen(f"{stack.url}/v1/games/ayoayo/rules") as rules:
            assert "**Y5.**" in rules.read().decode()
        demo = [sys.executable, "-m", "services.cli", "demo", "--game", "ayoayo"]
        where = ["--url", stack.url, "--key", stack.api_key]
        ran = subprocess.run(
            [*demo, *where], env=ayoayo, capture_output=True, text=True
        )
        assert ran.returncode == 0, ran.stderr
        assert "every served position is the replayed one" in ran.stdout
        [row] = stack.client.get("/v1/matches?game=ayoayo&status=finished")["data"]
        assert sum(row["outcome"]["score"].values()) == 48


def test_a_new_game_runs_before_a_rule_is_changed(tmp_path: Path) -> None:
    written = write_game("My Game", tmp_path)

    assert tmp_path / "seedlog-my-game/seedlog_my_game/game.py" in written
    environment = install(tmp_path / "seedlog-my-game", tmp_path)
    run_tests(tmp_path / "seedlog-my-game" / "tests", environment)


@pytest.mark.parametrize("name", ["kalah", "Kalah", "7", "ਖੇਡ", ""])
def test_a_name_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidName):
        write_game(name, tmp_path)
    assert list(tmp_path.iterdir()) == []
