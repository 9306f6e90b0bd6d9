"""Limits on the way of a request: who is counted, and what an answer tells of it.

Every request under /v1 counts for its address, and for its key or token. What applies
stands in `RateLimit-Policy`, what is left in `RateLimit` (draft-ietf-httpapi-ratelimit-
headers-10).
"""

from functools import lru_cache
from ipaddress import IPv6Address, ip_address
from typing import cast

from flask import Flask, Response, current_app, request

from services.bootstrap import Services
from services.http.wire.later import LATER
from services.limits import Policy, RateExceeded, Standing, TooManyGuests

EXTENSION = "seedlog"
RATES = "seedlog.rates"
COUNTED = "/v1/"
IPV6_NETWORK = 64
"""So many bits of an IPv6 address are one: whoever has one has all the others of it."""


def register(app: Flask) -> None:
    """Count the requests to an app; after hosts and preflights were answered."""
    app.before_request(count_address)
    app.after_request(tell)


def count_address() -> None:
    """Count a request for its address, once; one that waited was counted before.

    :raises RateExceeded: the address has asked too often.
    """
    environ = request.environ
    if not environ["PATH_INFO"].startswith(COUNTED):
        return
    later = environ.get(LATER)
    if later is not None and later.kept is not None:
        environ[RATES] = later.told
        return
    environ[RATES] = []
    count(_services().policies.address, address())


def count(policy: Policy | None, who: str) -> None:
    """Count a request, or what it wants; None is not counted.

    :raises RateExceeded: there were as many as the policy allows.
    """
    if policy is None:
        return
    told: list[Standing] = request.environ[RATES]
    try:
        told.append(_services().rates.take(policy, who))
    except RateExceeded as refused:
        told.append(Standing(refused.policy, 0, refused.retry_after_s))
        raise


def count_guest() -> None:
    """Count a match that a guest opens: exactly, whoever counts beside.

    :raises TooManyGuests: for the address, or for everybody, there were enough.
    """
    policies, rates = _services().policies, _services().rates
    told: list[Standing] = request.environ[RATES]
    for policy, who in (
        (policies.guests_of_address, address()),
        (policies.guests, "all"),
    ):
        told.append(rates.take_at_once(policy, who, TooManyGuests))


def count_guess() -> None:
    """Count a wrong key or token.

    :raises RateExceeded: the address has sent too many.
    """
    count(_services().policies.guesses, address())


def check_guesses() -> None:
    """Refuse to look for a key that was never seen, once an address has guessed enough.

    :raises RateExceeded: it has.
    """
    policy = _services().policies.guesses
    if policy is not None:
        standing = _services().rates.standing(policy, address())
        if not standing.remaining:
            raise RateExceeded(policy, standing.resets_s)


def address() -> str:
    """Return the address that asks, as it is counted."""
    return counted_address(request.environ.get("REMOTE_ADDR") or "unknown")


@lru_cache(maxsize=16384)
def counted_address(text: str) -> str:
    """Return an address as it is counted: of IPv6 its network."""
    try:
        known = ip_address(text)
    except ValueError:  # a unix socket, or what a proxy calls it
        return text[:100]
    if not isinstance(known, IPv6Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    bits = 128 - IPV6_NETWORK
    return f"{IPv6Address(int(known) >> bits << bits)}/{IPV6_NETWORK}"


def tell(response: Response) -> Response:
    """Let an answer tell what applies, and what is left."""
    environ = request.environ
    told: list[Standing] | None = environ.get(RATES)
    if told:
        left = [f'"{s.policy.name}";r={s.remaining};t={s.resets_s}' for s in told]
        headers = response.headers
        headers.add("RateLimit", ", ".join(left))
        headers.add("RateLimit-Policy", ", ".join([s.policy.item for s in told]))
        later = environ.get(LATER)
        if later is not None:
            later.told = told
    return response


def _services() -> Services:
    return cast(Services, current_app.extensions[EXTENSION])
