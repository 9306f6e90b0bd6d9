"""The settings as people read them: in `seedlog --help`, and in the README."""

from dataclasses import Field, fields
from typing import Any

from services.settings import Settings, variable_of


def help_text() -> str:
    """Return a line for each setting: its name, its meaning, its default."""
    rows = {
        variable_of(known): known.metadata["help"]
        + (f" ({_default(known)})" if _default(known) else "")
        for known in fields(Settings)
    }
    width = max(map(len, rows)) + 2
    return "\n".join(f"  {name:<{width}}{meaning}" for name, meaning in rows.items())


def markdown_table() -> str:
    """Return the table of the README; `make settings` writes it there."""
    rows = [("name", "default", "meaning"), ("---", "---", "---")]
    rows += [
        (f"`{variable_of(known)}`", _default(known), known.metadata["help"])
        for known in fields(Settings)
    ]
    lines = ("| " + " | ".join(row) + " |\n" for row in rows)
    return "".join(lines).replace("|  |", "| |")


def _default(known: Field[Any]) -> str:
    """Return the default, unless the meaning tells what comes without the setting."""
    return "" if "without it" in known.metadata["help"] else str(known.default)
