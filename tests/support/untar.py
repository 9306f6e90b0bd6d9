"""Unpacking of archives on any Python that is supported: 3.11.2 knows no filters."""

import tarfile
from pathlib import Path


def unpack(files: tarfile.TarFile, where: Path) -> None:
    """Unpack an archive into a folder, and nothing outside it where Python can tell."""
    files.extraction_filter = getattr(tarfile, "data_filter", None)
    files.extractall(where)  # noqa: S202 it is our own
