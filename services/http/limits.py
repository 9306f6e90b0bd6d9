"""Limits on the way of a request: who is counted, and what an answer tells of it.

Every request under /v1 counts for its address, and for its key or token. What applies
stands in `RateLimit-Policy`, what is left in `RateLimit` (draft-ietf-httpapi-ratelimit-
headers-10).
"""

from functools import lru_cache
from ipaddress import IPv6Address, ip_address

from flask import Flask, Response, request

from services.bootstrap import Services
from services.http.context import EXTENSION, services
from services.http.wire.later import LATER
from services.limits import Policy, RateExceeded, Standing, TooManyGuests
from services.limits.quotas import ANALYSES, REQUESTS

COUNTED = "seedlog.counted"
COUNTED_PATHS = "/v1/"
IPV6_NETWORK = 64
"""So many bits of an IPv6 address are one: whoever has one has all the others of it."""


class Counted:
    """One request: who sends it, and what was counted of it."""

    __slots__ = ("address", "policies", "rates", "told")

    def __init__(self, services: Services, address: str) -> None:
        """Begin with nothing counted."""
        self.rates, self.policies = services.rates, services.policies
        self.address = address
        self.told: list[Standing] = []

    def count(self, policy: Policy | None, who: str) -> None:
        """Count it, or what it wants; None is not counted.

        :raises RateExceeded: there were as many as the policy allows.
        """
        if policy is None:
            return
        try:
            self.told.append(self.rates.take(policy, who))
        except RateExceeded as refused:
            self.told.append((refused.policy, 0, refused.retry_after_s))
            raise

    def count_guest(self, once: str = "") -> None:
        """Count a match that a guest opens: exactly, whoever counts beside.

        Requests that name the same *once* are about the same match.

        :raises TooManyGuests: for the address, or for everybody, there were enough.
        """
        for policy, who in (
            (self.policies.guests_of_address, self.address),
            (self.policies.guests, "all"),
        ):
            self.told.append(self.rates.take_at_once(policy, who, TooManyGuests, once))

    def count_guess(self) -> None:
        """Count a wrong key or token.

        :raises RateExceeded: the address has sent too many.
        """
        self.count(self.policies.guesses, self.address)

    def check_guesses(self) -> None:
        """Refuse to look for a key that was never seen, after too many wrong ones.

        :raises RateExceeded: its address has sent as many as it may.
        """
        policy = self.policies.guesses
        if policy is not None:
            _, remaining, resets_s = self.rates.standing(policy, self.address)
            if not remaining:
                raise RateExceeded(policy, resets_s)


def register(app: Flask) -> None:
    """Count the requests to an app; after hosts and preflights were answered."""
    known: Services = app.extensions[EXTENSION]

    def count_address() -> None:
        """Count a request for its address; one that waited was counted before."""
        environ = request.environ
        if not environ["PATH_INFO"].startswith(COUNTED_PATHS):
            return
        later = environ.get(LATER)
        if later is not None and later.kept is not None:
            environ[COUNTED] = later.told
            return
        address = counted_address(environ.get("REMOTE_ADDR") or "unknown")
        counted = environ[COUNTED] = Counted(known, address)
        counted.count(known.policies.address, address)

    app.before_request(count_address)
    app.after_request(tell)


def counted() -> Counted:
    """Return what was counted of this request."""
    found: Counted = request.environ[COUNTED]
    return found


def key_policy(tenant: str) -> Policy | None:
    """Return how often each key of a tenant may ask; None: as often as it likes."""
    policy = services().policies.key
    quota = services().quotas.rate(REQUESTS, tenant)
    return _given(policy, quota)


def analyses_policy(tenant: str) -> Policy | None:
    """Return how often a tenant may have positions computed; None: always."""
    quota = services().quotas.rate(ANALYSES, tenant)
    return _given(services().policies.analyses, quota)


def _given(policy: Policy | None, quota: int | None) -> Policy | None:
    if policy is None or quota is None:
        return policy
    return policy.of(quota) if quota else None


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
    counted: Counted | None = environ.get(COUNTED)
    if counted is not None:
        if told := counted.told:
            left = [f'"{policy.name}";r={rest};t={s}' for policy, rest, s in told]
            response.headers.add("RateLimit", ", ".join(left))
            applies = [policy.item for policy, _, _ in told]
            response.headers.add("RateLimit-Policy", ", ".join(applies))
        later = environ.get(LATER)
        if later is not None:
            later.told = counted
    return response
