"""The table of settings in the README: `make settings` writes it anew."""

import re
from pathlib import Path

from services.cli.settings_help import markdown_table

README = Path(__file__).parents[2] / "README.md"
TABLE = re.compile(r"^\| name \| default \| meaning \|\n(?:\|.*\n)+", re.MULTILINE)


def with_table(page: str) -> str:
    """Return a page with the table of the settings as they are now."""
    new, found = TABLE.subn(lambda _: markdown_table(), page)
    assert found == 1, "the README has one table of settings"
    return new


if __name__ == "__main__":
    README.write_text(with_table(README.read_text("utf-8")), "utf-8")
