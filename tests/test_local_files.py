"""What is kept on the disk is for its owner alone."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.local_files import (
    NotPrivate,
    draft_of,
    keep_private,
    make_private_folder,
    open_private,
    read_or_make,
    write_private,
    writing_whole,
)

OTHERS = 0o077


@pytest.fixture(autouse=True)
def permissive() -> Iterator[None]:
    """Let what is made without a word about its mode be readable by all."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    by_path = {".": folder.stat().st_mode & 0o777}
    for path in folder.rglob("*"):
        by_path[str(path.relative_to(folder))] = path.stat().st_mode & 0o777
    return by_path


def test_what_others_could_read_is_taken_from_them(tmp_path: Path) -> None:
    data = tmp_path / "data"
    (data / "log" / "appendonlydir").mkdir(parents=True)
    (data / "log" / "appendonlydir" / "a.aof").touch()
    (data / "log" / "dump.rdb").touch()
    (data / "other").mkdir()

    mended = keep_private(data, ("log", "none"))

    assert {path.name for path in mended} == {
        *("data", "log", "appendonlydir", "a.aof", "dump.rdb")
    }
    assert modes(data) == {
        ".": 0o700,
        "log": 0o700,
        "log/appendonlydir": 0o700,
        "log/appendonlydir/a.aof": 0o600,
        "log/dump.rdb": 0o600,
        "other": 0o755,  # not ours to say
    }
    assert keep_private(data, ("log",)) == []


def test_nothing_outside_is_touched(tmp_path: Path) -> None:
    data, outside = tmp_path / "data", tmp_path / "outside"
    data.mkdir()
    outside.mkdir()
    (outside / "file").touch()
    (data / "log").symlink_to(outside)
    (data / "secret").symlink_to(outside / "file")

    keep_private(data, ("log", "secret"))

    assert modes(outside) == {".": 0o755, "file": 0o644}


def test_a_folder_of_all_users_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o1777)

    with pytest.raises(NotPrivate, match="shared by all users"):
        keep_private(tmp_path, ())

    assert tmp_path.stat().st_mode & 0o7777 == 0o1777


def test_what_cannot_be_mended_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o755)

    def refuse(*_: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refuse)

    with pytest.raises(NotPrivate, match=r"can be read by other users .*chown"):
        keep_private(tmp_path, ())


def test_what_is_made_is_for_the_owner(tmp_path: Path) -> None:
    """A file that was there before, too."""
    for name in ("open", "written"):
        (tmp_path / name).touch(0o644)
    with open_private(tmp_path / "open") as file:
        file.write(b"x")
    write_private(tmp_path / "written", "x")
    make_private_folder(tmp_path / "folder")
    read_or_make(tmp_path / "folder" / "deeper" / "made", lambda: "x")

    made = modes(tmp_path)
    assert all(mode & OTHERS == 0 for name, mode in made.items() if name != "."), made


def test_a_draft_is_no_link_and_nobody_elses(tmp_path: Path) -> None:
    """Whoever may write into the folder could have laid it there."""
    victim, path = tmp_path / "victim", tmp_path / "file"
    victim.write_text("precious")
    victim.chmod(0o644)
    draft_of(path).symlink_to(victim)

    with pytest.raises(OSError, match="symbolic links"), writing_whole(path):
        raise AssertionError("it was opened")

    assert victim.read_text() == "precious"
    assert modes(tmp_path)["victim"] == 0o644
    assert not path.exists()
    if os.geteuid():
        return  # root alone can give files away
    draft_of(path).unlink()
    draft_of(path).touch()
    os.chown(draft_of(path), 65534, -1)
    with pytest.raises(PermissionError, match="somebody else"), writing_whole(path):
        raise AssertionError("it was opened")
