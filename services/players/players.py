"""Players: the name behind each reference, and the id by which an app knows somebody.

A reference is all that the log holds of a player. One that begins with ``usr_`` is
drawn when an app first names somebody by an id of its own, and found by that id until
it is erased: then nothing tells any more whose matches those were, and the same id
begins anew. Other references are of one match and its rematches.

Keys: ``player:<reference>``, a hash of *tenant*, *name*, *own_id* and *erased_at_ms*;
``player:named:<tenant>:<own id>``, a hash whose *player* is the reference.
"""

import secrets
from collections.abc import Iterable
from typing import Any, NamedTuple

from services.cache import Cache
from services.eventlog.library import connect_redis
from services.languages import Explained, Message
from services.match.match import NAMED
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
REFERENCES = (NAMED, "ply_")


class NoSuchPlayer(Explained):
    """There is nobody of that reference or id, or it belongs to somebody else."""

    def __init__(self, player: str) -> None:
        """Keep the reference, or the id."""
        super().__init__(
            Message(
                "there is no player {player!r} who has a name or an id here",
                player=player,
            )
        )
        self.reference = player


class Known(NamedTuple):
    """What is known of a player beside the log: a name, an id of the app; or ""."""

    name: str = ""
    own_id: str = ""


class Players:
    """Keeps what is known of players, as long as they want it."""

    def __init__(self, redis_url: str) -> None:
        """Keep it beside the event log."""
        self._redis = connect_redis(redis_url)
        self._believed: Cache[str, Known] = Cache(BELIEVED_NAMES, life_s=BELIEVED_S)

    def register(self, reference: str, tenant: str, name: str) -> None:
        """Keep a name; before the event that mentions the reference is recorded.

        A name that was erased stays so, also when the request is repeated.
        """
        key = _key(reference)
        if self._redis.hexists(key, ERASED_AT):
            return
        self._redis.hset(key, mapping={"name": name, "tenant": tenant})
        known = self._believed.get(reference)
        if known is not None:
            self._believed.put(reference, known._replace(name=name))

    def identify(self, tenant: str, own_id: str) -> str:
        """Return the reference of somebody whom an app knows; drawn at the first time.

        That two ask at once does not give two.
        """
        named = _named_key(tenant, own_id)
        found: str | None = self._redis.hget(named, "player")
        if found and not self._redis.hexists(_key(found), ERASED_AT):
            return found
        reference = NAMED + secrets.token_hex(10)
        self._redis.hset(_key(reference), mapping={"tenant": tenant, "own_id": own_id})

        def take(pipe: Any) -> str:
            now: str | None = pipe.hget(named, "player")
            pipe.multi()
            if now != found:  # somebody was first
                return now or ""
            pipe.hset(named, "player", reference)
            return reference

        taken: str = self._redis.transaction(take, named, value_from_callable=True)
        if taken == reference:
            return taken
        self._redis.delete(_key(reference))
        return taken or self.identify(tenant, own_id)

    def find(self, tenant: str, player: str) -> str | None:
        """Return the reference of a player: an app says it, or its own id for it.

        A reference is not looked up; whoever uses it asks for its tenant.
        """
        if player.startswith(REFERENCES):
            return player
        found: str | None = self._redis.hget(_named_key(tenant, player), "player")
        return found

    def read(self, tenant: str, player: str) -> tuple[str, Known]:
        """Return the reference of a player and what is known of them.

        Of one who was erased, and is asked for by the reference, that is nothing.

        :raises NoSuchPlayer: this tenant knows nothing of them.
        """
        reference = self.find(tenant, player)
        record = self._redis.hgetall(_key(reference)) if reference else {}
        if reference is None or record.get("tenant") != tenant:
            raise NoSuchPlayer(player)
        return reference, Known(record.get("name", ""), record.get("own_id", ""))

    def erase(self, player: str, tenant: str, at_ms: int) -> None:
        """Erase the name of a player for good; no log holds it, so none is touched.

        The file of Redis holds it until `Erasures` has let it be written anew. An id of
        the app's own is erased with it, last of all: an erasure that failed on its way
        is found by it again, and repeated.

        :raises NoSuchPlayer: this tenant has no such player.
        """
        reference = self.find(tenant, player)
        record = self._redis.hgetall(_key(reference)) if reference else {}
        if reference is None or record.get("tenant") != tenant:
            raise NoSuchPlayer(player)
        key = _key(reference)
        with self._redis.pipeline() as pipe:
            pipe.hsetnx(key, ERASED_AT, at_ms).hdel(key, "name", "own_id")
            pipe.execute()
        with self._redis.pipeline() as pipe:  # on a cluster it may stand elsewhere
            pipe.hset(ON_DISK, "format", FORMAT).hincrby(ON_DISK, "asked", 1)
            pipe.execute()
        if own_id := record.get("own_id"):
            self._redis.delete(_named_key(tenant, own_id))
        self._believed.put(reference, Known())

    def forget(self, reference: str) -> None:
        """Forget a player of whom no match is left, erased or not."""
        tenant, own_id = self._redis.hmget(_key(reference), "tenant", "own_id")
        if tenant and own_id:
            self._redis.delete(_named_key(tenant, own_id))
        self._redis.delete(_key(reference))
        self._believed.put(reference, Known())

    def erased(self, references: Iterable[str]) -> set[str]:
        """Return those of the references whose names were erased."""
        asked = list(references)
        with self._redis.pipeline(transaction=False) as pipe:
            for reference in asked:
                pipe.hexists(_key(reference), ERASED_AT)
            replies = pipe.execute()
        return {r for r, is_erased in zip(asked, replies, strict=True) if is_erased}

    def known(self, references: Iterable[str]) -> dict[str, Known]:
        """Return what is known of players; an erasure is noticed within 10 s."""
        known = {reference: self._believed.get(reference) for reference in references}
        missing = [reference for reference, facts in known.items() if facts is None]
        if missing:
            with self._redis.pipeline(transaction=False) as pipe:
                for reference in missing:
                    pipe.hmget(_key(reference), "name", "own_id")
                found = pipe.execute()
            for reference, told in zip(missing, found, strict=True):
                facts = Known(*(text or "" for text in told))
                known[reference] = self._believed.put(reference, facts)
        return {reference: facts for reference, facts in known.items() if facts}

    def names(self, references: Iterable[str]) -> dict[str, str]:
        """Return the names that are known; an erasure is noticed within 10 s."""
        told = self.known(references)
        return {who: known.name for who, known in told.items() if known.name}


def _key(reference: str) -> str:
    return redis_key("player", reference)


def _named_key(tenant: str, own_id: str) -> str:
    return redis_key("player:named", tenant, own_id)
