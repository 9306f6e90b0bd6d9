"""Files of the data folder: secrets that are made once, and files that are whole."""

import contextlib
import fcntl
import os
import secrets
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

DEAD_AFTER_S = 3600


class BeingWritten(Exception):
    """Another process is writing the same file."""


def read_or_make(path: Path, make: Callable[[], str]) -> str:
    """Return the text of a file; make it, once, if it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    if not path.exists():
        write_private(draft, make())
        with contextlib.suppress(FileExistsError):  # another process was first
            os.link(draft, path)
        draft.unlink()
        sync_folder(path.parent)
    return path.read_text("utf-8").strip()


def write_private(path: Path, text: str) -> None:
    """Write a file that its owner alone can read, to the disk itself."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


@contextlib.contextmanager
def writing_whole(path: Path) -> Iterator[BinaryIO]:
    """Write a file for its owner alone, which appears whole or not at all, and stays.

    Until then it is called `<name>.part`. A process that was killed leaves that behind;
    the next one writes over it.

    :raises BeingWritten: another process is doing so.
    """
    draft = path.with_name(f"{path.name}.part")
    with os.fdopen(_open_alone(draft), "wb") as file:
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    sync_folder(path.parent)


def remove_dead_drafts(folder: Path, pattern: str) -> None:
    """Remove the drafts that killed processes have left; none lives for an hour."""
    for draft in folder.glob(pattern):
        with contextlib.suppress(FileNotFoundError):  # another process was first
            if time.time() - draft.stat().st_mtime > DEAD_AFTER_S:
                draft.unlink()


def sync_folder(folder: Path) -> None:
    """Let the names in a folder be as durable as what they name."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_secret() -> str:
    """Return 256 random bits as text."""
    return secrets.token_urlsafe(32)


def _open_alone(path: Path) -> int:
    """Open a file, empty, that no other process writes as long as it is open here."""
    while True:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            raise BeingWritten(f"another process is writing {path}") from error
        if _is_still(path, descriptor):
            os.fchmod(descriptor, 0o600)
            os.ftruncate(descriptor, 0)
            return descriptor
        os.close(descriptor)  # the other one was done just now, and has renamed it


def _is_still(path: Path, descriptor: int) -> bool:
    """Tell whether a path still names the file that is open."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
