"""Secrets that are made once and kept in the data folder, readable by their owner."""

import contextlib
import os
import secrets
from collections.abc import Callable
from pathlib import Path


def read_or_make(path: Path, make: Callable[[], str]) -> str:
    """Return the text of a file; make it, once, if it is not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    if not path.exists():
        write_private(draft, make())
        with contextlib.suppress(FileExistsError):  # another process was first
            os.link(draft, path)
        draft.unlink()
    return path.read_text("utf-8").strip()


def write_private(path: Path, text: str) -> None:
    """Write a file that its owner alone can read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)


def make_secret() -> str:
    """Return 256 random bits as text."""
    return secrets.token_urlsafe(32)
