"""Pictures of what tests see in a browser, for people: `build/screenshots`."""

from pathlib import Path

from playwright.sync_api import Page

FOLDER = Path(__file__).parents[2] / "build" / "screenshots"


def picture(page: Page, name: str, *, whole: bool = True) -> None:
    """Keep what a page looks like now, under a name."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    page.screenshot(path=FOLDER / f"{name}.png", full_page=whole)
