"""When a delivery that failed is tried again: the schedule of Standard Webhooks."""

import random
from collections.abc import Callable
from email.utils import parsedate_to_datetime

S, MIN, HOUR = 1_000, 60_000, 3_600_000

RETRIES_MS = (
    *(5 * S, 5 * MIN, 30 * MIN, 2 * HOUR, 5 * HOUR),
    *(10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR),
)
"""From one attempt to the next; after the last one a delivery is given up."""

ATTEMPTS = 1 + len(RETRIES_MS)
JITTER = 0.2  # later by up to so much, so that what failed together comes back apart
MOST_RETRY_AFTER_MS = 24 * HOUR
FAILING_MS = 7 * 24 * HOUR
"""An endpoint that has taken nothing for so long, while it was tried, is disabled."""

Chance = Callable[[], float]


def retry_in_ms(
    tries: int, retry_after_ms: int | None = None, chance: Chance = random.random
) -> int | None:
    """Return the time to the next attempt, after so many; None if that was the last.

    A Retry-After makes it later, up to a day, and never sooner: a receiver that is in
    trouble cannot ask for all attempts at once.
    """
    if tries >= ATTEMPTS:
        return None
    planned_ms = RETRIES_MS[tries - 1]
    asked_ms = min(retry_after_ms or 0, MOST_RETRY_AFTER_MS)
    return int(max(planned_ms, asked_ms) * (1 + JITTER * chance()))


def parse_retry_after(text: str, now_ms: int) -> int | None:
    """Return how long a Retry-After says to wait, in ms; None where it says nothing."""
    text = text.strip()
    if text.isascii() and text.isdigit():
        return min(int(text[:9]) * S, MOST_RETRY_AFTER_MS)
    try:
        at_ms = int(parsedate_to_datetime(text).timestamp() * 1_000)
    except (ValueError, OverflowError):
        return None
    return max(at_ms - now_ms, 0)
