"""Pictures of what tests see in a browser, for people who ask: `build/screenshots`.

`SEEDLOG_PICTURES=1` asks for them. They are half of what such a test takes.
"""

import os
from pathlib import Path

from playwright.sync_api import Page

FOLDER = Path(__file__).parents[2] / "build" / "screenshots"
ARE_WANTED = bool(os.environ.get("SEEDLOG_PICTURES"))


def picture(page: Page, name: str, *, whole: bool = True) -> None:
    """Keep what a page looks like now, under a name, if somebody wants to see it."""
    if not ARE_WANTED:
        return
    FOLDER.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=FOLDER / f"{name}.png", full_page=whole)
