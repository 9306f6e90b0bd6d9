"""Keeps seeks while they last, and gives two to each other once and only once.

All of it stands under one hash tag, so that every step is one script. Nothing of it is
for ever: a seek lasts as long as somebody renews it, and what it found is told for an
hour. What remains is the match, in the log. Each tenant has seeks of its own, so many
at the most: who looks for pairs reads no others.

Keys::

    {lobby}:seeks:<tenant>  hash: id, seek
    {lobby}:until:<tenant>  sorted set: id, until when it lasts in ms since 1970
    {lobby}:of:<tenant>     hash: player, id of the seek
    {lobby}:turn:<tenant>   whose turn it is to look for pairs, for a moment
    {lobby}:found:<id>      the pairing that a seek came to
    {lobby}:paired:<tenant>:<player>  the seek by which a player was paired just now
"""

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from importlib.resources import files
from typing import Any, Self

from services.eventlog.library import connect_redis
from services.languages import Explained, Message
from services.lobby.pairing import pairs
from services.lobby.seek import Pairing, Seek
from services.names import redis_key

SEEK, PAIR, END = (
    files("services.lobby").joinpath(name).read_text("utf-8")
    for name in ("seek.lua", "pair.lua", "end.lua")
)
SEEKS, UNTIL, OF, TURN = (
    "{lobby}:seeks",
    "{lobby}:until",
    "{lobby}:of",
    "{lobby}:turn",
)
KEPT_S = 60
"""So long what stands of seeks stays where nobody looks any more."""

LASTS_MS = 5_000
"""So long a seek lasts without its client: between two requests, or after a crash."""

COMES_BACK_MS = 1_000
"""So long a seek that lasts no more can be asked for again: nobody is given to it, but
the client may be on its way with another connection."""

TOLD_S = 3600
"""As long as an idempotency key is known: the request that sought may be repeated."""

PAIRED_S = 5
"""Who seeks again so soon after being paired is told of that match: it was a race."""

TURN_MS = 150

Pair = Callable[[Seek, Seek], Pairing]


class NoSuchSeek(Explained):
    """There is no seek of that id, or not any more."""

    def __init__(self, seek_id: str) -> None:
        """Keep the id."""
        super().__init__(
            Message(
                "there is no seek {seek!r}: it ended, for nobody asked for it in time "
                "or the same player sought again; seek again",
                seek=seek_id,
            )
        )
        self.seek_id = seek_id


class LobbyFull(Exception):
    """As many players of the tenant wait for an opponent as may."""

    def __init__(self, used: int) -> None:
        """Keep how many that are."""
        super().__init__(f"{used} wait")
        self.used = used


class Lobby:
    """The seeks of one tenant; `of` is how to come to those of another."""

    def __init__(self, redis_url: str, now_ms: Callable[[], int], pair: Pair) -> None:
        """Keep seeks beside the event log; *pair* says what two get who fit."""
        self._redis = connect_redis(redis_url)
        self._now_ms = now_ms
        self._pair = pair
        self._seek = self._redis.register_script(SEEK)
        self._claim = self._redis.register_script(PAIR)
        self._end = self._redis.register_script(END)
        self._keep_for("")

    def of(self, tenant: str) -> Self:
        """Return the lobby of a tenant."""
        other = copy(self)
        other._keep_for(tenant)
        return other

    def _keep_for(self, tenant: str) -> None:
        self._seeks, self._until, self._of, self._turn = (
            redis_key(name, tenant) for name in (SEEKS, UNTIL, OF, TURN)
        )
        self._all = (self._seeks, self._until, self._of)

    def seek(self, wanted: Seek, most: int) -> tuple[str, Seek | None]:
        """Let somebody seek; return the id of the seek that counts, and it if it lasts.

        A player has one seek, the newest; an earlier one ends. Asked for again, a seek
        goes on. None: it has found somebody, or the player was paired just now by the
        seek of that id.

        :raises LobbyFull: there are as many as *most* already.
        """
        keys = [*self._all, _found(wanted.id), _paired(wanted)]
        until_ms = self._now_ms() + LASTS_MS
        told, *more = self._seek(
            keys, [wanted.id, wanted.text, until_ms, wanted.player, most, KEPT_S]
        )
        if told == "full":
            raise LobbyFull(int(more[0]))
        if told == "known":
            return wanted.id, Seek.read(more[0])
        if told == "paired":
            return more[0], None
        return wanted.id, wanted if told == "new" else None

    def count(self) -> int:
        """Return how many seek."""
        return int(self._redis.hlen(self._seeks))

    def read(self, seek_id: str) -> Seek | None:
        """Return a seek that lasts; None if it does not."""
        with self._redis.pipeline(transaction=False) as pipe:
            text, until = (
                pipe.hget(self._seeks, seek_id).zscore(self._until, seek_id).execute()
            )
        over_ms = self._now_ms() - COMES_BACK_MS
        if text is None or until is None or until <= over_ms:
            return None  # where nobody else seeks, it was not ended yet
        return Seek.read(text)

    def found(self, seek_id: str) -> Pairing | None:
        """Return what a seek came to, if that was within the hour."""
        text = self._redis.get(_found(seek_id))
        return Pairing.read(text) if text else None

    def request_of(self, seek_id: str) -> str | None:
        """Return the digest of the request that made a seek; None: it is not known."""
        if seek := self.read(seek_id):
            return seek.request
        pairing = self.found(seek_id)
        return pairing.requests[seek_id] if pairing else None

    def have_found(self, seek_ids: Sequence[str]) -> set[str]:
        """Return those of the seeks that are no more: they found somebody, or ended."""
        if not seek_ids:
            return set()
        known = self._redis.hmget(self._seeks, [*seek_ids])
        return {i for i, text in zip(seek_ids, known, strict=True) if text is None}

    def renew(self, seek_ids: Iterable[str]) -> None:
        """Let seeks last on, whose clients are still there."""
        until_ms = self._now_ms() + LASTS_MS
        renewed = dict.fromkeys(seek_ids, until_ms)
        if not renewed:
            return
        with self._redis.pipeline() as pipe:
            pipe.zadd(self._until, renewed, xx=True)
            for key in self._all:
                pipe.expire(key, KEPT_S)
            pipe.execute()

    def let_go(self, seek_ids: Iterable[str]) -> None:
        """Give nobody to seeks whose clients are gone, unless they come back at once.

        One that another connection asks for goes on: a client may have sent it again.
        """
        gone = dict.fromkeys(seek_ids, self._now_ms())
        if gone:
            self._redis.zadd(self._until, gone, xx=True)

    def forget_pairing(self, wanted: Seek) -> None:
        """Let a player seek anew who was paired just now: that match is over."""
        self._redis.delete(_paired(wanted))

    def withdraw(self, seek: Seek) -> bool:
        """End a seek; tell whether it was still there."""
        return bool(self._end(self._all, [seek.id, seek.player]))

    def match_up(self, *, in_turn: bool = True) -> int:
        """End what lasts no more, and give those to each other who fit; how many pairs.

        One process at a time does so, for a moment, or all of them would do the same.
        That two do is no harm: each pair is claimed in one step.
        """
        if in_turn and not self._redis.set(self._turn, "1", nx=True, px=TURN_MS):
            return 0
        now_ms = self._now_ms()
        over_ms = now_ms - COMES_BACK_MS
        over = self._redis.zrangebyscore(self._until, "-inf", over_ms)
        lasting = self._redis.zrangebyscore(self._until, now_ms + 1, "+inf")
        seeks = {i: Seek.read(t) for i, t in self._redis.hgetall(self._seeks).items()}
        for seek_id in over:
            if seek := seeks.get(seek_id):
                self._end(self._all, [seek_id, seek.player, over_ms])
            else:
                self._redis.zrem(self._until, seek_id)
        waiting = [seeks[seek_id] for seek_id in lasting if seek_id in seeks]
        return sum(self._give(*two) for two in pairs(waiting, now_ms))

    def _give(self, one: Seek, other: Seek) -> bool:
        """Give two to each other, unless one of them has gone meanwhile."""
        pairing = self._pair(one, other)
        two = (one, other)
        keys = [*self._all, *map(_id_found, two), *map(_paired, two)]
        told = [seek.id for seek in two], [seek.player for seek in two]
        arguments: list[Any] = [*told[0], *told[1], pairing.text, self._now_ms()]
        return bool(self._claim(keys, [*arguments, TOLD_S, PAIRED_S]))


def _found(seek_id: str) -> str:
    return redis_key("{lobby}:found", seek_id)


def _id_found(seek: Seek) -> str:
    return _found(seek.id)


def _paired(seek: Seek) -> str:
    return redis_key("{lobby}:paired", seek.tenant, seek.player)
