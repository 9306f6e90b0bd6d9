"""Names of players: side records that can be erased; the log holds references only."""

from collections.abc import Iterable
from typing import NamedTuple

import structlog
from redis.exceptions import ResponseError

from services.cache import Cache
from services.eventlog import LogDamaged
from services.eventlog.library import connect_redis
from services.eventlog.room import info
from services.names import redis_key

BELIEVED_S = 10.0
BELIEVED_NAMES = 10_000
ERASED_AT = "erased_at_ms"
ON_DISK = "erasures"
"""What is known of names that are still on the disk, a hash: *asked* counts erasures,
*begun* those that a rewrite of the file covers, *gone* those that have left it; *at_ms*
is when it was asked for, *server* the run of Redis that was, *refused* why none can be;
*format* says how to read that.
"""
FORMAT = "1"
NUMBERS = ("asked", "begun", "gone", "at_ms")
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
        self._redis = connect_redis(redis_url)
        self._believed: Cache[str, str] = Cache(BELIEVED_NAMES, life_s=BELIEVED_S)

    def register(self, reference: str, tenant: str, name: str) -> None:
        """Keep a name; before the event that mentions the reference is recorded.

        A name that was erased stays so, also when the request is repeated.
        """
        key = _key(reference)
        if self._redis.hexists(key, ERASED_AT):
            return
        self._redis.hset(key, mapping={"name": name, "tenant": tenant})
        self._believed.put(reference, name)

    def erase(self, reference: str, tenant: str, at_ms: int) -> None:
        """Erase a name for good; no log holds it, so none is touched.

        The file of Redis holds it until `Erasures` has let it be written anew.

        :raises NoSuchPlayer: this tenant has no name of that reference.
        """
        key = _key(reference)
        if self._redis.hget(key, "tenant") != tenant:
            raise NoSuchPlayer(reference)
        with self._redis.pipeline() as pipe:
            pipe.hsetnx(key, ERASED_AT, at_ms).hdel(key, "name")
            pipe.hset(ON_DISK, "format", FORMAT).hincrby(ON_DISK, "asked", 1)
            pipe.execute()
        self._believed.put(reference, "")

    def forget(self, references: Iterable[str]) -> None:
        """Forget players of matches that are no more, erased or not."""
        for reference in references:
            self._redis.delete(_key(reference))
            self._believed.put(reference, "")

    def erased(self, references: Iterable[str]) -> set[str]:
        """Return those of the references whose names were erased."""
        asked = list(references)
        with self._redis.pipeline(transaction=False) as pipe:
            for reference in asked:
                pipe.hexists(_key(reference), ERASED_AT)
            replies = pipe.execute()
        return {r for r, is_erased in zip(asked, replies, strict=True) if is_erased}

    def names(self, references: Iterable[str]) -> dict[str, str]:
        """Return the names that are known; an erasure is noticed within 10 s."""
        known = {reference: self._believed.get(reference) for reference in references}
        missing = [reference for reference, name in known.items() if name is None]
        if missing:
            with self._redis.pipeline(transaction=False) as pipe:
                for reference in missing:
                    pipe.hget(_key(reference), "name")
                names = pipe.execute()
            for reference, name in zip(missing, names, strict=True):
                known[reference] = self._believed.put(reference, name or "")
        return {reference: name for reference, name in known.items() if name}


class _Known(NamedTuple):
    """What is known of erasures, as it stands in Redis."""

    asked: int
    begun: int
    gone: int
    at_ms: int
    server: str


class Erasures:
    """Lets erased names leave the disk: Redis writes its append-only file anew.

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
        facts = info(self._redis, "persistence")
        if facts.get("aof_enabled") != 1:  # there is no such file
            self._note(gone=known.asked, begun=known.asked)
            return True
        if facts["aof_rewrite_in_progress"] or facts["aof_rewrite_scheduled"]:
            return False
        present = info(self._redis, "server").get("run_id", "")
        is_well = facts["aof_last_bgrewrite_status"] == "ok"
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
            raise LogDamaged(
                f"{ON_DISK!r} is in format {record['format']}; this version reads "
                f"{FORMAT}: run the version that wrote it, or a later one"
            )
        numbers = {name: int(record.get(name, 0)) for name in NUMBERS}
        return _Known(**numbers, server=record.get("server", ""))

    def _note(self, **facts: int | str) -> None:
        self._redis.hset(ON_DISK, mapping={"format": FORMAT, **facts})

    def _begin(self, asked: int, server: str, now_ms: int) -> None:
        """Ask for a rewrite, then note what it covers: what was erased before."""
        self._note(at_ms=now_ms, server=server, begun=0)
        try:
            self._redis.bgrewriteaof()
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


def _key(reference: str) -> str:
    return redis_key("player", reference)
