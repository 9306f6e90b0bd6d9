"""Signing keys: made once, kept where their owner alone can read them, and rotated.

The folder holds `1.json`, `2.json`, ...; a file is never changed. A key signs from its
own time until that of the next one. `earlier.json` holds the public keys of the
installation that a backup came from, as they were published there.
"""

import contextlib
import json
import os
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from services.audit.format import Malformed, read_time
from services.audit.public_keys import (
    PublicKey,
    UnreadableKeys,
    add_keys,
    is_hexadecimal,
    read_key_file,
)
from services.eventlog.event import format_time
from services.local_files import remove_dead_drafts, sync_folder, write_private

if TYPE_CHECKING:  # imported where it is used: most processes never sign
    from nacl.signing import SigningKey as PrivateKey

FOLDER = "signing_keys"
EARLIER = "earlier.json"
SETTING = "SEEDLOG_SIGNING_KEY"
NOTICE_MS = 1_000
"""A new key signs after this time, so that all processes know it when it does."""


class InvalidSigningKey(Exception):
    """A signing key of the settings or of the folder cannot be used; says which."""


class KeysAreGiven(Exception):
    """The keys come from the settings, and are rotated and kept there."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key, and the public one that belongs to it."""

    private: str
    public: PublicKey

    def signer(self) -> Callable[[bytes], str]:
        """Return what signs statements, in hexadecimal; the key is unpacked once."""
        key = _unpacked(self.private)
        return lambda statement: key.sign(statement).signature.hex()


class OtherKeys(Exception):
    """There are signing keys here already, which go on signing."""


class SigningKeys:
    """The signing keys of this installation: those that are given, or its own."""

    def __init__(self, folder: Path, given: str, now_ms: Callable[[], int]) -> None:
        """Use the folder of keys, unless keys are *given*: the newest comes first."""
        self._folder = folder
        self._given = [text.strip() for text in given.split(",") if text.strip()]
        self._now_ms = now_ms

    def current(self, not_before_ms: int = 0) -> tuple[SigningKey, str]:
        """Return the key that signs now, and the time that goes with its signature.

        The clocks of servers differ: *not_before_ms* is the time of the last event that
        is signed, in milliseconds since 1970; a signature is never older than that.

        :raises InvalidSigningKey: what is given or kept is not a key.
        """
        self._load()  # makes the first key, which begins before the time it signs
        at = format_time(max(self._now_ms(), not_before_ms))
        keys = self._load()
        return next((key for key in keys if key.public.is_valid_at(at)), keys[0]), at

    def public_keys(self) -> list[PublicKey]:
        """Return all keys that have ever signed here, the newest first.

        :raises InvalidSigningKey: what is given or kept is not a key.
        """
        own = [key.public for key in self._load()]
        return [*own, *self._earlier_but(own)]

    def made_keys(self) -> list[PublicKey]:
        """Return what `public_keys` does, but make no first key.

        :raises InvalidSigningKey: what is given or kept is not a key.
        """
        return self.public_keys() if self._given or self._files() else self._earlier()

    def rotate(self) -> PublicKey:
        """Make a new key, which signs from a moment later on.

        :raises KeysAreGiven: they are not kept here.
        """
        if self._given:
            raise KeysAreGiven
        kept = len(self._load())
        self._make(kept + 1, self._now_ms() + NOTICE_MS)
        return self._load()[0].public

    # -- what a backup holds of them

    def private_keys(self) -> list[dict[str, str]]:
        """Return the contents of the files, the oldest first, for a backup.

        :raises KeysAreGiven: they are not kept here.
        """
        if self._given:
            raise KeysAreGiven
        return [_read_kept(path) for path in self._files()]

    def restore_private(self, kept: Sequence[Mapping[str, str]]) -> None:
        """Sign with the keys of a backup from now on; run again, it goes on.

        :raises OtherKeys: there are keys here already.
        """
        there = [] if self._given else [_read_kept(path) for path in self._files()]
        if self._given or there != list(kept[: len(there)]):
            raise OtherKeys
        for number, key in enumerate(kept[len(there) :], start=len(there) + 1):
            self._keep(number, key)

    def restore_public(self, keys: Iterable[PublicKey]) -> None:
        """Vouch for what another installation has signed until now."""
        own = {key.id for key in self.made_keys()}
        now = format_time(self._now_ms())
        ended = [replace(k, valid_until=k.valid_until or now) for k in keys]
        if news := [key for key in ended if key.id not in own]:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            add_keys(self._folder / EARLIER, news)

    def _earlier(self) -> list[PublicKey]:
        try:
            return list(read_key_file(self._folder / EARLIER).values())
        except UnreadableKeys as error:
            raise InvalidSigningKey(str(error)) from error

    def _earlier_but(self, own: Iterable[PublicKey]) -> list[PublicKey]:
        ids = {key.id for key in own}
        return [key for key in self._earlier() if key.id not in ids]

    # -- keeping

    def _load(self) -> list[SigningKey]:
        if self._given:
            return [
                SigningKey(text, _public_of(text, f"{SETTING}, key {number}"))
                for number, text in enumerate(self._given, start=1)
            ]
        if not self._files():
            self._make(1, self._now_ms())
        keys: list[SigningKey] = []
        until: str | None = None
        for path in reversed(self._files()):
            kept = _read_kept(path)
            private, since = kept["private"], kept["valid_from"]
            public = _public_of(private, str(path), since, until)
            keys.append(SigningKey(private, public))
            until = since
        return keys

    def _files(self) -> list[Path]:
        paths = [p for p in self._folder.glob("*.json") if p.stem.isdigit()]
        return sorted(paths, key=lambda path: int(path.stem))

    def _make(self, number: int, from_ms: int) -> None:
        """Keep a new key under a number, unless another process has just done so."""
        private = secrets.token_hex(32)
        self._keep(number, {"private": private, "valid_from": format_time(from_ms)})

    def _keep(self, number: int, kept: Mapping[str, str]) -> None:
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        remove_dead_drafts(self._folder, "draft.*")
        draft = self._folder / f"draft.{secrets.token_hex(4)}"
        write_private(draft, json.dumps(dict(kept)) + "\n")
        with contextlib.suppress(FileExistsError):
            os.link(draft, self._folder / f"{number}.json")
        draft.unlink()
        sync_folder(self._folder)


def _read_kept(path: Path) -> dict[str, str]:
    """Return what a file of the folder holds.

    :raises InvalidSigningKey: no key; says which file, and what it should be.
    """
    try:
        kept = json.loads(path.read_text("utf-8"))
        read_time(kept["valid_from"])
        return {"private": kept["private"], "valid_from": kept["valid_from"]}
    except OSError as error:
        raise InvalidSigningKey(f"{path} cannot be read: {error.strerror}") from error
    except (ValueError, KeyError, TypeError, Malformed) as error:
        raise InvalidSigningKey(
            f'{path} holds no signing key; it should be {{"private": "<64 lower-case '
            'hexadecimal digits>", "valid_from": "2026-11-21T10:00:00.000Z"}'
        ) from error


def _public_of(
    private: str, where: str, since: str | None = None, until: str | None = None
) -> PublicKey:
    if not is_hexadecimal(private, 32):
        raise InvalidSigningKey(
            f"{where}: a signing key is 64 lower-case hexadecimal digits"
        )
    public = _unpacked(private).verify_key.encode().hex()
    return PublicKey(public, since, until)


def _unpacked(private: str) -> "PrivateKey":
    from nacl.signing import SigningKey as PrivateKey

    return PrivateKey(bytes.fromhex(private))
