"""What an entry of the feed tells: its events, and whose turn it is after them."""

from collections.abc import Mapping

from services.eventlog import FeedEntry
from services.match import ReplayedEvent
from services.match.events import FistGuessed, SeatTaken
from services.webhooks.payload import YOUR_TURN, is_humans_turn

BEGINNING = (SeatTaken.type, FistGuessed.type)
"""A match may begin with these, on a board that was there before."""


def events_of(
    entry: FeedEntry, told: Mapping[int, ReplayedEvent]
) -> list[tuple[str, int]]:
    """Return types and versions of what an entry tells, in order.

    A turn is told of when it begins, and when it goes on on another board: after the
    move of an entry, not after an offer or a new token.
    """
    events = [
        (told[version].event.type, version)
        for version in range(entry.first, entry.last + 1)
        if version in told
    ]
    last = told.get(entry.last)
    if last is None or last.match is None or not is_humans_turn(last.match):
        return events
    is_new = last.match.position_version >= entry.first
    if is_new or any(type_ in BEGINNING for type_, _ in events):
        events.append((YOUR_TURN, entry.last))
    return events


def is_over(entry: FeedEntry, told: Mapping[int, ReplayedEvent]) -> bool:
    """Tell whether nothing more is to come of a match."""
    last = told.get(entry.last)
    return last is not None and last.match is not None and last.match.is_over
