"""Places of matches that are not over: those in the list, and those on their way to it.

The list is built from the log, so a place is free when a match ends, whoever ended it
and whatever has died since. What was opened and is not in the list yet is counted apart
in the same step: no two openings take the last place. If the projector is behind by
more than ten minutes, what was opened before is not counted until it has caught up.

However many are on their way, Redis is not held up: the oldest of them are looked at,
some with each opening, and the others are counted without a look. Before somebody is
refused, more are looked at for as long as some of them turn out to be in the list.
"""

import time
from importlib.resources import files

from services.names import redis_key
from services.views.generations import View
from services.views.match_list import MatchList

SCRIPT = files("services.views").joinpath("take_place.lua").read_text("utf-8")
ON_THEIR_WAY_MS = 600_000
LOOKED_AT = 100


class MatchPlaces(View):
    """Counts matches in the list of matches, which it only reads."""

    name = MatchList.name

    def __init__(self, redis_url: str) -> None:
        """Keep what is on its way beside the list."""
        super().__init__(redis_url)
        self._take = self._redis.register_script(SCRIPT)

    def take_place(self, tenant: str, match_id: str, limit: int) -> int | None:
        """Count a match in; return how many there are if it would be too many."""
        prefix = self._prefix()
        keys = [f"{prefix}:rows", *_indexes(prefix, tenant), self._on_their_way(tenant)]
        now_ms = time.time_ns() // 1_000_000
        arguments = [match_id, limit, now_ms, ON_THEIR_WAY_MS, LOOKED_AT]
        has_place, used, listed = self._take(keys, arguments)
        while listed and not has_place:
            has_place, used, listed = self._take(keys, arguments)
        return None if has_place else int(used)

    def give_back_place(self, tenant: str, match_id: str) -> None:
        """Count a match out again that was not opened."""
        self._redis.zrem(self._on_their_way(tenant), match_id)

    def used(self, tenant: str) -> int:
        """Return how many matches of a tenant are not over."""

        def count(prefix: str) -> int:
            # No transaction: a full Redis refuses those even to who only reads.
            with self._redis.pipeline(transaction=False) as pipe:
                for index in _indexes(prefix, tenant):
                    pipe.zcard(index)
                since = time.time_ns() // 1_000_000 - ON_THEIR_WAY_MS
                pipe.zrangebyscore(self._on_their_way(tenant), since, "+inf")
                opened, running, coming = pipe.execute()
            rows = self._redis.hmget(f"{prefix}:rows", coming) if coming else []
            return int(opened) + int(running) + sum(row is None for row in rows)

        return self._read(count)

    def _on_their_way(self, tenant: str) -> str:
        return redis_key(self._key("opening"), tenant)


def _indexes(prefix: str, tenant: str) -> list[str]:
    places = [(tenant, None, None, status) for status in ("open", "running")]
    return [redis_key(prefix, *place) for place in places]
