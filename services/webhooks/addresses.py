"""Where a webhook may go: to the public internet, and nowhere that is near us.

What a tenant writes as a URL is asked for from within our own network. So it is the
address that is judged, each time it is connected to, and not the name: a name may mean
something else the next time.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
)
from urllib.parse import urlsplit

from services.languages import Explained, Message, any_of

MAX_URL = 2_000
OTHER_PORTS_FROM = 1_024  # below are mail, shells and the like
WEB_PORTS = (80, 443)

NAT64 = IPv6Network("64:ff9b::/96")
GLOBAL = IPv6Network("2000::/3")
# What Python calls global, or called so in one of its versions, and nobody serves from.
NEVER: tuple[IPv4Network | IPv6Network, ...] = (
    *map(
        IPv4Network,
        ("0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.88.99.0/24"),
    ),
    *map(IPv4Network, ("198.18.0.0/15", "224.0.0.0/3")),
    *map(IPv6Network, ("2001::/23", "2001:db8::/32", "3fff::/20")),
)

_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_HOST = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(?:\.{_LABEL})*")


class UnusableUrl(Explained):
    """No webhook can go to that URL; says why, and what could be."""


class NotPublic(Exception):
    """A name leads to an address that is not on the public internet."""

    def __init__(self, address: str) -> None:
        """Keep the address."""
        super().__init__(f"{address} is not an address of the public internet")
        self.address = address


@dataclass(frozen=True, slots=True)
class Target:
    """A URL in the parts that a connection needs; ``path`` has the query in it."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Return what the Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        usual = {"https": 443, "http": 80}[self.scheme]
        return host if self.port == usual else f"{host}:{self.port}"


def parse_url(url: str, *, allow_private: bool = False) -> Target:
    """Return the parts of a URL that webhooks may go to, as far as can be told now.

    Names are not looked up: that is done, and judged, at every attempt.

    :raises UnusableUrl: it is no URL, or one that is never right.
    """
    if not url.isascii() or not url.isprintable() or " " in url or len(url) > MAX_URL:
        raise UnusableUrl(
            Message(
                "should be at most {most} visible ASCII characters; write a host name "
                "as xn--..., other characters as %..",
                most=MAX_URL,
            )
        )
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").lower(), parts.port
    except ValueError as error:
        raise UnusableUrl(Message("should be a URL")) from error
    schemes = ("https", "http") if allow_private else ("https",)
    if parts.scheme not in schemes or not host:
        beginnings = any_of(*(f"{scheme}://" for scheme in schemes))
        raise UnusableUrl(Message("should begin with {schemes}", schemes=beginnings))
    if "@" in parts.netloc or parts.fragment or "#" in url or "\\" in url:
        raise UnusableUrl(Message("should have no user, password or fragment"))
    port = {"https": 443, "http": 80}[parts.scheme] if port is None else port
    is_usual = port in WEB_PORTS or port >= OTHER_PORTS_FROM
    if not is_usual and not (allow_private and port):
        raise UnusableUrl(
            Message(
                "should have port 80, 443 or one from {other} on, not {port}",
                other=OTHER_PORTS_FROM,
                port=port,
            )
        )
    _check_host(host, allow_private=allow_private)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, host, port, path)


def is_public(address: str) -> bool:
    """Tell whether an address is one of the public internet.

    One that carries another in it (IPv4 in IPv6: mapped, 6to4, NAT64) is what it
    carries.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        if parsed.scope_id:
            return False
        if (carried := _carried(parsed)) is not None:
            return is_public(str(carried))
        if parsed not in GLOBAL:
            return False
    return parsed.is_global and not any(parsed in network for network in NEVER)


def check_public(addresses: Iterable[str]) -> None:
    """Do nothing if all addresses of a name are public.

    :raises NotPublic: one is not; then none is used, for who mixes them means harm.
    """
    for address in addresses:
        if not is_public(address):
            raise NotPublic(address)


def _carried(address: IPv6Address) -> IPv4Address | None:
    if address.ipv4_mapped is not None:
        return address.ipv4_mapped
    if address in NAT64:
        return IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.sixtofour


def _check_host(host: str, *, allow_private: bool) -> None:
    try:
        ip_address(host)
        is_literal = True
    except ValueError:
        is_literal = False
    if not is_literal and not _HOST.fullmatch(host):
        raise UnusableUrl(
            Message("should have the name of a host, not {host!r}", host=host[:80])
        )
    if allow_private:
        return
    if is_literal and not is_public(host):
        raise UnusableUrl(
            Message(
                "should lead to the public internet, which {host} is not part of "
                "(SEEDLOG_WEBHOOK_PRIVATE=1 allows it, for development)",
                host=host,
            )
        )
    if host == "localhost" or host.endswith(".localhost"):
        raise UnusableUrl(
            Message(
                "should lead to the public internet, not to this machine "
                "(SEEDLOG_WEBHOOK_PRIVATE=1 allows it, for development)"
            )
        )
