"""Names of players: side records that can be erased; the log holds references only."""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable

from services.eventlog.connection import Connections

BELIEVED_S = 10.0
BELIEVED_NAMES = 10_000


class Players:
    """Keeps the name behind each opaque player reference."""

    def __init__(self, redis_url: str) -> None:
        """Keep the names beside the event log."""
        self._redis = Connections(redis_url)
        self._believed: OrderedDict[str, tuple[float, str]] = OrderedDict()
        self._lock = threading.Lock()

    def register(self, reference: str, tenant: str, name: str) -> None:
        """Keep a name; before the event that mentions the reference is recorded."""
        self._redis.call("HSET", _key(reference), "name", name, "tenant", tenant)
        self._believe(reference, name)

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
    return f"player:{reference}"
