"""What a process remembers, within bounds; threads share it."""

import threading
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from cachetools import LRUCache, TTLCache

EVENTS_OF_A_PLACE = 64

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Cache(Generic[K, V]):
    """Keeps values by key; what was not used for longest makes room."""

    def __init__(
        self,
        places: int,
        *,
        events: Callable[[V], int] | None = None,
        life_s: float | None = None,
    ) -> None:
        """Keep so many values, each for *life_s* seconds at most.

        Where *events* counts how many stand behind a value, one of many takes several
        places, each of 64: a match may have a thousand times as many as another.
        """

        def size(value: V) -> int:
            return 1 + events(value) // EVENTS_OF_A_PLACE if events else 1

        self._lock = threading.Lock()
        self._kept: LRUCache[K, V] | TTLCache[K, V] = (
            LRUCache(places, size)
            if life_s is None
            else TTLCache(places, life_s, getsizeof=size)
        )

    def get(self, key: K) -> V | None:
        """Return what is kept, or None."""
        with self._lock:
            try:
                return self._kept[key]
            except KeyError:
                return None

    def put(self, key: K, value: V) -> V:
        """Keep a value, unless there is no room for it alone; return it."""
        with self._lock:
            if self._kept.getsizeof(value) <= self._kept.maxsize:
                self._kept[key] = value
            else:
                self._kept.pop(key, None)
        return value
