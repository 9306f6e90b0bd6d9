"""The export of a match as one page to keep, which verifies itself in any browser."""

from services.audit.page.page import (
    PageParts,
    export_of_page,
    page_parts,
    shown_game,
    verifier_script,
    words_finding,
)

__all__ = [
    "PageParts",
    "export_of_page",
    "page_parts",
    "shown_game",
    "verifier_script",
    "words_finding",
]
