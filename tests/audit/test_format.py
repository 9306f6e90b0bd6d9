"""The format as it is written down: recorded files, and snippets in two languages."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from services.audit import verify
from tests.audit.binding import README
from tests.support.require import skip_without
from tests.support.samples import RECORDED
from tests.support.tables import MATCH_ID, played_table, signing_key

FILES = sorted(RECORDED.glob("*.jsonl"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_recorded_export_verifies_for_ever(file: Path) -> None:
    key = signing_key().public

    verdict = verify(file.read_bytes(), {key.id: key})

    assert verdict.is_ok, verdict.findings


def test_there_is_a_recorded_export_of_each_game() -> None:
    assert len(FILES) >= 9


def snippet(language: str, folder: Path) -> Path:
    """Return the lines of the README in a language, as a program."""
    [code] = re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)
    assert len(code.splitlines()) <= 30
    path = folder / f"check.{language}"
    path.write_text(code, "utf-8")
    return path


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("language", ["python", "js"])
def test_thirty_lines_of_another_language_check_the_chain(
    language: str, tmp_path: Path
) -> None:
    program = sys.executable if language == "python" else shutil.which("node")
    if program is None:
        skip_without("node", "there is no node to run the JavaScript with")
    check = snippet(language, tmp_path)
    honest, tampered = tmp_path / "honest.jsonl", tmp_path / "tampered.jsonl"
    data = played_table().export()
    honest.write_bytes(data)
    tampered.write_bytes(data.replace(b'"move":"b"', b'"move":"c"'))

    well, wrong = run(program, check, honest), run(program, check, tampered)

    head = json.loads(data.splitlines()[-1])["head"]
    assert well.returncode == 0, well.stderr
    assert well.stdout == f"{MATCH_ID}: 14 events, {head['hash']}\n"
    assert wrong.returncode != 0
    assert "event 6 does not fit the chain" in wrong.stderr


def test_what_the_readme_says_of_the_lines_is_so() -> None:
    header, event, *_, head = played_table().export().decode().splitlines()

    assert json.loads(header)["format"] == "seedlog-export"
    for name in ("match", "rules", "players", "exporter", "exported_at", "key"):
        assert name in json.loads(header)
        assert f"`{name}`" in README
    assert list(json.loads(event)) == ["event", "hash", "signature"]
    assert set(json.loads(head)["head"]) == {
        "at", "events", "file", "hash", "key", "kind", "match",
    }  # fmt: skip
