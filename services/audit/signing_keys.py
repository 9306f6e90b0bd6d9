"""Signing keys: made once, kept where their owner alone can read them, and rotated.

The folder holds `1.json`, `2.json`, ...; a file is never changed. A key signs from its
own time until that of the next one.
"""

import contextlib
import json
import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from services.audit.public_keys import PublicKey, is_hexadecimal
from services.eventlog.event import format_time
from services.local_files import write_private

if TYPE_CHECKING:  # imported where it is used: most processes never sign
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

FOLDER = "signing_keys"
NOTICE_MS = 1_000
"""A new key signs after this time, so that all processes know it when it does."""


class InvalidSigningKey(Exception):
    """A signing key of the settings or of the folder cannot be used."""


class KeysAreGiven(Exception):
    """The keys come from the settings, and are rotated there."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key, and the public one that belongs to it."""

    private: str
    public: PublicKey

    def signer(self) -> Callable[[bytes], str]:
        """Return what signs statements, in hexadecimal; the key is unpacked once."""
        key = _unpacked(self.private)
        return lambda statement: key.sign(statement).hex()


class SigningKeys:
    """The signing keys of this installation: those that are given, or its own."""

    def __init__(self, folder: Path, given: str, now_ms: Callable[[], int]) -> None:
        """Use the folder of keys, unless keys are *given*: the newest comes first."""
        self._folder = folder
        self._given = [text.strip() for text in given.split(",") if text.strip()]
        self._now_ms = now_ms

    def current(self) -> tuple[SigningKey, str]:
        """Return the key that signs now, and the time that goes with its signature.

        :raises InvalidSigningKey: what is given or kept is not a key.
        """
        self._load()  # makes the first key, which begins before the time it signs
        at = format_time(self._now_ms())
        keys = self._load()
        return next((key for key in keys if key.public.is_valid_at(at)), keys[0]), at

    def public_keys(self) -> list[PublicKey]:
        """Return all keys that have ever signed here, the newest first."""
        return [key.public for key in self._load()]

    def rotate(self) -> PublicKey:
        """Make a new key, which signs from a moment later on.

        :raises KeysAreGiven: they are not kept here.
        """
        if self._given:
            raise KeysAreGiven
        kept = len(self._load())
        self._make(kept + 1, self._now_ms() + NOTICE_MS)
        return self._load()[0].public

    def _load(self) -> list[SigningKey]:
        if self._given:
            return [SigningKey(text, _public_of(text)) for text in self._given]
        if not self._files():
            self._make(1, self._now_ms())
        keys: list[SigningKey] = []
        until: str | None = None
        for path in reversed(self._files()):
            try:
                kept = json.loads(path.read_text("utf-8"))
                private, since = kept["private"], str(kept["valid_from"])
            except (ValueError, KeyError, TypeError) as error:
                raise InvalidSigningKey(f"{path.name} holds no signing key") from error
            keys.append(SigningKey(private, _public_of(private, since, until)))
            until = since
        return keys

    def _files(self) -> list[Path]:
        found = [p for p in self._folder.glob("*.json") if p.stem.isdigit()]
        return sorted(found, key=lambda path: int(path.stem))

    def _make(self, number: int, from_ms: int) -> None:
        """Keep a new key under a number, unless another process has just done so."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        private = secrets.token_hex(32)
        kept = {"private": private, "valid_from": format_time(from_ms)}
        draft = self._folder / f"draft.{secrets.token_hex(4)}"
        write_private(draft, json.dumps(kept) + "\n")
        with contextlib.suppress(FileExistsError):
            os.link(draft, self._folder / f"{number}.json")
        draft.unlink()


def _public_of(
    private: str, since: str | None = None, until: str | None = None
) -> PublicKey:
    if not is_hexadecimal(private, 32):
        raise InvalidSigningKey("a signing key is 64 lower-case hexadecimal digits")
    public = _unpacked(private).public_key().public_bytes_raw().hex()
    return PublicKey(public, since, until)


def _unpacked(private: str) -> "Ed25519PrivateKey":
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(private))
