"""The export of a match as one page to keep, which verifies itself in any browser."""

from services.audit.page.page import (
    export_of_page,
    export_page,
    verifier_script,
    words_finding,
)

__all__ = [
    "export_of_page",
    "export_page",
    "verifier_script",
    "words_finding",
]
