"""Files of the data folder: secrets that are made once, and files that are whole."""

import contextlib
import errno
import fcntl
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

DEAD_AFTER_S = 3600
OTHERS = stat.S_IRWXG | stat.S_IRWXO


class BeingWritten(Exception):
    """Another process is writing the same file."""


class NotPrivate(Exception):
    """Other users can read what is for the owner alone, and it cannot be mended."""


def keep_private(folder: Path, names: Iterable[str]) -> list[Path]:
    """Take a folder, and what is in those of its entries, from all other users.

    Files get 0600 at most, folders 0700. Entries of other names are left, for the
    folder may hold what is not ours. Return what could be read by others until now.

    :raises NotPrivate: it cannot be done; says what has to be put right.
    """
    if folder.stat().st_mode & stat.S_ISVTX:
        raise NotPrivate(
            f"{folder} is shared by all users; choose a folder of your own"
        )
    mended = []
    for path in (folder, *_entries(folder, names)):
        try:
            state = path.lstat()
            if not stat.S_ISLNK(state.st_mode) and state.st_mode & OTHERS:
                path.chmod(stat.S_IMODE(state.st_mode) & ~OTHERS)
                mended.append(path)
        except FileNotFoundError:  # a draft that another process is done with
            continue
        except OSError as error:
            raise NotPrivate(
                f"{path} can be read by other users ({error.strerror}): give it to the "
                "user who runs this, with `chown` and `chmod go-rwx`"
            ) from error
    return mended


def _entries(folder: Path, names: Iterable[str]) -> Iterator[Path]:
    for name in names:
        path = folder / name
        if path.is_symlink() or not path.exists():
            continue
        yield path
        for parent, folders, files in os.walk(path):
            yield from (Path(parent, name) for name in (*folders, *files))


def make_private_folder(folder: Path) -> None:
    """Make a folder for its owner alone, if there is none; leave one that there is."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)


def open_private(path: Path) -> BinaryIO:
    """Open an empty file that its owner alone can read, for writing."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.fchmod(descriptor, 0o600)  # one that was there keeps its mode otherwise
    return os.fdopen(descriptor, "wb")


def read_or_make(path: Path, make: Callable[[], str]) -> str:
    """Return the text of a file; make it, once, if it is not there."""
    make_private_folder(path.parent)
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
    with open_private(path) as file:
        file.write(text.encode())
        file.flush()
        os.fsync(file.fileno())


def draft_of(path: Path) -> Path:
    """Return the name of a file while it is written."""
    return path.with_name(f"{path.name}.part")


def is_own_file(facts: os.stat_result) -> bool:
    """Tell whether that is a file, and no link, of whoever runs this."""
    return stat.S_ISREG(facts.st_mode) and facts.st_uid == os.geteuid()


@contextlib.contextmanager
def writing_whole(path: Path, *, resumable: bool = False) -> Iterator[BinaryIO]:
    """Write a file for its owner alone, which appears whole or not at all, and stays.

    Until then it is called `<name>.part`. A process that was killed leaves that behind;
    the next one writes over it. If it is *resumable*, the next one finds what was left,
    and any failure leaves it, too.

    :raises BeingWritten: another process is doing so.
    """
    draft = draft_of(path)
    with os.fdopen(_open_alone(draft), "r+b") as file:
        if not resumable:
            file.truncate()
        try:
            yield file
            file.flush()
            os.fsync(file.fileno())
            draft.replace(path)
        except BaseException:
            if not resumable:
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
    """Open a file that no other process writes as long as it is open here.

    It is no link, and nobody else's: what is written there may be secret.

    :raises OSError: it is; or the disk fails.
    """
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
        if not is_own_file(os.fstat(descriptor)):
            os.close(descriptor)
            said = f"{path} is no file, or belongs to somebody else"
            raise PermissionError(errno.EPERM, said)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(descriptor)
            raise BeingWritten(f"another process is writing {path}") from error
        if _is_still(path, descriptor):
            os.fchmod(descriptor, 0o600)
            return descriptor
        os.close(descriptor)  # the other one was done just now, and has renamed it


def _is_still(path: Path, descriptor: int) -> bool:
    """Tell whether a path still names the file that is open."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
