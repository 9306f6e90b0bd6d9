"""The types of the page, as its comments say them, hold."""

import json
import shutil
from pathlib import Path

from services.web.assets import CLIENT, STATIC
from tests.support.node import run_tsc

CHECKED = {
    "noEmit": True,
    "allowJs": True,
    "checkJs": True,
    "strict": True,
    "target": "es2022",
    "module": "es2022",
    "moduleResolution": "bundler",
    "lib": ["es2023", "dom", "dom.iterable"],
    "paths": {"/client/seedlog.js": ["./client/seedlog.js"]},
}


def test_the_types_of_the_page_hold(tmp_path: Path) -> None:
    """In its own folder, as a server has it: modules name each other by address."""
    shutil.copytree(STATIC, tmp_path / "static")
    shutil.copytree(CLIENT, tmp_path / "client")
    project = {"compilerOptions": CHECKED, "include": ["static/**/*.js"]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(project))

    checked = run_tsc(tmp_path, "-p", ".")

    assert checked.returncode == 0, checked.stdout
