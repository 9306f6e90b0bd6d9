"""What can go wrong: refused, unreachable, or not what it says it is."""

from collections.abc import Mapping
from typing import Any


class SeedlogError(Exception):
    """Anything that this client raises of itself."""


class Problem(SeedlogError):
    """The server has refused, and says why (RFC 9457).

    ``type`` is the last part of the type's address (``illegal-move``), ``facts`` the
    whole problem: ``legal_moves``, ``version``, ``errors``, ... as its type has them.
    """

    def __init__(
        self, status: int, facts: Mapping[str, Any], retry_after_s: float | None = None
    ) -> None:
        """Keep what was answered."""
        self.status = status
        self.facts = dict(facts)
        self.type = str(facts.get("type", "")).rpartition("/")[2]
        self.retry_after_s = retry_after_s
        said = facts.get("detail") or facts.get("title") or "no reason was given"
        super().__init__(f"{status} {self.type}: {said}")


class Unreachable(SeedlogError, ConnectionError):
    """No answer came: what became of a request that writes is not known.

    It is safe to send it again with its ``idempotency_key``.
    """

    def __init__(self, why: str, idempotency_key: str = "") -> None:
        """Keep the key that the request was sent with."""
        super().__init__(why)
        self.idempotency_key = idempotency_key


class FollowingEnded(SeedlogError):
    """The server cannot tell a match any further, and says why."""


class InvalidSignature(SeedlogError):
    """A webhook that was not signed by this secret, or too long ago."""


class InvalidExport(SeedlogError):
    """An export that is not as it was signed; says where, and why."""

    def __init__(self, place: str, reason: str) -> None:
        """Keep the place: ``header``, ``head`` or ``event 17``."""
        super().__init__(f"{place}: {reason}")
        self.place = place
        self.reason = reason
