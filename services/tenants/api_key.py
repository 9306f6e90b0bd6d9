"""An API key: as its owner has it, and what is kept of it, which is its hash."""

import hashlib
import secrets
from dataclasses import MISSING, dataclass, fields

import orjson

KEY_PREFIX, SANDBOX_KEY_PREFIX = "sk_", "sk_test_"
LABEL_LENGTH = 60

ROLES = ("read", "play", "admin")
"""What a key may do; each may do what those before it may."""


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What is known of an API key; the key itself is known to its owner alone.

    ``expires_at_ms`` is 0 where it does not; ``request`` the digest of the request that
    made it, if that may be repeated.
    """

    id: str
    tenant: str
    label: str
    created_at_ms: int
    revoked: bool = False
    tenant_name: str = ""
    role: str = "admin"
    expires_at_ms: int = 0
    request: str = ""

    def status(self, now_ms: int) -> str:
        """Return ``valid``, ``expired`` or ``revoked``."""
        if self.revoked:
            return "revoked"
        is_over = 0 < self.expires_at_ms <= now_ms
        return "expired" if is_over else "valid"

    def may(self, role: str) -> bool:
        """Tell whether the key may do what a role may."""
        return ROLES.index(role) <= ROLES.index(self.role)


def make_key(*, sandbox: bool = False) -> str:
    """Return a new API key, which shows whether it is one of a sandbox."""
    return key_prefix(sandbox=sandbox) + secrets.token_urlsafe(32)


def key_prefix(*, sandbox: bool) -> str:
    """Return what a key begins with."""
    return SANDBOX_KEY_PREFIX if sandbox else KEY_PREFIX


def key_text(key: ApiKey) -> str:
    """Return a key as Redis keeps it: what is as usual is left out.

    So the usual key is read by versions from before there were roles, too.
    """
    record = {
        field.name: value
        for field in fields(key)
        if (value := getattr(key, field.name)) != field.default
        or field.default is MISSING
        or field.name in ("revoked", "tenant_name")
    }
    return orjson.dumps(record).decode()


def read_key(text: str) -> ApiKey:
    """Return a key as Redis keeps it."""
    return ApiKey(**orjson.loads(text))


def id_of_key(digest: str) -> str:
    """Return the id of a key whose hash that is."""
    return f"key_{digest[:12]}"


def digest_of(secret: str) -> str:
    """Return the hash of a key, in hexadecimal digits."""
    return hashlib.sha256(secret.encode()).hexdigest()
