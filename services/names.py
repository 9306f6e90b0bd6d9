"""Names that apps and operators choose, and keys in Redis built of them."""

import hashlib
import re
from urllib.parse import quote

from services.languages import Message

NAME = r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}"
ALPHABET = Message(
    "1 to 64 of 'A-Z', 'a-z', '0-9', '_', '-' and '.', the first a letter or digit"
)

PLAYER = r"(?!ply_|usr_|ai:)[A-Za-z0-9_@+=~-][A-Za-z0-9_.:@|+=~-]{0,63}"
PLAYER_ALPHABET = Message(
    "1 to 64 of 'A-Z', 'a-z', '0-9' and '_.:@|+=~-', the first none of '.:|', and not "
    "begin with ply_, usr_ or ai:, which are ours"
)
"""How an app may name its players: as it does already, in an address or in a URL."""

SANDBOX = "ten_sandbox_"
"""What the ids of sandboxes begin with; an id says it, and nothing else does."""

_NAME = re.compile(NAME)
_PLAYER = re.compile(PLAYER)


class InvalidName(ValueError):
    """A name has characters that no name may have; says which it may."""

    def __init__(self, what: str, name: str) -> None:
        """Say what is named, and how names are written."""
        super().__init__(f"{what} {name[:80]!r} is no name; names are {ALPHABET}")


def is_name(text: str) -> bool:
    """Tell whether a text may name a tenant, a player or a game."""
    return _NAME.fullmatch(text) is not None


def is_player(text: str) -> bool:
    """Tell whether an app may name a player so."""
    return _PLAYER.fullmatch(text) is not None


def check_name(what: str, name: str) -> str:
    """Return a name that may be used.

    :raises InvalidName: it may not.
    """
    if not is_name(name):
        raise InvalidName(what, name)
    return name


def is_sandbox(tenant_id: str) -> bool:
    """Tell whether a tenant is a sandbox: for trying out, and gone after a day."""
    return tenant_id.startswith(SANDBOX)


def sandbox_of(tenant_id: str) -> str:
    """Return the id of a tenant's sandbox; a sandbox is its own.

    Ids from before there were ids are names, and may be too long, or end as another id.
    """
    if is_sandbox(tenant_id):
        return tenant_id
    rest = tenant_id.removeprefix("ten_")
    if rest == tenant_id or not is_name(SANDBOX + rest):
        rest = hashlib.sha256(tenant_id.encode()).hexdigest()[:32]
    return SANDBOX + rest


def redis_key(prefix: str, *names: str | None) -> str:
    """Return a key: a prefix of ours, then names, each a part of its own.

    Whatever a name holds, it cannot end its part or stand for another: all but letters,
    digits and ``_.-~`` is written as ``%3A``. None is ``*``, which no name can be.
    """
    parts = ("*" if name is None else quote(name, safe="") for name in names)
    return ":".join((prefix, *parts))
