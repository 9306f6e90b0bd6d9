"""Seat tokens: `st_<match>.<seat>.<generation>.<mac>`, reproducible from one secret."""

import base64
import hashlib
import hmac
from dataclasses import dataclass
from functools import lru_cache

PREFIX = "st_"
REMEMBERED = 4096
"""So many tokens are read once: a seat sends the same one with every move.

The same of apps. To work it out anew is little, but other threads go on meanwhile, and
what asked for it waits for these.
"""


@dataclass(frozen=True, slots=True)
class SeatClaim:
    """What a genuine token says. Whether it is still valid, the match knows."""

    match_id: str
    seat: str
    generation: int


class SeatTokens:
    """Issues and reads the tokens of one secret, and other values derived from it."""

    def __init__(self, secret: str) -> None:
        """Use a secret that all API processes share."""
        self._secret = secret.encode()
        self._read = lru_cache(maxsize=REMEMBERED)(self._read_once)
        self._author = lru_cache(maxsize=REMEMBERED)(self._derive_author)

    def issue(self, match_id: str, seat: str, generation: int) -> str:
        """Return the token of a seat; the same one every time."""
        claim = f"{match_id}.{seat}.{generation}"
        return f"{PREFIX}{claim}.{self.derive('seat', claim, 24)}"

    def read(self, token: str) -> SeatClaim | None:
        """Return what a token says, or None if it was not issued here."""
        return self._read(token)

    def author_of(self, key_id: str) -> str:
        """Return how events name an API key: the same for a key, no word of which."""
        return self._author(key_id)

    def _derive_author(self, key_id: str) -> str:
        return f"key:{self.derive('author', key_id, 12)}"

    def _read_once(self, token: str) -> SeatClaim | None:
        claim, _, mac = token.removeprefix(PREFIX).rpartition(".")
        match_id, seat, generation = [*claim.split("."), "", ""][:3]
        if not generation.isdigit() or not self.is_derived("seat", claim, mac):
            return None
        return SeatClaim(match_id, seat, int(generation))

    def is_derived(self, purpose: str, text: str, mac: str) -> bool:
        """Tell whether a text of 24 characters was derived here from another."""
        if not mac.isascii() or not text.isascii():
            return False
        return hmac.compare_digest(mac, self.derive(purpose, text, 24))

    def derive(self, purpose: str, text: str, length: int) -> str:
        """Return a text that only the secret's owner can make, for one purpose."""
        message = f"{purpose}:{text}".encode()
        mac = hmac.digest(self._secret, message, hashlib.sha256)
        return base64.urlsafe_b64encode(mac).decode()[:length]
