"""Public keys: what a signature is checked against, and since when a key signs."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from services.local_files import writing_whole

if TYPE_CHECKING:  # imported where it is used: most processes never verify
    from nacl.signing import VerifyKey

ALGORITHM = "Ed25519"
EXPECTED = 'expected {"keys": [...]}, as /.well-known/seedlog-keys.json has it'


class UnreadableKeys(Exception):
    """A list of public keys does not have the form it should have."""


@dataclass(frozen=True)
class PublicKey:
    """An Ed25519 key in hexadecimal; it signs from a time on, until another takes over.

    Where a time is not known there is none. The id follows from the key.
    """

    public: str
    valid_from: str | None = None
    valid_until: str | None = None

    @cached_property
    def id(self) -> str:
        """Return the name of the key: the beginning of its SHA-256."""
        return "sig_" + hashlib.sha256(bytes.fromhex(self.public)).hexdigest()[:16]

    @cached_property
    def _key(self) -> "VerifyKey":
        from nacl.signing import VerifyKey

        return VerifyKey(bytes.fromhex(self.public))

    def verify(self, statement: bytes, signature: str) -> bool:
        """Tell whether the owner of the key has signed a statement."""
        from nacl.exceptions import BadSignatureError

        try:
            self._key.verify(statement, bytes.fromhex(signature))
        except (BadSignatureError, ValueError):
            return False
        return True

    def is_valid_at(self, at: str) -> bool:
        """Tell whether the key signed at a time, given as RFC 3339 text of the log."""
        begun = self.valid_from is None or self.valid_from <= at
        return begun and (self.valid_until is None or at < self.valid_until)

    def as_json(self) -> dict[str, Any]:
        """Return the key as it is published."""
        return {
            "algorithm": ALGORITHM,
            "id": self.id,
            "public": self.public,
            "valid_from": self.valid_from,
            "valid_until": self.valid_until,
        }

    @classmethod
    def from_json(cls, given: Any) -> "PublicKey":
        """Return a published key.

        :raises UnreadableKeys: saying what is wrong with it.
        """
        if not isinstance(given, dict) or set(given) != FIELDS:
            raise UnreadableKeys(f"a key has the members {', '.join(sorted(FIELDS))}")
        times = given["valid_from"], given["valid_until"]
        if not all(time is None or isinstance(time, str) for time in times):
            raise UnreadableKeys("the times of a key are texts or null")
        public = given["public"]
        if given["algorithm"] != ALGORITHM or not is_hexadecimal(public, 32):
            raise UnreadableKeys(f"a key is {ALGORITHM}, 64 hexadecimal digits")
        key = _known(public, *times)
        if key.id != given["id"]:
            raise UnreadableKeys(f"the id of this key is {key.id}, not {given['id']!r}")
        return key


@lru_cache(maxsize=64)
def _known(public: str, valid_from: str | None, valid_until: str | None) -> PublicKey:
    """Return a key; the same one for many files, for it is costly to take up."""
    return PublicKey(public, valid_from, valid_until)


FIELDS = {"algorithm", "id", "public", "valid_from", "valid_until"}


def is_hexadecimal(text: object, size: int) -> bool:
    """Tell whether something is so many bytes in lower-case hexadecimal digits."""
    return (
        isinstance(text, str)
        and len(text) == 2 * size
        and not set(text) - set("0123456789abcdef")
    )


def keys_json(keys: Iterable[PublicKey]) -> dict[str, Any]:
    """Return a list of keys as it is published, and kept in files."""
    return {"keys": [key.as_json() for key in keys]}


def read_keys(text: str | bytes) -> Mapping[str, PublicKey]:
    """Return the keys of a published list, by their ids.

    :raises UnreadableKeys: saying what is wrong with it.
    """
    try:
        given = json.loads(text)
    except ValueError as error:
        raise UnreadableKeys(f"this is not JSON ({error}); {EXPECTED}") from error
    if not isinstance(given, dict) or not isinstance(given.get("keys"), list):
        raise UnreadableKeys(EXPECTED)
    keys = [PublicKey.from_json(key) for key in given["keys"]]
    return {key.id: key for key in keys}


def read_key_file(path: Path) -> Mapping[str, PublicKey]:
    """Return the keys of a file by their ids; none if there is no file.

    :raises UnreadableKeys: it does not hold a published list; says which file.
    """
    try:
        return read_keys(path.read_bytes()) if path.exists() else {}
    except OSError as error:
        raise UnreadableKeys(f"{path} cannot be read: {error.strerror}") from error
    except UnreadableKeys as error:
        raise UnreadableKeys(f"{path}: {error}") from error


def add_keys(path: Path, keys: Iterable[PublicKey]) -> None:
    """Add keys to a list in a file; those that are in it stay as they are.

    :raises UnreadableKeys: the file is there, but is no list of keys.
    """
    there = read_key_file(path)
    both = {**{key.id: key for key in keys}, **there}
    if len(both) > len(there):
        path.parent.mkdir(parents=True, exist_ok=True)
        with writing_whole(path) as file:
            file.write(json.dumps(keys_json(both.values()), indent=2).encode() + b"\n")
