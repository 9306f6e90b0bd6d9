"""Entries of a tenant's feed, the same on a page of it and in its stream."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

import structlog

from services.eventlog import UNREADABLE
from services.http.representation import entry_json
from services.match import Folds
from services.views import Place

MAX_STEPS = 10_000  # events that are replayed for one page: a fraction of a second

T = TypeVar("T")

log = structlog.get_logger()


def affordable(folds: Folds, places: Sequence[Place]) -> Sequence[Place]:
    """Return the places from the first on that one page has the time to replay."""
    steps, reached = 0, dict[str, int]()
    for count, place in enumerate(places):
        match_id, version = place.match_id, place.version
        if match_id in reached:
            steps += version - reached[match_id]
        else:
            steps += folds.steps_to(match_id, version)
        reached[match_id] = version
        if count and steps > MAX_STEPS:
            return places[:count]
    return places


def unless_damaged(match_id: str, read: Callable[[], T]) -> T | None:
    """Return what is read of a match; its damage is none of the others in a feed."""
    try:
        return read()
    except UNREADABLE:
        log.exception("match of the feed cannot be read", match=match_id)
        return None


def entries_json(folds: Folds, places: Iterable[Place]) -> list[dict[str, Any]]:
    """Return the frames of places of a feed, each with its number and match.

    There is none of what has vanished, or cannot be read.
    """
    wanted: dict[str, set[int]] = {}
    for place in places:
        wanted.setdefault(place.match_id, set()).add(place.version)
    events = {
        match_id: unless_damaged(match_id, partial(folds.replay, match_id, versions))
        for match_id, versions in wanted.items()
    }
    shown = []
    for place in places:
        told = events[place.match_id]
        if not told:
            continue
        replayed = told.get(place.version)
        if replayed is None:
            at = {"match": place.match_id, "version": place.version}
            log.error("event of the feed is not in the log", **at)
            continue
        entry = unless_damaged(place.match_id, partial(entry_json, replayed))
        if entry is not None:
            shown.append({"seq": place.number, "match": place.match_id} | entry)
    return shown
