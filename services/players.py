"""Names of players: side records that can be erased; the log holds references only."""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable

from services.eventlog.connection import Connections
from services.names import redis_key

BELIEVED_S = 10.0
BELIEVED_NAMES = 10_000
ERASED_AT = "erased_at_ms"


class NoSuchPlayer(Exception):
    """There is no name behind that reference, or it belongs to somebody else."""

    def __init__(self, reference: str) -> None:
        """Keep the reference."""
        super().__init__(f"there is no name of player {reference!r}")
        self.reference = reference


class Players:
    """Keeps the name behind each opaque player reference."""

    def __init__(self, redis_url: str) -> None:
        """Keep the names beside the event log."""
        self._redis = Connections(redis_url)
        self._believed: OrderedDict[str, tuple[float, str]] = OrderedDict()
        self._lock = threading.Lock()

    def register(self, reference: str, tenant: str, name: str) -> None:
        """Keep a name; before the event that mentions the reference is recorded.

        A name that was erased stays so, also when the request is repeated.
        """
        key = _key(reference)
        if self._redis.call("HEXISTS", key, ERASED_AT):
            return
        self._redis.call("HSET", key, "name", name, "tenant", tenant)
        self._believe(reference, name)

    def erase(self, reference: str, tenant: str, at_ms: int) -> None:
        """Erase a name for good; no log holds it, so none is touched.

        :raises NoSuchPlayer: this tenant has no name of that reference.
        """
        key = _key(reference)
        if self._redis.call("HGET", key, "tenant") != tenant:
            raise NoSuchPlayer(reference)
        self._redis.call_all(
            [
                ("MULTI",),
                ("HSETNX", key, ERASED_AT, at_ms),
                ("HDEL", key, "name"),
                ("EXEC",),
            ]
        )
        self._believe(reference, "")

    def erased(self, references: Iterable[str]) -> set[str]:
        """Return those of the references whose names were erased."""
        asked = list(references)
        replies = self._redis.call_all(
            [("HEXISTS", _key(reference), ERASED_AT) for reference in asked]
        )
        return {r for r, reply in zip(asked, replies, strict=True) if reply}

    def names(self, references: Iterable[str]) -> dict[str, str]:
        """Return the names that are known; an erasure is noticed within 10 s."""
        now, found, missing = time.monotonic(), {}, []
        for reference in references:
            believed = self._believed.get(reference)
            if believed is None or now - believed[0] > BELIEVED_S:
                missing.append(reference)
            else:
                found[reference] = believed[1]
        if missing:
            replies = self._redis.call_all(
                [("HGET", _key(reference), "name") for reference in missing]
            )
            for reference, name in zip(missing, replies, strict=True):
                found[reference] = name or ""
                self._believe(reference, name or "")
        return {reference: name for reference, name in found.items() if name}

    def _believe(self, reference: str, name: str) -> None:
        with self._lock:
            self._believed[reference] = (time.monotonic(), name)
            self._believed.move_to_end(reference)
            if len(self._believed) > BELIEVED_NAMES:
                self._believed.popitem(last=False)


def _key(reference: str) -> str:
    return redis_key("player", reference)
