"""`seedlog tables`: endings are worked out once, and found by who thinks."""

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from rules_core import GAMES, find_game, start
from rules_core.compiled import find_compiled
from rules_core.game import Variant
from rules_core.search import ending_tables, whole_files
from rules_core.search.ending_tables import (
    FOLDER,
    SHELF,
    Endings,
    OnPlaces,
    file_name,
    read_endings,
)
from services.cli import ending_commands
from tests.support.commands import seedlog

NOBODY = 1 << 23
"""No process has this number: Linux counts to half of it."""

SMALL = ("--option", "pits=3", "--option", "seeds=2")


@pytest.fixture(autouse=True)
def leave_no_shelf() -> Iterator[None]:
    """Another test would find what this one has made."""
    yield
    SHELF.use(None)


def test_a_table_is_made_in_the_data_folder_and_found_by_solve(tmp_path: Path) -> None:
    """With it, fewer positions are looked at."""
    without = seedlog("solve", "kalah", "start", *SMALL, SEEDLOG_DATA=str(tmp_path))
    made = seedlog("tables", "kalah", "--seeds", 8, *SMALL, SEEDLOG_DATA=str(tmp_path))
    with_it = seedlog("solve", "kalah", "start", *SMALL, SEEDLOG_DATA=str(tmp_path))

    assert made.exit_code == 0
    assert "of up to 8 seeds" in made.output
    [path] = (tmp_path / FOLDER).iterdir()
    variant = start("kalah", {"pits": 3, "seeds": 2}).variant
    assert read_endings(path, variant).seeds == 8
    answers = [ran.output.splitlines() for ran in (without, with_it)]
    exact = [next(line for line in lines if "exactly" in line) for lines in answers]
    assert exact[0].split()[:2] == exact[1].split()[:2]
    assert positions(with_it.output) < positions(without.output)


def positions(output: str) -> int:
    """Return how many positions `solve` says that it looked at."""
    words = output.split()
    return int(words[words.index("positions,") - 1].replace(",", ""))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("bao-children", "--seeds", 3), "has no table of endings"),
        (("congkak", "--seeds", 3, "--option", "rounds=match"), "with these options"),
        (("kalah", "--seeds", 40), "bytes, more than"),
        (("kalah", "--seeds", 3, "--option", "pits=99"), "pits"),
        (("kalah", "--seeds", 3, "--option", "nonsense"), "nonsense"),
    ],
)
def test_what_cannot_be_worked_out_is_refused(
    arguments: tuple[object, ...], says: str, tmp_path: Path
) -> None:
    """And nothing is left behind."""
    refused = seedlog("tables", *arguments, SEEDLOG_DATA=str(tmp_path))
    assert refused.exit_code == 1
    assert says in refused.output
    assert not (tmp_path / FOLDER).exists()


def test_small_tables_are_made_of_every_compiled_game_that_has_endings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is none; a larger one stays."""
    monkeypatch.setattr(ending_tables, "SMALL_BYTES", 4_000)
    data = {"SEEDLOG_DATA": str(tmp_path)}
    larger = seedlog("tables", "oware", "--seeds", 4, **data)
    made = seedlog("tables", **data)
    assert (larger.exit_code, made.exit_code) == (0, 0)
    names = {
        file_name(game.variant(None))
        for game in GAMES
        if game.engine.has_endings and find_compiled(game) is not None
    }
    files = {path.name: path for path in (tmp_path / FOLDER).iterdir()}
    assert set(files) == names | {"oware-1.endings"}
    assert all(path.stat().st_mode & 0o077 == 0 for path in files.values())
    oware = find_game("oware").variant(None)
    assert read_endings(files["oware-1.endings"], oware).seeds == 4


def test_a_table_that_is_damaged_is_made_anew(tmp_path: Path) -> None:
    """And said to be."""
    made = ("tables", "oware", "--seeds", 2)
    seedlog(*made, SEEDLOG_DATA=str(tmp_path))
    [path] = (tmp_path / FOLDER).iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    again = seedlog(*made, SEEDLOG_DATA=str(tmp_path))
    assert again.exit_code == 0
    assert "damaged" in again.output
    assert path.read_bytes() == whole


def test_who_waits_for_a_table_finds_it_when_it_is_there(tmp_path: Path) -> None:
    """A worker that was started before it was made."""
    SHELF.use(tmp_path / FOLDER)
    variant = find_game("oware").variant(None)
    assert SHELF.find(variant) is None
    seedlog("tables", "oware", "--seeds", 2, SEEDLOG_DATA=str(tmp_path))
    found = SHELF.find(variant)
    assert found is not None
    assert found.seeds == 2


def test_a_larger_table_is_found_by_who_has_the_smaller_one(tmp_path: Path) -> None:
    SHELF.use(tmp_path / FOLDER)
    variant = find_game("oware").variant(None)
    for seeds in (2, 3):
        seedlog("tables", "oware", "--seeds", seeds, SEEDLOG_DATA=str(tmp_path))
        found = SHELF.find(variant)
        assert found is not None
        assert found.seeds == seeds
        assert SHELF.find(variant) is found


def test_what_is_whole_is_kept_when_it_is_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next run begins with it."""
    grow, begun = ending_commands.growing_endings, list[int]()

    def growing(
        variant: Variant, seeds: int, known: Endings | None, on_places: OnPlaces
    ) -> Iterator[Endings]:
        begun.append(-1 if known is None else known.seeds)
        for endings in grow(variant, seeds, known, on_places):
            yield endings
            if endings.seeds == 3 and len(begun) == 1:
                raise KeyboardInterrupt

    monkeypatch.setattr(ending_commands, "growing_endings", growing)
    asked = ("tables", "oware", "--seeds", 5)
    interrupted = seedlog(*asked, SEEDLOG_DATA=str(tmp_path))
    again = seedlog(*asked, SEEDLOG_DATA=str(tmp_path))

    assert (interrupted.exit_code, again.exit_code) == (1, 0)
    assert begun == [-1, 3]
    whole = tmp_path / "whole"
    seedlog(*asked, SEEDLOG_DATA=str(whole))
    [path] = (tmp_path / FOLDER).iterdir()
    assert path.read_bytes() == (whole / FOLDER / path.name).read_bytes()


def test_without_room_it_says_so_and_leaves_no_draft(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor one of a process that was killed while it wrote."""

    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    folder = tmp_path / FOLDER
    folder.mkdir()
    gone = folder / f"oware-1.endings.{NOBODY}"
    gone.write_bytes(b"half")
    with monkeypatch.context() as patched:
        patched.setattr(whole_files.os, "fsync", full)
        refused = seedlog("tables", "oware", "--seeds", 2, SEEDLOG_DATA=str(tmp_path))

    assert refused.exit_code == 1
    assert "cannot be written: No space left on device" in refused.output
    assert list(folder.iterdir()) == []


def test_a_data_folder_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    refused = seedlog("tables", "oware", "--seeds", 2, SEEDLOG_DATA=str(file))
    assert refused.exit_code == 1
    assert f"{file} cannot be written: File exists" in refused.output


@pytest.mark.parametrize("wrong", [("--seeds", 3), ("--option", "pits=3")])
def test_a_table_of_no_game_is_refused(
    wrong: tuple[object, ...], tmp_path: Path
) -> None:
    """Seeds and options are those of one."""
    refused = seedlog("tables", *wrong, SEEDLOG_DATA=str(tmp_path))
    assert refused.exit_code == 1
    assert "of which game" in refused.output


def test_a_table_of_a_whole_game_is_named_by_its_options(tmp_path: Path) -> None:
    """Two rules for empty captures have two tables."""
    for option in ("false", "true"):
        empty = ("--option", f"empty_capture={option}")
        made = seedlog(
            "tables", "kalah", "--seeds", 2, *empty, SEEDLOG_DATA=str(tmp_path)
        )
        assert made.exit_code == 0
    names = sorted(path.name for path in (tmp_path / FOLDER).iterdir())
    assert names == ["kalah-1-6-false.endings", "kalah-1-6-true.endings"]
    assert find_game("kalah").rules == "kalah/1"
