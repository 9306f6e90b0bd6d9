"""The policies of the settings: how many requests of whom, in which window.

The names are those of the `RateLimit` headers and of `GET /v1/limits`.
"""

from dataclasses import dataclass, replace
from functools import cached_property

from services.languages import Message
from services.settings import Settings

MINUTE_S, HOUR_S = 60, 3600


@dataclass(frozen=True)
class Policy:
    """So many of what is counted in so many seconds, for each of whom it is about."""

    name: str
    quota: int
    window_s: int
    counted: Message

    @cached_property
    def item(self) -> str:
        """Return it as an item of the header `RateLimit-Policy`."""
        return f'"{self.name}";q={self.quota};w={self.window_s}'

    def of(self, quota: int | None) -> "Policy":
        """Return the policy with another quota, if one is given."""
        return self if quota in (None, self.quota) else replace(self, quota=quota or 0)


@dataclass(frozen=True, slots=True)
class Policies:
    """What applies here; None is a policy that is switched off."""

    key: Policy | None
    token: Policy | None
    address: Policy | None
    guesses: Policy | None
    analyses: Policy | None
    guests_of_address: Policy
    guests: Policy


def policies_of(settings: Settings) -> Policies:
    """Return the policies of the settings."""

    def each_minute(name: str, quota: int, counted: Message) -> Policy | None:
        return Policy(name, quota, MINUTE_S, counted) if quota else None

    return Policies(
        key=each_minute(
            "key", settings.rate_per_key, Message("requests for an API key")
        ),
        token=each_minute(
            "token", settings.rate_per_token, Message("requests for a token")
        ),
        address=each_minute(
            "address", settings.rate_per_address, Message("requests for an address")
        ),
        guesses=each_minute(
            "guesses",
            settings.rate_guesses,
            Message("wrong keys and tokens from an address"),
        ),
        analyses=each_minute(
            "analyses", settings.rate_analyses, Message("analyses for a tenant")
        ),
        guests_of_address=Policy(
            "guests-of-address",
            settings.guests_per_address,
            HOUR_S,
            Message("matches of guests for an address"),
        ),
        guests=Policy(
            "guests", settings.guests_total, HOUR_S, Message("matches of all guests")
        ),
    )
