"""Lets erased names leave the disk: Redis writes its append-only files anew.

Each server of a cluster has some names, and a file.
"""

from typing import NamedTuple

import structlog
from redis.exceptions import ResponseError

from services.eventlog import later_format
from services.eventlog.library import connect_redis
from services.eventlog.room import info
from services.players.players import FORMAT, ON_DISK

NUMBERS = ("asked", "begun", "gone", "at_ms")
REWRITE_EVERY_MS = 5 * 60 * 1000

log = structlog.get_logger()


class _Known(NamedTuple):
    """What is known of erasures, as it stands in Redis; *server* may be several."""

    asked: int
    begun: int
    gone: int
    at_ms: int
    server: str


class Erasures:
    """Asks Redis to write its file anew once names were erased.

    Not for each erasure, since that costs as much as the log is large, but at most once
    in five minutes, for all that have come until then.
    """

    def __init__(self, redis_url: str) -> None:
        """Ask the server that keeps the names."""
        self._redis = connect_redis(redis_url)

    def run_once(self, now_ms: int) -> bool:
        """Begin a rewrite if one is due; tell whether no erased name is left.

        :raises LogUnavailable: the server does not answer.
        :raises LogDamaged: what is known of erasures was written by a later version.
        """
        known = self._known()
        if known.gone >= known.asked:
            return True
        servers = self._redis.servers()
        told = [info(server, "persistence") for server in servers]
        files = [facts for facts in told if facts.get("aof_enabled") == 1]
        if not files:
            self._note(gone=known.asked, begun=known.asked)
            return True
        busy = ("aof_rewrite_in_progress", "aof_rewrite_scheduled")
        if any(facts[name] for facts in files for name in busy):
            return False
        runs = (info(server, "server").get("run_id", "") for server in servers)
        present = " ".join(sorted(runs))
        is_well = all(f["aof_last_bgrewrite_status"] == "ok" for f in files)
        has_begun = known.begun > known.gone
        if has_begun and is_well and known.server == present:  # it has not died over it
            self._note(gone=known.begun)
            return known.begun >= known.asked
        if now_ms - known.at_ms >= REWRITE_EVERY_MS:
            self._begin(known.asked, present, now_ms)
        return False

    def trouble(self) -> str:
        """Return why erased names stay on the disk, or nothing."""
        return self._redis.hget(ON_DISK, "refused") or ""

    def _known(self) -> "_Known":
        """Return what is known; before 0.2 nothing said in which format that is."""
        record = self._redis.hgetall(ON_DISK)
        if record.get("format", FORMAT) != FORMAT:
            raise later_format(ON_DISK, record["format"], FORMAT)
        numbers = {name: int(record.get(name, 0)) for name in NUMBERS}
        return _Known(**numbers, server=record.get("server", ""))

    def _note(self, **facts: int | str) -> None:
        self._redis.hset(ON_DISK, mapping={"format": FORMAT, **facts})

    def _begin(self, asked: int, server: str, now_ms: int) -> None:
        """Ask for a rewrite, then note what it covers: what was erased before."""
        self._note(at_ms=now_ms, server=server, begun=0)
        try:
            for redis in self._redis.servers():
                redis.bgrewriteaof()
        except ResponseError as error:
            if "in progress" in str(error):  # one of Redis' own, begun just now
                self._note(at_ms=0)  # after that one
                return
            refused = f"Redis refuses BGREWRITEAOF: {error}"
            self._note(refused=refused)
            log.warning("erased names stay on the disk", reason=refused)
            return
        self._note(begun=asked)
        self._redis.hdel(ON_DISK, "refused")
