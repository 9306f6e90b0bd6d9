"""Names of players: side records that can be erased; the log holds references only."""

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable

import structlog
from redis.exceptions import ResponseError

from services.eventlog.connection import Connections
from services.eventlog.room import info
from services.names import redis_key

BELIEVED_S = 10.0
BELIEVED_NAMES = 10_000
ERASED_AT = "erased_at_ms"
ON_DISK = "erasures"
"""What is known of names that are still on the disk, a hash: *asked* counts erasures,
*begun* those that a rewrite of the file covers, *gone* those that have left it; *at_ms*
is when it was asked for, *server* the run of Redis that was, *refused* why none can be.
"""
REWRITE_EVERY_MS = 5 * 60 * 1000

log = structlog.get_logger()


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

        The file of Redis holds it until `Erasures` has let it be written anew.

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
                ("HINCRBY", ON_DISK, "asked", 1),
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


class Erasures:
    """Lets erased names leave the disk: Redis writes its append-only file anew.

    Not for each erasure, since that costs as much as the log is large, but at most once
    in five minutes, for all that have come until then.
    """

    def __init__(self, redis_url: str) -> None:
        """Ask the server that keeps the names."""
        self._redis = Connections(redis_url)

    def run_once(self, now_ms: int) -> bool:
        """Begin a rewrite if one is due; tell whether no erased name is left.

        :raises LogUnavailable: the server does not answer.
        """
        names = ("asked", "begun", "gone", "at_ms", "server")
        *numbers, server = self._redis.call("HMGET", ON_DISK, *names)
        asked, begun, gone, at_ms = (int(number or 0) for number in numbers)
        if gone >= asked:
            return True
        facts = info(self._redis, "persistence")
        if facts.get("aof_enabled") != "1":  # there is no such file
            self._redis.call("HSET", ON_DISK, "gone", asked, "begun", asked)
            return True
        if "1" in (facts["aof_rewrite_in_progress"], facts["aof_rewrite_scheduled"]):
            return False
        present = info(self._redis, "server").get("run_id", "")
        is_well = facts["aof_last_bgrewrite_status"] == "ok"
        if begun > gone and is_well and server == present:  # it has not died over it
            self._redis.call("HSET", ON_DISK, "gone", begun)
            return begun >= asked
        if now_ms - at_ms >= REWRITE_EVERY_MS:
            self._begin(asked, present, now_ms)
        return False

    def trouble(self) -> str:
        """Return why erased names stay on the disk, or nothing."""
        return self._redis.call("HGET", ON_DISK, "refused") or ""

    def _begin(self, asked: int, server: str, now_ms: int) -> None:
        """Ask for a rewrite, then note what it covers: what was erased before."""
        noted = ("at_ms", now_ms, "server", server, "begun", 0)
        self._redis.call("HSET", ON_DISK, *noted)
        try:
            self._redis.call("BGREWRITEAOF")
        except ResponseError as error:
            if "in progress" in str(error):  # one of Redis' own, begun just now
                self._redis.call("HSET", ON_DISK, "at_ms", 0)  # after that one
                return
            refused = f"Redis refuses BGREWRITEAOF: {error}"
            self._redis.call("HSET", ON_DISK, "refused", refused)
            log.warning("erased names stay on the disk", reason=refused)
            return
        self._redis.call_all(
            [("HSET", ON_DISK, "begun", asked), ("HDEL", ON_DISK, "refused")]
        )


def _key(reference: str) -> str:
    return redis_key("player", reference)
