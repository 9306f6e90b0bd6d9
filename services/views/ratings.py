"""Ratings: how strong the players of an app are, by game and clock class.

Games count in the order in which they ended, ties by the id of the match. So the
numbers follow from the log alone, whatever order a feed or a rebuild tells them in: a
game that is heard of late is put in its place, and those after it are counted again
(`settle`).

Keys, beside those of every view; *pool* is a tenant, a game and a clock class::

    <generation>:rows             what is kept of each match
    <generation>:unsettled        of each pool the first game that is to be counted
    <generation>:games:<pool>     its games, in order
    <generation>:of:<pool>:<who>  those of a player, in order
    <generation>:standings:<pool> how each player stands
    <generation>:board:<pool>     the players, by what their strength is at least
    <generation>:met:<tenant>:<who>:<who>    the matches of two players, rated or not
    <generation>:score:<tenant>:<who>:<who>  how these went, by game
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import orjson

from services.eventlog import Streams
from services.names import redis_key
from services.views.folding import reading
from services.views.generations import View
from services.views.list_cursor import id_of, read_members
from services.views.results import Pool, Result, ResultFolder
from services.views.standings import (
    Played,
    Standing,
    count,
    players_of,
    read_played,
    read_standing,
)

SETTLED_AT_ONCE = 200
SCORES = ("1.0", "0.5", "0.0")
FLOOR = 100_000.0  # no strength is so far below 0: as digits they sort like numbers


class Ranked(NamedTuple):
    """A player of a pool, where there is a board of them."""

    player: str
    standing: Standing


class Ranking(NamedTuple):
    """A page of a board, the strongest first, and where the next one begins.

    ``above`` is how many are stronger than the first of it.
    """

    above: int
    rows: list[Ranked]
    next_cursor: str | None


class History(NamedTuple):
    """A page of matches, the last first, and where the next one begins."""

    rows: list[Played]
    next_cursor: str | None


class Ratings(View):
    """Reads and writes the view called *name*."""

    name = "ratings"

    # -- reading

    def standings(self, pools: Sequence[Pool], player: str) -> dict[Pool, Standing]:
        """Return how a player stands in those of the pools that know it."""

        def read(prefix: str) -> list[str | None]:
            with self._redis.pipeline(transaction=False) as pipe:
                for pool in pools:
                    pipe.hget(redis_key(f"{prefix}:standings", *pool), player)
                return list(pipe.execute())

        found = zip(pools, self._read(read), strict=True)
        return {pool: read_standing(text) for pool, text in found if text}

    def board(self, pool: Pool, cursor: str | None, limit: int) -> Ranking:
        """Return the players of a pool, whoever is the strongest for sure first.

        :raises InvalidCursor: the cursor is not one of a board.
        """

        def read(prefix: str) -> Ranking:
            key = redis_key(f"{prefix}:board", *pool)
            members, following = read_members(self._redis, key, cursor, limit)
            players = [id_of(member) for member in members]
            standings = redis_key(f"{prefix}:standings", *pool)
            texts = self._redis.hmget(standings, players) if players else []
            told = zip(players, texts, strict=True)
            rows = [Ranked(who, read_standing(text)) for who, text in told if text]
            above = self._redis.zrevrank(key, members[0]) if members else 0
            return Ranking(int(above or 0), rows, following)

        return self._read(read)

    def history(
        self, pool: Pool, player: str, cursor: str | None, limit: int
    ) -> History:
        """Return the rated games of a player of a pool, the last first.

        :raises InvalidCursor: the cursor is not one of a history.
        """
        return self._history("of", (*pool, player), cursor, limit)

    def met(self, tenant: str, two: Iterable[str], cursor: str | None) -> History:
        """Return the matches of two players against each other, the last first.

        :raises InvalidCursor: the cursor is not one of two players.
        """
        return self._history("met", (tenant, *sorted(two)), cursor, 50)

    def score(self, tenant: str, one: str, other: str) -> dict[str, list[int]]:
        """Return how two players fared: by game, what the *one* won, drew and lost."""
        two = sorted((one, other))
        counts = self._read(
            lambda prefix: self._redis.hgetall(
                redis_key(f"{prefix}:score", tenant, *two)
            )
        )
        told: dict[str, list[int]] = {}
        for field, times in sorted(counts.items()):
            game, _, score = field.rpartition(" ")
            place = SCORES.index(score)
            place = place if two[0] == one else 2 - place
            told.setdefault(game, [0, 0, 0])[place] = int(times)
        return told

    def count(self) -> int:
        """Return the number of matches that say anything."""
        return int(self._redis.hlen(f"{self._prefix()}:rows"))

    def dump(self) -> dict[str, str]:
        """Return what is kept of every match; for comparing a rebuilt view."""
        rows: dict[str, str] = self._redis.hgetall(f"{self._prefix()}:rows")
        return rows

    # -- writing: the projector alone

    def folder(self, streams: Streams) -> ResultFolder:
        """Return what folds the feed for this view: how matches ended."""
        return ResultFolder(streams)

    def write(
        self,
        changes: Iterable[Result],
        cursors: Mapping[int, str],
        seen: Mapping[int, str] | None = None,
    ) -> None:
        """Take in results and the cursors behind them, all or nothing, each once.

        What follows of them for standings is worked out by `settle`.
        """
        results = {result.match_id: result for result in changes}
        prefix, step = self._prefix(), self._step(cursors, seen)
        unsettled, mark = f"{prefix}:unsettled", f"{prefix}:building"

        def put_in(pipe: Any) -> None:
            if self._is_taken(pipe, step):
                pipe.multi()
                return
            known = pipe.hmget(f"{prefix}:rows", [*results]) if results else []
            told = zip(results.values(), known, strict=True)
            new = [Played(result) for result, text in told if text is None]
            first = pipe.hgetall(unsettled) if new else {}
            pipe.multi()
            for game in new:
                with reading(game.result.match_id):
                    _take_in(pipe, prefix, game)
                if game.result.is_rated:
                    field = orjson.dumps([*game.result.pool]).decode()
                    first[field] = min(first.get(field, game.place), game.place)
            if first:
                pipe.hset(unsettled, mapping=first)
            if cursors:
                pipe.hset(f"{prefix}:cursors", mapping=cursors)
            if step.next_mark:
                pipe.set(mark, step.next_mark)
            elif step.mark:
                pipe.delete(mark)

        watched = [f"{prefix}:{name}" for name in ("rows", "unsettled", "cursors")]
        self._redis.transaction(put_in, *watched, mark)
        self._mark = step.next_mark

    def settle(self, get_on: Callable[[], None]) -> None:
        """Count the games that are not counted yet, and those after them again.

        :raises Overtaken: this generation is being removed.
        """
        prefix = self._prefix()
        for field in self._redis.hkeys(f"{prefix}:unsettled"):
            while self._settle(prefix, field):
                get_on()

    def discard(self, generation: str) -> int:
        """Remove all keys of a generation; return how many there were."""
        prefix = self._key(generation)
        named_by = f"{prefix}:keys"
        names = ("cursors", "building", "unsettled", "rows")
        first = [f"{prefix}:{name}" for name in names]
        return self._erase((self._redis.sscan, named_by), "", first, [named_by])

    def _settle(self, prefix: str, field: str) -> bool:
        """Count some games of a pool in order; tell whether there are more."""
        pool = Pool(*orjson.loads(field))
        rows, unsettled = f"{prefix}:rows", f"{prefix}:unsettled"
        order = redis_key(f"{prefix}:games", *pool)
        standings = redis_key(f"{prefix}:standings", *pool)

        def count_some(pipe: Any) -> bool:
            first = pipe.hget(unsettled, field)
            if first is None:  # somebody else has just done so
                pipe.multi()
                return False
            places = pipe.zrangebylex(order, f"[{first}", "+", 0, SETTLED_AT_ONCE + 1)
            games = self._games(pipe, prefix, places[:SETTLED_AT_ONCE])
            if not games:
                raise self.overtaken()
            stood = self._stood(prefix, pool, first, players_of(games))
            counted, after = count(games, stood)
            known = dict(zip(after, pipe.hmget(standings, [*after]), strict=True))
            pipe.multi()
            pipe.hset(rows, mapping={g.result.match_id: g.text for g in counted})
            pipe.hset(standings, mapping={who: s.text for who, s in after.items()})
            _rank(pipe, redis_key(f"{prefix}:board", *pool), known, after)
            if is_more := len(places) > SETTLED_AT_ONCE:
                pipe.hset(unsettled, field, places[-1])
            else:
                pipe.hdel(unsettled, field)
            return is_more

        return bool(
            self._redis.transaction(
                count_some, unsettled, standings, value_from_callable=True
            )
        )

    def _stood(
        self, prefix: str, pool: Pool, place: str, players: Sequence[str]
    ) -> dict[str, Standing]:
        """Return how players stood before a game of their pool: after their last."""
        with self._redis.pipeline(transaction=False) as pipe:
            for player in players:
                key = redis_key(f"{prefix}:of", *pool, player)
                pipe.zrevrangebylex(key, f"({place}", "-", 0, 1)
            found = pipe.execute()
        last = {who: at[0] for who, at in zip(players, found, strict=True) if at}
        games = self._games(self._redis, prefix, [*last.values()])
        stood = zip(last, games, strict=True)
        return {who: g.after[g.result.players.index(who)] for who, g in stood}

    def _games(self, redis: Any, prefix: str, places: Sequence[str]) -> list[Played]:
        """Return games, all of which are there.

        :raises Overtaken: this generation is being removed: another has taken over.
        """
        games = _read_games(redis, prefix, places)
        if len(games) < len(places):
            raise self.overtaken()
        return games

    # -- pages

    def _history(
        self, index: str, names: Iterable[str], cursor: str | None, limit: int
    ) -> History:
        def read(prefix: str) -> History:
            key = redis_key(f"{prefix}:{index}", *names)
            places, following = read_members(self._redis, key, cursor, limit)
            return History(_read_games(self._redis, prefix, places), following)

        return self._read(read)


def _take_in(pipe: Any, prefix: str, game: Played) -> None:
    """Keep a match, and find it by its pool and by those who played."""
    match_id, pool, _, players, score, is_rated = game.result
    two = sorted(players)
    met = redis_key(f"{prefix}:met", pool.tenant, *two)
    scores = redis_key(f"{prefix}:score", pool.tenant, *two)
    places = [met]
    if is_rated:
        places += [redis_key(f"{prefix}:of", *pool, player) for player in players]
        places.append(redis_key(f"{prefix}:games", *pool))
    pipe.hset(f"{prefix}:rows", match_id, game.text)
    for place in places:
        pipe.zadd(place, {game.place: 0})
    score = score if two[0] == players[0] else 1 - score
    pipe.hincrby(scores, f"{pool.game} {score}", 1)
    kept = [redis_key(f"{prefix}:{name}", *pool) for name in ("standings", "board")]
    pipe.sadd(f"{prefix}:keys", *places, scores, *kept)


def _read_games(redis: Any, prefix: str, places: Sequence[str]) -> list[Played]:
    if not places:
        return []
    texts = redis.hmget(f"{prefix}:rows", [id_of(place) for place in places])
    return [read_played(text) for text in texts if text]


def _rank(
    pipe: Any,
    board: str,
    known: Mapping[str, str | None],
    after: Mapping[str, Standing],
) -> None:
    """Give players their new places on a board, where they may have one already."""
    for player, standing in after.items():
        if text := known[player]:
            pipe.zrem(board, _place(player, read_standing(text)))
        pipe.zadd(board, {_place(player, standing): 0})


def _place(player: str, standing: Standing) -> str:
    return f"{round((standing.rating.at_least + FLOOR) * 1e6):015d}:{player}"
