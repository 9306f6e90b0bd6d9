"""Proofs of Kalah: how long they take, with tables of endings built in the same run.

Times are CPU time of this process. What the values should be stands in
`tests/search/kalah_values.json`; (6,4) takes a minute, and is left out unless it is
asked for: `python -m tests.bench.exact 6,4`.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from rules_core import start
from rules_core.search.ending_tables import (
    SHELF,
    build_endings,
    file_name,
    write_endings,
)
from rules_core.search.thinking import Budget, think
from tests.support.measure import report

VALUES = Path(__file__).parents[1] / "search" / "kalah_values.json"
USUAL = ("4,4", "5,3", "6,2", "6,3")
MANY = 20
TABLE_SEEDS, LARGE_TABLE_SEEDS = 14, 16
PATIENCE_S = 900.0


def prove(pits: int, seeds: int, empty_capture: bool, folder: Path) -> tuple[str, str]:
    known = json.loads(VALUES.read_text("utf-8"))
    rule = "empty_capture" if empty_capture else "no_empty_capture"
    options = {"pits": pits, "seeds": seeds, "empty_capture": empty_capture}
    first = start("kalah", options)
    in_table = LARGE_TABLE_SEEDS if pits * seeds > MANY else TABLE_SEEDS
    shelf = folder / str(in_table)
    shelf.mkdir(exist_ok=True)
    SHELF.use(shelf)
    path = shelf / file_name(first.variant)
    began = time.process_time()
    if not path.exists():
        endings = build_endings(first.variant, in_table)
        write_endings(path, first.variant, endings)
    built = time.process_time() - began
    began = time.process_time()
    best = think(first, Budget(PATIENCE_S)).lines[0]
    took = time.process_time() - began
    right = best.exact and best.value == known[rule][str(pits)][seeds - 1]
    verdict = "right" if right else "WRONG"
    told = f"{best.value:+.0f} {verdict}, {took:.2f} s and {built:.2f} s for the table"
    return f"Kalah({pits},{seeds}), {rule.replace('_', ' ')}", told


def main() -> None:
    wanted = sys.argv[1:] if __name__ == "__main__" else []
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for shape in wanted or USUAL:
            pits, seeds = map(int, shape.split(","))
            rows += [prove(pits, seeds, rule, Path(folder)) for rule in (False, True)]
        SHELF.use(None)
    report("Proofs of Kalah", rows)


if __name__ == "__main__":
    main()
