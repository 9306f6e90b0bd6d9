"""Where matches are archived: said before anything is old enough to be."""

from pathlib import Path

import pytest

from services.archive.archive import UnusableArchive, check_place


def test_a_file_is_no_place_to_archive_in(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    check_place(str(tmp_path / "not there yet"))

    for where in (file, file / "below"):
        with pytest.raises(UnusableArchive, match="is a file"):
            check_place(str(where))
