"""Keeps analyses while they are thought about, and for a day.

What is found is told as events, numbered one by one, and nothing is kept besides: who
reads an analysis folds them. A worker has an analysis for as long as it renews that;
what it tells later is not taken. Which one comes next is decided by turns of tenants.

All of it stands under one hash tag, so that every step is one script::

    {analyses}:of:<id>             hash: question, tenant, status and who has it
    {analyses}:events:<id>         stream, id <version>-0: type, at, data
    {analyses}:open:<tenant>       sorted set: those that have not ended
    {analyses}:of-tokens:<match>:<seat>  those that were asked for by tokens, of them
    {analyses}:waiting:<tenant>    sorted set: those that nobody thinks about
    {analyses}:ended:<tenant>      sorted set: those that have, by when
    {analyses}:same:<tenant>:<digest>  the analysis of a question
    {analyses}:request:<key>       what a request came to
    {analyses}:tenants             sorted set: whose turn comes, by when it last was
    {analyses}:turns               how many turns there were
    {analyses}:taken               sorted set: id, until when its worker is believed in
    {analyses}:news                stream that grows with every change
"""

import secrets
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import orjson

from services.analysis.analysis import (
    CANCELED,
    ENDINGS,
    FAILED,
    FINISHED,
    WAITING,
    Analysis,
    Found,
)
from services.analysis.question import HINT, Question
from services.analysis.refusals import NoSuchAnalysis, TooManyAnalyses
from services.eventlog import IdempotencyKey, KeyReused
from services.eventlog.library import TIMEOUT_S, connect_redis
from services.names import redis_key

PREFIX = "ana_"
KEPT_MS = 24 * 3_600_000
MOST_KEPT = 500
"""Of a tenant; the oldest that have ended make room."""
MOST_OF_TOKEN = 2
"""So many may not have ended of a match, and so many hints to a seat, that were asked
for by whoever holds a token."""
REQUEST_TTL_S = 3600
BELIEVED_MS = 3_000
"""So long a worker is believed to live after it last said so."""
AMONG = 100
"""So many of those that were taken are looked at for one that waits."""
ATTEMPTS = 3
"""So often a worker may die over an analysis before it is said to have failed."""
ASK, NEXT, BEGIN, RENEW, TELL, WAIT = (
    files("services.analysis").joinpath(f"{name}.lua").read_text("utf-8")
    for name in ("ask", "next", "begin", "renew", "tell", "wait")
)

OF, EVENTS, WAITING_OF = "{analyses}:of", "{analyses}:events", "{analyses}:waiting"
TENANTS, TURNS, TAKEN, NEWS, HINTS = (
    f"{{analyses}}:{name}" for name in ("tenants", "turns", "taken", "news", "hints")
)


class Analyses:
    """Every analysis that is asked for, thought about, or kept."""

    def __init__(self, redis_url: str, now_ms: Callable[[], int]) -> None:
        """Keep analyses beside the event log."""
        self._redis = connect_redis(redis_url)
        self._now_ms = now_ms
        self._ask, self._next, self._begin, self._renew, self._tell, self._wait = map(
            self._redis.register_script, (ASK, NEXT, BEGIN, RENEW, TELL, WAIT)
        )

    # -- asking

    def ask(
        self,
        tenant: str,
        question: Question,
        *,
        limit: int | None,
        asker: str = "",
        key: IdempotencyKey | None = None,
    ) -> Analysis:
        """Have a question thought about, unless it was asked before; return where.

        At most *limit* of the tenant (None: any number) are not ended at a time, and
        few of a match for an *asker* who holds a token.

        :raises TooManyAnalyses: there are as many.
        :raises KeyReused: the key came before with another request.
        """
        analysis_id = PREFIX + secrets.token_hex(12)
        told, what = self._asked(analysis_id, tenant, question, limit, asker, key)
        if told == "asked" and key:
            what = self._earlier(key, what)
        return self.read(what)

    def check_room(
        self, tenant: str, question: Question, *, limit: int | None, asker: str
    ) -> None:
        """Refuse what `ask` would refuse, and ask nothing.

        :raises TooManyAnalyses: there are as many as may be.
        """
        self._asked("", tenant, question, limit, asker, None)

    def _asked(
        self,
        analysis_id: str,
        tenant: str,
        question: Question,
        limit: int | None,
        asker: str,
        key: IdempotencyKey | None,
    ) -> tuple[str, str]:
        keys = [
            redis_key(OF, analysis_id),
            redis_key("{analyses}:same", tenant, question.digest),
            *(_open(tenant), _waiting(tenant), TENANTS, TURNS),
            redis_key("{analyses}:request", key.key if key else ""),
            _asked_by_tokens(question),
            *(NEWS, HINTS),
        ]
        most = "" if limit is None else limit
        record = key.digest if key else ""
        arguments = [analysis_id, tenant, question.text, asker, self._now_ms(), KEPT_MS]
        arguments += [most, MOST_OF_TOKEN, record, REQUEST_TTL_S, f"{OF}:"]
        arguments += [_place(question, self._now_ms())]
        told, what = self._ask(keys, arguments)
        if told == "full":
            raise TooManyAnalyses(limit or 0, int(what))
        if told == "busy":
            raise TooManyAnalyses(MOST_OF_TOKEN, int(what), of_token=True)
        return told, what

    def find(self, key: IdempotencyKey | None) -> Analysis | None:
        """Return what an earlier request with this key came to.

        :raises KeyReused: the key came before with another request.
        :raises NoSuchAnalysis: it is not kept any more.
        """
        record = key and self._redis.get(redis_key("{analyses}:request", key.key))
        return self.read(self._earlier(key, record)) if key and record else None

    def _earlier(self, key: IdempotencyKey, record: str) -> str:
        digest, _, analysis_id = record.partition(" ")
        if not key.fits(digest):
            raise KeyReused(key.key)
        return analysis_id

    # -- reading

    def read(self, analysis_id: str) -> Analysis:
        """Return an analysis as it is now.

        :raises NoSuchAnalysis: there is none of that id, or not any more.
        """
        kept = self._redis.hgetall(redis_key(OF, analysis_id))
        if not kept:
            raise NoSuchAnalysis(analysis_id)
        numbers = ("version", "attempts", "asked_ms", "until_ms", "ended_ms")
        return Analysis(
            id=analysis_id,
            tenant=kept["tenant"],
            question=Question.read(kept["question"]),
            asker=kept["asker"],
            status=kept["status"],
            failed_for=kept.get("failed_for", ""),
            **{name: int(kept.get(name, 0)) for name in numbers},
        )

    def events(
        self, analysis_id: str, after: int = 0, limit: int | None = None
    ) -> list[Found]:
        """Return what became known after a version."""
        entries = self._redis.xrange(
            redis_key(EVENTS, analysis_id), f"{after + 1}-0", count=limit
        )
        return [
            Found(
                int(number.partition("-")[0]),
                entry["type"],
                int(entry["at"]),
                orjson.loads(entry["data"]),
            )
            for number, entry in entries
        ]

    def is_kept(self, analysis_id: str) -> bool:
        """Tell whether an analysis is there still."""
        return bool(self._redis.exists(redis_key(OF, analysis_id)))

    def used(self, tenant: str) -> int:
        """Return how many analyses of a tenant have not ended."""
        since = self._now_ms() - KEPT_MS
        return int(self._redis.zcount(_open(tenant), since, "+inf"))

    def news(self, seen: str, wait_s: float) -> tuple[str, set[str]]:
        """Wait for news after *seen*; return what to wait after next, and whose it is.

        Nobody's, if none comes in time, or within a second. Begin with "" to learn it
        without waiting.
        """
        if not seen:
            newest = self._redis.xrevrange(NEWS, count=1)
            return (newest[0][0] if newest else "0-0"), set()
        block_ms = int(min(wait_s, TIMEOUT_S / 2) * 1000)  # or the client gives up
        told = set[str]()
        for _, entries in self._redis.xread({NEWS: seen}, block=block_ms):
            told = {entry["id"] for _, entry in entries}
            seen = entries[-1][0]
        return seen, told

    # -- ending

    def cancel(self, analysis: Analysis) -> None:
        """Let nobody think about it any more; what has ended stays as it is."""
        self._told(analysis, "", ENDINGS[CANCELED], {}, CANCELED)

    def fail(self, analysis: Analysis, reason: str) -> None:
        """Say that it cannot be found out, and why (a code)."""
        data = {"reason": reason}
        self._told(analysis, "", ENDINGS[FAILED], data, FAILED, reason)

    # -- the dispatcher: who comes next

    def take_next(self) -> str | None:
        """Take the analysis that is thought about next; None: none waits.

        For a moment nobody else takes it: a worker has to begin with it by then.
        """
        until_ms = self._now_ms() + BELIEVED_MS
        found = self._next(
            [TENANTS, TAKEN, TURNS], [until_ms, f"{WAITING_OF}:", f"{OF}:"]
        )
        return str(found) if found else None

    def overdue(self) -> list[str]:
        """Return those that were taken, and of whose worker nothing is heard."""
        now_ms = self._now_ms()
        return list(self._redis.zrangebyscore(TAKEN, "-inf", now_ms, 0, 100))

    def look_again(self, analysis_id: str) -> None:
        """Leave one that is on its way to a worker for another moment."""
        until_ms = self._now_ms() + BELIEVED_MS
        self._redis.zadd(TAKEN, {analysis_id: until_ms}, xx=True)

    def revive(self, analysis_id: str) -> None:
        """Let one wait again whose worker is gone; after some times it has failed."""
        try:
            analysis = self.read(analysis_id)
        except NoSuchAnalysis:
            self._redis.zrem(TAKEN, analysis_id)
            return
        if analysis.attempts >= ATTEMPTS:
            self.fail(analysis, "worker-died")
        else:
            self._let_wait(analysis, "")

    # -- the worker

    def begin(self, analysis_id: str, worker: str) -> Analysis | None:
        """Begin to think about an analysis; None: it has ended, or another one does."""
        now_ms = self._now_ms()
        begun = self._begin(
            [redis_key(OF, analysis_id), TAKEN, HINTS],
            [analysis_id, worker, now_ms, now_ms + BELIEVED_MS, f"{WAITING_OF}:"],
        )
        return self.read(analysis_id) if begun else None

    def next_hint(self) -> str | None:
        """Return the hint that waits longest, if any does; it is not taken."""
        waiting = self._redis.zrange(HINTS, 0, 0)
        return str(waiting[0]) if waiting else None

    def renew(self, analysis_id: str, worker: str) -> bool:
        """Say that its worker lives; tell whether it should go on."""
        until_ms = self._now_ms() + BELIEVED_MS
        keys = [redis_key(OF, analysis_id), TAKEN]
        return bool(self._renew(keys, [analysis_id, worker, until_ms]))

    def tell(
        self,
        analysis: Analysis,
        worker: str,
        kind: str,
        data: dict[str, Any],
        after: int | None = None,
    ) -> bool:
        """Record what was found; tell whether the analysis is still the worker's.

        *after* a version: told again, for a reply was lost, it is recorded once.
        """
        return bool(self._told(analysis, worker, kind, data, after=after))

    def finish(self, analysis: Analysis, worker: str) -> bool:
        """Say that all was found; tell whether the analysis was still the worker's."""
        return bool(self._told(analysis, worker, ENDINGS[FINISHED], {}, FINISHED))

    def give_back(self, analysis: Analysis, worker: str) -> None:
        """Leave it to another worker: this one has to stop, and has not failed."""
        self._let_wait(analysis, worker)

    def give_way(self, analysis: Analysis, worker: str) -> None:
        """Let it wait behind all others of its tenant: it has had its share for now."""
        self._let_wait(analysis, worker, since_ms=self._now_ms())

    def is_waited_for(self) -> bool:
        """Tell whether an analysis waits that nobody thinks about."""
        if self._redis.zcard(TENANTS):
            return True
        asking = self._redis.pipeline(transaction=False)
        for taken in self._redis.zrange(TAKEN, 0, AMONG - 1):
            asking.hget(redis_key(OF, taken), "status")
        return WAITING in asking.execute()

    def _let_wait(
        self, analysis: Analysis, worker: str, since_ms: int | None = None
    ) -> None:
        place = _place(
            analysis.question, analysis.asked_ms if since_ms is None else since_ms
        )
        waiting = _waiting(analysis.tenant)
        self._wait(
            [redis_key(OF, analysis.id), TAKEN, waiting, TENANTS, NEWS, TURNS, HINTS],
            [analysis.id, analysis.tenant, self._now_ms(), worker, place],
        )

    def _told(
        self,
        analysis: Analysis,
        worker: str,
        kind: str,
        data: dict[str, Any],
        status: str = "",
        reason: str = "",
        after: int | None = None,
    ) -> int:
        tenant, digest = analysis.tenant, analysis.question.digest
        keys = [
            redis_key(OF, analysis.id),
            redis_key(EVENTS, analysis.id),
            *(NEWS, TAKEN, _open(tenant), _waiting(tenant)),
            _asked_by_tokens(analysis.question),
            redis_key("{analyses}:same", tenant, digest),
            redis_key("{analyses}:ended", tenant),
        ]
        text = orjson.dumps(data).decode()
        arguments = [analysis.id, worker, kind, text, self._now_ms(), status, reason]
        arguments += [MOST_KEPT, f"{OF}:", f"{EVENTS}:", "" if after is None else after]
        return int(self._tell(keys, arguments))


def _asked_by_tokens(question: Question) -> str:
    return redis_key("{analyses}:of-tokens", question.match, question.seat)


def _place(question: Question, since_ms: int) -> int:
    """Return its place among those of its tenant: hints first, for a player waits."""
    return 0 if question.kind == HINT else since_ms


def _waiting(tenant: str) -> str:
    return redis_key(WAITING_OF, tenant)


def _open(tenant: str) -> str:
    return redis_key("{analyses}:open", tenant)
