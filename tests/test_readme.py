"""What the README says is what happens."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from rules_core import GAMES
from tests.support.settings_table import with_table

ROOT = Path(__file__).parents[1]
ROOTS = ("deploy", "rules_core", "services", "workers")
README = (ROOT / "README.md").read_text("utf-8")
PAGES = [
    ROOT / "README.md",
    *sorted(p for room in ROOTS for p in (ROOT / room).rglob("README.md")),
]


def blocks(language: str) -> list[str]:
    """Return the code blocks of a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)


def test_the_python_lines_work() -> None:
    for block in blocks("python"):
        exec(compile(block, "README.md", "exec"), {})


def test_the_two_commands_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    commands = [block.split() for block in blocks("sh") if block.startswith("make ")]

    assert commands == [["make", "up"], ["make", "test"]]
    for _, target in commands:
        assert re.search(rf"^{target}:", makefile, re.M)


def test_the_table_of_settings_is_that_of_the_settings() -> None:
    assert with_table(README) == README, "run `make settings`"


def test_every_file_that_is_linked_is_there() -> None:
    for page in (*PAGES, ROOT / "CONTRIBUTING.md"):
        for link in re.findall(r"\]\((?!http)([^)#]+)\)", page.read_text("utf-8")):
            assert (page.parent / link).exists(), f"{page}: {link}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_file_that_a_readme_names_is_there(page: Path) -> None:
    """Beside it, or as the services call it, or from the root."""
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text("utf-8"))
    for name in re.findall(r"`([a-z_]+(?:/[a-z_]+)*\.(?:py|lua))`", text):
        places = (page.parent, ROOT / "services", ROOT)
        assert any((place / name).exists() for place in places), f"{page}: {name}"


def test_the_map_shows_every_room_and_the_way_to_its_decisions() -> None:
    shown = (ROOT / "services/README.md").read_text("utf-8")
    assert len(shown.splitlines()) < 50, "a decision stands in the README of its room"
    for room in sorted(path.parent for path in ROOT.glob("services/*/__init__.py")):
        readme = f"[{room.name}]({room.name}/README.md)"
        assert (readme if (room / "README.md").exists() else f"`{room.name}`") in shown


def test_nothing_names_a_folder_of_somebodys_machine() -> None:
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    home = os.path.expanduser("~") + "/"
    for name in tracked:
        path = ROOT / name
        if path.suffix in (".md", ".py", ".yaml", ".toml", ".js", ".sh", ""):
            text = path.read_text("utf-8", errors="ignore")
            assert home not in text, name


def test_the_table_of_games_is_complete() -> None:
    rows = re.findall(r"^\| [^|]+ \| `([a-z-]+)` \| \w+, \w+ \|", README, re.MULTILINE)
    assert rows == [game.key for game in GAMES]
