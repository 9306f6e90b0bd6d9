"""The list of matches: one row for each, found by tenant, game and status.

All keys of the view stand under one hash tag, so that rows, indexes and cursors change
in one transaction, on a cluster too.
"""

import base64
import binascii
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from services.eventlog.connection import Argument, Connections
from services.match import Match

ANY = "*"


class InvalidCursor(Exception):
    """The cursor was not made by this list."""


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of a list, newest first, and where the next page begins."""

    rows: list[dict[str, Any]]
    next_cursor: str | None


class MatchList:
    """Reads and writes the view called *name*."""

    name = "matches"

    def __init__(self, redis_url: str) -> None:
        """Keep the view beside the event log."""
        self._redis = Connections(redis_url)
        self._prefix = f"{{view:{self.name}}}"

    # -- reading

    def page(
        self,
        tenant: str,
        *,
        game: str | None = None,
        status: str | None = None,
        cursor: str | None = None,
        limit: int = 50,
    ) -> Page:
        """Return matches of a tenant, the newest first.

        :raises InvalidCursor: the cursor is not one of this list.
        """
        index = self._index(tenant, game or ANY, status or ANY)
        newest = f"({_read_cursor(cursor)}" if cursor else "+"
        members = self._redis.call(
            "ZRANGE", index, newest, "-", "BYLEX", "REV", "LIMIT", 0, limit + 1
        )
        if not members:
            return Page([], None)
        shown = members[:limit]
        rows = self._redis.call("HMGET", self._rows, *[_id(member) for member in shown])
        more = len(members) > limit
        return Page(
            [orjson.loads(row) for row in rows if row],
            _format_cursor(shown[-1]) if more else None,
        )

    def cursors(self) -> dict[int, str]:
        """Return how far the feed was folded in, by partition."""
        reply = self._redis.call("HGETALL", self._cursors)
        return {
            int(partition): cursor
            for partition, cursor in zip(reply[::2], reply[1::2], strict=True)
        }

    def count(self) -> int:
        """Return the number of rows."""
        return int(self._redis.call("HLEN", self._rows))

    def dump(self) -> dict[str, dict[str, Any]]:
        """Return every row by match id; for comparing a rebuilt view."""
        reply = self._redis.call("HGETALL", self._rows)
        return {
            match_id: orjson.loads(row)
            for match_id, row in zip(reply[::2], reply[1::2], strict=True)
        }

    # -- writing: the projector alone

    def write(self, matches: Iterable[Match], cursors: Mapping[int, str]) -> None:
        """Put in the rows of matches and the cursors behind them, all or nothing."""
        rows = {match.id: _row(match) for match in matches}
        commands: list[Sequence[Argument]] = []
        if rows:
            earlier = self._redis.call("HMGET", self._rows, *rows)
            for row, old in zip(rows.values(), earlier, strict=True):
                commands += self._replace(row, orjson.loads(old) if old else None)
        if cursors:
            places = [part for item in cursors.items() for part in item]
            commands.append(("HSET", self._cursors, *places))
        if commands:
            self._redis.call_all([("MULTI",), *commands, ("EXEC",)])

    def delete(self) -> None:
        """Remove the view with its cursors; the projector builds it again."""
        found = self._redis.call("SMEMBERS", f"{self._prefix}:indexes")
        self._redis.call(
            "DEL", self._rows, self._cursors, f"{self._prefix}:indexes", *found
        )

    def _replace(
        self, row: dict[str, Any], old: dict[str, Any] | None
    ) -> list[Sequence[Argument]]:
        """Return the commands that bring a row in; an older row never replaces."""
        if old is not None and old["version"] >= row["version"]:
            return []
        member = f"{row['created_at_ms']:015d}:{row['id']}"
        commands: list[Sequence[Argument]] = [
            (
                "HSET",
                self._rows,
                row["id"],
                orjson.dumps(row, option=orjson.OPT_SORT_KEYS),
            )
        ]
        was = old["status"] if old else None
        if was != row["status"]:
            for game in (row["game"], ANY):
                for status in (row["status"], ANY):
                    index = self._index(row["tenant"], game, status)
                    commands.append(("ZADD", index, 0, member))
                    commands.append(("SADD", f"{self._prefix}:indexes", index))
                if was:
                    index = self._index(row["tenant"], game, was)
                    commands.append(("ZREM", index, member))
        return commands

    @property
    def _rows(self) -> str:
        return f"{self._prefix}:rows"

    @property
    def _cursors(self) -> str:
        return f"{self._prefix}:cursors"

    def _index(self, tenant: str, game: str, status: str) -> str:
        return f"{self._prefix}:{tenant}:{game}:{status}"


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


def _id(member: str) -> str:
    return member.split(":", 1)[1]


def _format_cursor(member: str) -> str:
    return base64.urlsafe_b64encode(member.encode()).decode().rstrip("=")


def _read_cursor(cursor: str) -> str:
    try:
        text = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)).decode()
    except (binascii.Error, UnicodeError, ValueError) as error:
        raise InvalidCursor(cursor) from error
    created, _, match_id = text.partition(":")
    if not created.isdigit() or not match_id.isprintable():
        raise InvalidCursor(cursor)
    return text
