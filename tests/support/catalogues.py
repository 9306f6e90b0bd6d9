"""What the code says to people, and how it is translated (gettext)."""

from functools import cache
from pathlib import Path

from babel.messages import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from services.languages import LANGUAGES

ROOT = Path(__file__).parents[2]
FOLDERS = ("rules_core", "services", "workers")
CATALOGUES = ROOT / "services" / "languages" / "catalogues"
OTHERS = LANGUAGES[1:]
KEYWORDS = {
    "Message": None,
    "Counted": (1, 2),
    "Phrase": None,  # of the page
    "Phrases": (1, 2),
}


@cache
def extract() -> Catalog:
    """Return every text in the code that is to be translated, and where it stands.

    Nobody changes what is returned: to find it takes a second.
    """
    found = Catalog(charset="utf-8")
    for folder in FOLDERS:
        for name, line, text, comments, _ in extract_from_dir(
            ROOT / folder, [("**.py", "python")], keywords=KEYWORDS
        ):
            found.add(text, None, [(f"{folder}/{name}", line)], auto_comments=comments)
    return found


def path_of(language: str) -> Path:
    return CATALOGUES / f"{language}.po"


def read(language: str) -> Catalog:
    """Return the translations of a language as they are kept."""
    with path_of(language).open("rb") as file:
        return read_po(file, locale=language, charset="utf-8")
