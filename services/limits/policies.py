"""The policies of the settings: how many requests of whom, in which window.

The names are those of the `RateLimit` headers and of `GET /v1/limits`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

from services.languages import Message
from services.settings import Settings

MINUTE_S, HOUR_S = 60, 3600

Say = Callable[..., Message]
"""Says what applies, from *count*, *window* and *wait*, both of these in seconds."""


@dataclass(frozen=True)
class Policy:
    """So many of something in so many seconds, for each of whom it is about."""

    name: str
    quota: int
    window_s: int
    say: Say

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

    def each_minute(name: str, quota: int, say: Say) -> Policy | None:
        return Policy(name, quota, MINUTE_S, say) if quota else None

    of_address, guests = settings.guests_per_address, settings.guests_total
    return Policies(
        key=each_minute("key", settings.rate_per_key, _of_key),
        token=each_minute("token", settings.rate_per_token, _of_token),
        address=each_minute("address", settings.rate_per_address, _of_address),
        guesses=each_minute("guesses", settings.rate_of_guesses, _of_guesses),
        analyses=each_minute("analyses", settings.rate_of_analyses, _of_analyses),
        guests_of_address=Policy("guests-of-address", of_address, HOUR_S, _of_guest),
        guests=Policy("guests", guests, HOUR_S, _of_guests),
    )


def _of_key(**facts: int) -> Message:
    return Message(
        "requests with one API key: {count} in {window} s; come back in {wait} s",
        **facts,
    )


def _of_token(**facts: int) -> Message:
    return Message(
        "requests with one token: {count} in {window} s; come back in {wait} s", **facts
    )


def _of_address(**facts: int) -> Message:
    return Message(
        "requests from one address: {count} in {window} s; come back in {wait} s",
        **facts,
    )


def _of_guesses(**facts: int) -> Message:
    return Message(
        "wrong keys and tokens from one address: {count} in {window} s; "
        "come back in {wait} s",
        **facts,
    )


def _of_analyses(**facts: int) -> Message:
    return Message(
        "computed positions of one tenant: {count} in {window} s; "
        "come back in {wait} s",
        **facts,
    )


def _of_guest(**facts: int) -> Message:
    return Message(
        "matches of guests from one address: {count} in {window} s; "
        "come back in {wait} s, or use an API key",
        **facts,
    )


def _of_guests(**facts: int) -> Message:
    return Message(
        "matches of all guests: {count} in {window} s; "
        "come back in {wait} s, or use an API key",
        **facts,
    )
