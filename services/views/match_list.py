"""The list of matches: one row for each, found by tenant, game, status and player.

Beside it the statistics of each game.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import orjson

from services.cache import Cache
from services.eventlog import Streams
from services.match import Match
from services.names import redis_key
from services.views.folding import MatchFolder, Vanished, reading
from services.views.generations import STEP, Step, View
from services.views.list_cursor import id_of, read_members

EXCHANGE = STEP + files("services.views").joinpath("match_list.lua").read_text("utf-8")
DONE, ELSEWHERE = 1, -1
REMEMBERED = 5_000
"""So many rows, of half a kilobyte each, are not read before they change again."""


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of a list, newest first, and where the next page begins."""

    rows: list[dict[str, Any]]
    next_cursor: str | None


class MatchList(View):
    """Reads and writes the view called *name*."""

    name = "matches"

    def __init__(self, url: str, generation: str | None = None) -> None:
        """Read and write the present generation, or a fixed one."""
        super().__init__(url, generation)
        self._exchange = self._redis.register_script(EXCHANGE)
        self._listed: Cache[str, str] = Cache(REMEMBERED)

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
        self,
        changes: Iterable[Match | Vanished],
        cursors: Mapping[int, str],
        seen: Mapping[int, str] | None = None,
    ) -> None:
        """Put in the rows of matches and the cursors behind them, all or nothing.

        The rows of matches that are no more are taken out; an older row never replaces.

        Counts grow by the difference to the rows before, and only if these are still
        there: so what was perhaps written (its answer was lost, or somebody else wrote)
        does nothing when it is sent again; rows are read, and what is missing is sent.
        """
        gone, rows = set[str](), dict[str, dict[str, Any]]()
        for change in changes:
            if isinstance(change, Vanished):
                gone.add(change.match_id)
            else:
                rows[change.id] = _row(change)
        prefix, names = self._prefix(), [*dict.fromkeys([*gone, *rows])]
        step = self._step(cursors, seen)
        while True:
            exchange = _Exchange(prefix)
            for name, text in zip(names, self._seen(prefix, names), strict=True):
                old, new = orjson.loads(text) if text else None, rows.get(name)
                is_newer = not old or not new or old["version"] < new["version"]
                if (old or new) and (is_newer or name in gone):
                    with reading(name):
                        exchange.add(name, text, old, new)
            done = self._exchange(exchange.keys, exchange.arguments(step))
            if done == DONE:
                break
            self._listed = Cache(REMEMBERED)  # others have written
            if done == ELSEWHERE and self._is_taken(self._redis, step):
                break
        self._mark = step.next_mark
        for name, text in exchange.written.items():
            self._listed.put(name, text)

    def _seen(self, prefix: str, names: list[str]) -> list[str]:
        """Return rows as they were last written here, or else as they are; "": none."""
        seen = {name: text for name in names if (text := self._listed.get(name))}
        if unknown := [name for name in names if name not in seen]:
            texts = self._redis.hmget(f"{prefix}:rows", unknown)
            seen |= {n: text or "" for n, text in zip(unknown, texts, strict=True)}
        return [seen[name] for name in names]

    def discard(self, generation: str) -> int:
        """Remove all keys of a generation; return how many there were."""
        prefix = self._key(generation)
        named_by = f"{prefix}:keys"
        first = [f"{prefix}:{name}" for name in ("cursors", "building", "rows")]
        return self._erase((self._redis.sscan, named_by), "", first, [named_by])


class _Exchange:
    """What the script is told: rows that are exchanged, and what that changes."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._places: dict[str, int] = {}
        self._rows: list[str | int] = []
        self.written: dict[str, str] = {}

    @property
    def keys(self) -> list[str]:
        """The keys that may change."""
        names = ("rows", "cursors", "building", "keys")
        return [*(f"{self._prefix}:{name}" for name in names), *self._places]

    def arguments(self, step: Step) -> list[str | int]:
        """Return what the script is told, with the step that the rows belong to."""
        return [*step.arguments, len(self.written), *self._rows]

    def add(
        self,
        match_id: str,
        seen: str,
        old: dict[str, Any] | None,
        new: dict[str, Any] | None,
    ) -> None:
        """Exchange the row of a match: the old one, as it was seen, for the new one."""
        before, after = _places(old), _places(new)
        left = [self._place(redis_key(self._prefix, *p)) for p in before - after]
        joined = [self._place(redis_key(self._prefix, *p)) for p in after - before]
        told, counts = _counts(old), _counts(new)
        grown = {n: counts.get(n, 0) - told.get(n, 0) for n in told | counts}
        changed = [part for pair in grown.items() if pair[1] for part in pair]
        text = orjson.dumps(new, option=orjson.OPT_SORT_KEYS).decode() if new else ""
        row: dict[str, Any] = new or old or {}
        counters = redis_key(f"{self._prefix}:count", row["tenant"], row["game"])
        self._rows += [match_id, seen, text, _member(row), self._place(counters)]
        self._rows += [len(left), *left, len(joined), *joined]
        self._rows += [len(changed) // 2, *changed]
        self.written[match_id] = text

    def _place(self, key: str) -> int:
        return self._places.setdefault(key, len(self._places) + 1)


def _member(row: dict[str, Any]) -> str:
    return f"{row['created_at_ms']:015d}:{row['id']}"


def _places(row: dict[str, Any] | None) -> set[tuple[str | None, ...]]:
    """Return every index that a row belongs to, by what it is found by."""
    if row is None:
        return set()
    players = {who["player"] for who in row["seats"].values() if who and who["player"]}
    return {
        (row["tenant"], player, game, status)
        for player in (None, *players)
        for game in (row["game"], None)
        for status in (row["status"], None)
    }


def _counts(row: dict[str, Any] | None) -> dict[str, int]:
    """Return what a match adds to the statistics of its game."""
    if row is None:
        return {}
    counts = {"opened": 1, row["status"]: 1}
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
