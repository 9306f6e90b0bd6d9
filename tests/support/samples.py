"""The recorded samples of every format, which are read for ever."""

import json
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parents[1] / "audit" / "recorded"
SAMPLES = Path(__file__).parents[1] / "formats" / "samples"


def sample(name: str) -> str:
    return (SAMPLES / name).read_text("utf-8")


def rows(name: str) -> Any:
    return json.loads(sample(name))
