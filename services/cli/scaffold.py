"""`seedlog new-game NAME`: a package with a game that runs, its tests and rulebook."""

import re
from importlib.resources import files
from pathlib import Path
from string import ascii_uppercase

from rules_core import UnknownGame, find_game

MOST_LETTERS = 60
TEMPLATES = files("services.cli").joinpath("new_game")


class InvalidName(Exception):
    """The name cannot be that of a new game; says what it should be."""


def write_game(name: str, folder: Path) -> list[Path]:
    """Write the package of a new game; return its files.

    :raises InvalidName: the name has no letters, or is taken here or in *folder*.
    """
    key = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    if not re.match(r"[a-z]", key):
        raise InvalidName(f"{name!r}: a name needs to begin with a letter from a to z")
    if not name.isprintable() or set(name) & {'"', "\\"} or len(name) > MOST_LETTERS:
        raise InvalidName(
            f"{name!r}: a name has at most {MOST_LETTERS} letters, and no quotation "
            "mark, backslash or line break in it"
        )
    _check_is_free(key)
    module = key.replace("-", "_")
    root = folder / f"seedlog-{key}"
    if root.exists():
        raise InvalidName(f"{root} is there already")
    package = root / f"seedlog_{module}"
    texts = {
        root / "pyproject.toml": _template("pyproject.toml.in"),
        root / ".gitignore": _template("gitignore.in"),
        package / "__init__.py": '"""@NAME@, a game for Seedlog."""\n',
        package / "game.py": _template("game.py.in"),
        package / "rulebooks" / "en" / f"{key}.md": _template("rulebook.md.in"),
        root / "tests" / f"test_{module}.py": _template("test.py.in"),
    }
    words = {"@KEY@": key, "@NAME@": name, "@MODULE@": module}
    letter = _free_letter(key)
    words |= {"@ID@": letter, "@id@": letter.lower()}
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_fill(text, words), encoding="utf-8")
    return list(texts)


def _free_letter(key: str) -> str:
    """Return the first letter of a key that begins no rule id of ours."""
    texts = files("services.rulebooks").joinpath("texts", "en").iterdir()
    taken = {
        rule
        for text in texts
        for rule in re.findall(r"\*\*([A-Z])\d+\.", text.read_text("utf-8"))
    }
    letters = [c for c in key.upper() if c in ascii_uppercase]
    letters += ascii_uppercase
    return next(letter for letter in letters if letter not in taken)


def _check_is_free(key: str) -> None:
    try:
        find_game(key)
    except UnknownGame:
        return
    raise InvalidName(f"there is a game {key!r} already")


def _template(name: str) -> str:
    return TEMPLATES.joinpath(name).read_text("utf-8")


def _fill(text: str, words: dict[str, str]) -> str:
    for mark, word in words.items():
        text = text.replace(mark, word)
    return text
