"""Files that are worked out once and read by many: they appear whole or not at all."""

from __future__ import annotations

import mmap
import os
from pathlib import Path


def write_whole(
    path: Path, *parts: bytes | bytearray | memoryview | mmap.mmap, mode: int = 0o666
) -> None:
    """Write the parts of a file one after the other, to the disk itself.

    What processes have left that were killed while they wrote it is removed. *mode*:
    who may read it, as far as the process lets anybody. Links are followed.

    :raises OSError: there is no room for it, or the folder cannot be written.
    """
    path = path.resolve()
    for left in path.parent.glob(f"{path.name}.*"):
        writer = left.suffix.removeprefix(".")
        if writer.isdecimal() and not _runs(int(writer)):
            left.unlink(missing_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        with open(draft, "wb", opener=lambda p, flags: os.open(p, flags, mode)) as file:
            file.writelines(parts)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:  # it is somebody else's
        return True
    return True
