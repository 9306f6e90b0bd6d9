"""The tutorial is what it says: its blocks are run as they stand, in a new folder."""

import os
import re
import subprocess
import sys
from pathlib import Path

from services.client.shapes import MatchSummary
from tests.client.world import World
from tests.support.node import node
from tests.support.patience import wait_for

ROOT = Path(__file__).parents[2]
TUTORIAL = (ROOT / "services/client/README.md").read_text("utf-8")
HERE = "http://127.0.0.1:8000"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TUTORIAL, re.M | re.S)


def run_script(script: str, folder: Path) -> str:
    ran = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_a_new_folder_the_client_and_a_bot_that_plays_to_the_end(
    world: World, tmp_path: Path
) -> None:
    node()
    (tmp_path / ".seedlog").symlink_to(world.stack.data)
    begin, start = blocks("sh")
    [bot] = blocks("js")
    assert len(bot.splitlines()) < 60
    script = f"{begin}cat > bot.mjs <<'END'\n{bot}END\n{start}"

    said = run_script(script.replace(HERE, world.stack.url), tmp_path).splitlines()

    def newest_that_ended() -> MatchSummary | None:
        row = next(world.stack.client.matches(game="kalah"))
        return row if row["outcome"] else None

    match = wait_for("the list", newest_that_ended)
    assert match is not None
    outcome = match["outcome"]
    assert outcome is not None
    score = f"{outcome['score']['south']} : {outcome['score']['north']}"
    winner = outcome["winner"] or "nobody"
    assert said[-2] == f"{winner} wins by {outcome['reason']}, {score}"
    assert said[-1].startswith(f"{match['version']} events, signed by sig_")
    assert len(said) > 8


def test_the_lines_of_python_work(world: World, tmp_path: Path) -> None:
    [program] = blocks("python")
    (tmp_path / "app.py").write_text(program.replace(HERE, world.stack.url))
    script = f"SEEDLOG_KEY={world.stack.api_key} {sys.executable} app.py"

    said = run_script(script, tmp_path).splitlines()

    assert said[0] == "1 match.opened "
    assert said[-2:] == [
        f"{len(said) - 1} match.resigned ",
        f"{len(said)} match.ended ",
    ]


def test_a_page_imports_it_as_it_is_said() -> None:
    [page] = blocks("html")
    assert "/client/seedlog.js" in page
