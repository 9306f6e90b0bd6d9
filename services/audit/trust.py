"""Whose exports are taken over here: our own keys, and those that are listed."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from services.audit.public_keys import PublicKey, add_keys, read_key_file

FILE = "trusted_keys.json"


def trusted_keys(own: Iterable[PublicKey], folder: Path) -> Mapping[str, PublicKey]:
    """Return our own keys and those of `trusted_keys.json` in the data folder, by id.

    :raises UnreadableKeys: the file does not have the form it should have.
    """
    return {**listed_keys(folder), **{key.id: key for key in own}}


def listed_keys(folder: Path) -> Mapping[str, PublicKey]:
    """Return the keys of `trusted_keys.json` in the data folder, by id.

    :raises UnreadableKeys: the file does not have the form it should have.
    """
    return read_key_file(folder / FILE)


def list_keys(folder: Path, keys: Iterable[PublicKey]) -> None:
    """Add keys to those that are listed.

    :raises UnreadableKeys: the file does not have the form it should have.
    """
    add_keys(folder / FILE, keys)
