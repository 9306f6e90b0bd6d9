"""Quotas: how much of what stays a tenant may have, and has.

What is used is counted where it is kept: nothing is counted here that could be lost or
stay behind.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Protocol

from services.eventlog import LogUnavailable
from services.languages import Explained, Message
from services.settings import Settings

OPEN_MATCHES, FOLLOWERS, ENDPOINTS = "open_matches", "followers", "webhook_endpoints"
SEEKS, OPEN_ANALYSES = "seeks", "open_analyses"
REQUESTS, ANALYSES = "requests", "analyses"
QUOTAS = (OPEN_MATCHES, FOLLOWERS, ENDPOINTS, SEEKS, OPEN_ANALYSES)
NEEDED = (ENDPOINTS, SEEKS)
"""At 0 there are none; others are without a limit then."""

COSTLY = (OPEN_ANALYSES, SEEKS)
"""They take time: those who have no quotas have these."""

RATES = (REQUESTS, ANALYSES)
LIMITS = (*QUOTAS, *RATES)
"""What an operator can give a tenant of its own: the last two are a minute."""

MEANT = {
    OPEN_MATCHES: Message("matches that are not over"),
    FOLLOWERS: Message("open streams"),
    ENDPOINTS: Message("webhook endpoints"),
    SEEKS: Message("seeks at once"),
}


class QuotaExceeded(Explained):
    """A tenant has as much of something as it may."""

    def __init__(self, quota: str, limit: int, used: int) -> None:
        """Keep what it has, how much it may have, and how much it has."""
        super().__init__(
            Message(
                "a tenant may have {limit} {things}, and has {used}",
                limit=limit,
                things=MEANT[quota],
                used=used,
            )
        )
        self.quota = quota
        self.limit = limit
        self.used = used


class Places(Protocol):
    """Counts the matches of a tenant that are not over, those on their way too."""

    def take_place(self, tenant: str, match_id: str, limit: int) -> int | None:
        """Count a match in; return how many there are if it would be too many."""

    def give_back_place(self, tenant: str, match_id: str) -> None:
        """Count a match out again that was not opened."""


class Quotas:
    """What each tenant may have: what the settings say, or what its operator does."""

    def __init__(
        self,
        settings: Settings,
        own: Callable[[str], Mapping[str, int]],
        places: Places,
        is_free: Callable[[str], bool],
    ) -> None:
        """*own* tells what a tenant has been given; who *is_free* has no quotas."""
        self._own = own
        self._places = places
        self._is_free = is_free
        self.defaults = {
            OPEN_MATCHES: settings.open_matches,
            FOLLOWERS: settings.followers,
            ENDPOINTS: settings.webhook_endpoints,
            SEEKS: settings.seeks,
            OPEN_ANALYSES: settings.open_analyses,
        }

    def limit(self, quota: str, tenant: str) -> int | None:
        """Return how much a tenant may have; None: any number.

        0 is any number, but of webhook endpoints and seeks, which it switches off.
        """
        if self._is_free(tenant) and quota not in COSTLY:
            return None
        limit = self._own(tenant).get(quota, self.defaults[quota])
        return limit if limit or quota in NEEDED else None

    def rate(self, name: str, tenant: str) -> int | None:
        """Return how often a minute a tenant may, if it has its own; 0: always."""
        return self._own(tenant).get(name)

    @contextmanager
    def place(
        self, tenant: str, match_id: str, is_there: Callable[[], bool]
    ) -> Iterator[None]:
        """Open a match in this block: it has a place, or is there already.

        :raises QuotaExceeded: the tenant has as many that are not over as it may.
        """
        limit = self.limit(OPEN_MATCHES, tenant)
        if limit is None:
            yield
            return
        used = self._places.take_place(tenant, match_id, limit)
        if used is not None and not is_there():
            raise QuotaExceeded(OPEN_MATCHES, limit, used)
        try:
            yield
        except LogUnavailable:  # it may have been opened: its place is kept for a while
            raise
        except BaseException:
            if not is_there():  # a repeated request leaves the place of its match
                self._places.give_back_place(tenant, match_id)
            raise
