"""`<data>/ready.json`: where a running stack is, for scripts and other commands."""

import json
import os
from pathlib import Path
from typing import Any

from services.local_files import write_private

NAME = "ready.json"


def write_ready(data: Path, facts: dict[str, Any]) -> None:
    """Say that the stack is ready; the file appears whole or not at all."""
    draft = data / f".{NAME}"
    write_private(draft, json.dumps(facts) + "\n")
    draft.replace(data / NAME)


def read_ready(data: Path) -> dict[str, Any] | None:
    """Return what a running stack says of itself, or None if none runs."""
    try:
        facts: dict[str, Any] = json.loads((data / NAME).read_text("utf-8"))
        os.kill(facts["pid"], 0)
    except (FileNotFoundError, ProcessLookupError):
        return None
    return facts


def remove_ready(data: Path) -> None:
    """Say that the stack is not ready any more."""
    (data / NAME).unlink(missing_ok=True)
