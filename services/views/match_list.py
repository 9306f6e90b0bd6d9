"""The list of matches: one row for each, found by tenant, game, status and player.

Beside it the statistics of each game.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from services.eventlog import Streams
from services.match import Match
from services.names import redis_key
from services.views.folding import MatchFolder, Vanished
from services.views.generations import View
from services.views.list_cursor import id_of, read_members


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of a list, newest first, and where the next page begins."""

    rows: list[dict[str, Any]]
    next_cursor: str | None


class MatchList(View):
    """Reads and writes the view called *name*."""

    name = "matches"

    # -- reading

    def page(
        self,
        tenant: str,
        *,
        game: str | None = None,
        status: str | None = None,
        player: str | None = None,
        since_ms: int | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """Return matches of a tenant, or the history of a player, the newest first.

        With *since_ms* those that were opened then or later: the index has that order.

        :raises InvalidCursor: the cursor is not one of this list.
        """
        wanted = (tenant, player, game, status)
        oldest = "-" if since_ms is None else f"[{since_ms:015d}"

        def read(prefix: str) -> Page:
            index = redis_key(prefix, *wanted)
            members, following = read_members(self._redis, index, cursor, limit, oldest)
            ids = [*map(id_of, members)]
            rows = self._redis.hmget(f"{prefix}:rows", ids) if ids else []
            return Page([orjson.loads(row) for row in rows if row], following)

        return self._read(read)

    def statistics(self, tenant: str, game: str) -> dict[str, int]:
        """Return what was counted of the matches of a game: see `_counts`."""
        counts = self._read(
            lambda prefix: self._redis.hgetall(_counters(prefix, tenant, game))
        )
        return {name: int(count) for name, count in counts.items()}

    def matches_of(self, tenant: str, player: str, limit: int = 50) -> list[str]:
        """Return matches of a player, the newest first, as far as they are listed."""
        wanted = (tenant, player, None, None)
        members = self._read(
            lambda prefix: self._redis.zrevrangebylex(
                redis_key(prefix, *wanted), "+", "-", 0, limit
            )
        )
        return [id_of(member) for member in members]

    def count(self) -> int:
        """Return the number of rows."""
        return int(self._redis.hlen(f"{self._prefix()}:rows"))

    def dump(self) -> dict[str, dict[str, Any]]:
        """Return every row by match id; for comparing a rebuilt view."""
        rows = self._redis.hgetall(f"{self._prefix()}:rows")
        return {match_id: orjson.loads(row) for match_id, row in rows.items()}

    # -- writing: the projector alone

    def folder(self, streams: Streams) -> MatchFolder:
        """Return what folds the feed for this view: matches, by the rules."""
        return MatchFolder(streams)

    def write(
        self, changes: Iterable[Match | Vanished], cursors: Mapping[int, str]
    ) -> None:
        """Put in the rows of matches and the cursors behind them, all or nothing.

        The rows of matches that are no more are taken out before.

        Counts grow by the difference to the rows before: so what was perhaps written
        (its answer was lost, or rows have changed since) is not sent again, but the
        rows are read again.
        """
        gone, rows = list[str](), dict[str, dict[str, Any]]()
        for change in changes:
            if isinstance(change, Vanished):
                gone.append(change.match_id)
            else:
                rows[change.id] = _row(change)
        prefix = self._prefix()

        def put_in(pipe: Any) -> None:
            names = [*dict.fromkeys([*gone, *rows])]
            texts = pipe.hmget(f"{prefix}:rows", names) if names else []
            pairs = zip(names, texts, strict=True)
            earlier = {name: orjson.loads(text) for name, text in pairs if text}
            removed = [earlier.pop(name) for name in gone if name in earlier]
            indexes = [_indexes(prefix, old) for old in removed]
            sizes = [{i: pipe.zcard(i) for i in some} for some in indexes]
            pipe.multi()
            for old, size in zip(removed, sizes, strict=True):
                _remove(pipe, prefix, old, [i for i in size if size[i] == 1])
            for name, row in rows.items():
                _replace(pipe, prefix, row, earlier.get(name))
            if cursors:
                pipe.hset(f"{prefix}:cursors", mapping=cursors)

        self._redis.transaction(put_in, f"{prefix}:rows")

    def discard(self, generation: str) -> int:
        """Remove all keys of a generation; return how many there were."""
        prefix = self._key(generation)
        named_by = f"{prefix}:keys"
        own = (f"{prefix}:rows", f"{prefix}:cursors", named_by)
        return self._erase(("SMEMBERS", named_by), "", *own)


def _replace(
    pipe: Any, prefix: str, row: dict[str, Any], old: dict[str, Any] | None
) -> None:
    """Bring a row in; an older row never replaces."""
    if old is not None and old["version"] >= row["version"]:
        return
    text = orjson.dumps(row, option=orjson.OPT_SORT_KEYS)
    pipe.hset(f"{prefix}:rows", row["id"], text)
    member = _member(row)
    before, after = _places(old) if old else set(), _places(row)
    new = sorted(redis_key(prefix, *place) for place in after - before)
    for index in new:
        pipe.zadd(index, {member: 0})
    for place in before - after:
        pipe.zrem(redis_key(prefix, *place), member)
    counts = _counters(prefix, row["tenant"], row["game"])
    told = _counts(old) if old else {}
    for name, count in _counts(row).items():
        if count != told.get(name, 0):
            pipe.hincrby(counts, name, count - told.get(name, 0))
    if new:
        pipe.sadd(f"{prefix}:keys", counts, *new)


def _remove(
    pipe: Any, prefix: str, old: dict[str, Any], emptied: Sequence[str]
) -> None:
    """Take a row out, and what it adds to the statistics; *emptied* are indexes."""
    pipe.hdel(f"{prefix}:rows", old["id"])
    for index in _indexes(prefix, old):
        pipe.zrem(index, _member(old))
    if emptied:
        pipe.srem(f"{prefix}:keys", *emptied)
    counts = _counters(prefix, old["tenant"], old["game"])
    for name, count in _counts(old).items():
        if count:
            pipe.hincrby(counts, name, -count)


def _indexes(prefix: str, row: dict[str, Any]) -> list[str]:
    return sorted(redis_key(prefix, *place) for place in _places(row))


def _member(row: dict[str, Any]) -> str:
    return f"{row['created_at_ms']:015d}:{row['id']}"


def _places(row: dict[str, Any]) -> set[tuple[str | None, ...]]:
    """Return every index that a row belongs to, by what it is found by."""
    players = {who["player"] for who in row["seats"].values() if who and who["player"]}
    return {
        (row["tenant"], player, game, status)
        for player in (None, *players)
        for game in (row["game"], None)
        for status in (row["status"], None)
    }


def _counts(row: dict[str, Any]) -> dict[str, int]:
    """Return what a match adds to the statistics of its game."""
    counts = {"opened": 1, row["status"]: 1}
    if row["status"] != "open":
        counts["open"] = 0
    if row["status"] != "running":
        counts["running"] = 0
    outcome = row["outcome"]
    if outcome:
        counts["moves"] = row["ply"]
        counts[f"reason:{outcome['reason']}"] = 1
        counts[f"winner:{outcome['winner'] or 'nobody'}"] = 1
    return counts


def _counters(prefix: str, tenant: str, game: str) -> str:
    return redis_key(f"{prefix}:count", tenant, game)


def _row(match: Match) -> dict[str, Any]:
    outcome = match.outcome
    return {
        "id": match.id,
        "tenant": match.tenant,
        "game": match.game,
        "options": dict(match.options),
        "rules": match.rules,
        "status": match.status,
        "version": match.version,
        "ply": match.ply,
        "seats": {
            seat: who and {"kind": who.kind, "player": who.player, "level": who.level}
            for seat, who in match.seats.items()
        },
        "to_move": match.to_move,
        "outcome": outcome
        and {
            "winner": outcome.winner,
            "reason": outcome.reason,
            "score": outcome.score,
        },
        "created_at_ms": match.created_at_ms,
        "updated_at_ms": match.updated_at_ms,
    }
