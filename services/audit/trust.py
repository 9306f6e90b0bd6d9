"""Whose exports are taken over here: our own keys, and those that are listed."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from services.audit.public_keys import PublicKey, read_keys

FILE = "trusted_keys.json"


def trusted_keys(own: Iterable[PublicKey], folder: Path) -> Mapping[str, PublicKey]:
    """Return our own keys and those of `trusted_keys.json` in the data folder, by id.

    :raises UnreadableKeys: the file does not have the form it should have.
    """
    listed = folder / FILE
    others = read_keys(listed.read_bytes()) if listed.exists() else {}
    return {**others, **{key.id: key for key in own}}
