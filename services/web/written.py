"""The HTML that stands in files, with the parts that several pages have in common."""

import re
from pathlib import Path

HERE = Path(__file__).parent
PARTS = {
    "head": (HERE / "head.html").read_text("utf-8"),
    "proof": (HERE / "proof_body.html").read_text("utf-8"),
}
PLACE = re.compile(r"<!-- (\w+) -->\n")


def written(path: Path) -> str:
    """Return a page as it stands in a file, its parts where it names them."""
    return PLACE.sub(lambda found: PARTS[found[1]], path.read_text("utf-8"))
