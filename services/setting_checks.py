"""What a setting may hold: each check returns what is wrong with it, or nothing."""

import re
from collections.abc import Callable

from services.redis_urls import CLUSTER, NoRedisUrl, parse_redis_url

Check = Callable[[str], str]
"""Takes the text of a variable; what it returns goes on after its name."""

SAME_ADDRESS = "/"
"""As the address of the streams: that at which the API was asked, behind one proxy."""


def whole_number(least: int, most: int) -> Check:
    """Return the check of a number that lies between two others."""

    def check(text: str) -> str:
        is_number = text.isascii() and text.isdigit() and len(text) < 20
        if is_number and least <= int(text) <= most:
            return ""
        return f"must be a whole number from {least} to {most}, not {text[:40]!r}"

    return check


def one_of(*known: str) -> Check:
    """Return the check of a word that is one of these."""

    def check(text: str) -> str:
        return (
            ""
            if text in known
            else f"must be one of {', '.join(known)}, not {text[:40]!r}"
        )

    return check


def header_pairs(text: str) -> str:
    """Refuse what OpenTelemetry would leave out; it is secret, and not repeated."""
    pairs = (pair.partition("=") for pair in text.split(","))
    if all(name.strip() and is_pair for name, is_pair, _ in pairs):
        return ""
    return "must be NAME=VALUE, with commas between several"


def redis_address(url: str) -> str:
    """Refuse what would be taken for another host than was meant, and waited for.

    What it returns does not repeat the URL, for it may hold a password.
    """
    try:
        parse_redis_url(url)
    except NoRedisUrl as error:
        return str(error)
    return ""


def queue_address(url: str) -> str:
    """Refuse what no address of a Redis is, and a cluster: RQ cannot be kept there."""
    wrong = redis_address(url)
    if wrong or parse_redis_url(url).kind != CLUSTER:
        return wrong
    return (
        "must be one server, or redis+sentinel://: the queue of jobs cannot be kept in "
        "a Redis Cluster"
    )


def host_names(hosts: str) -> str:
    """Refuse addresses of pages, ports and commas."""
    for host in hosts.split():
        if not re.fullmatch(r"[A-Za-z0-9_.-]+|([0-9a-fA-F]*:){2,}[0-9a-fA-F:.]*", host):
            return (
                "must be names or addresses, such as games.example, with blanks "
                f"between them and no port, not {host[:80]!r}"
            )
    return ""


def origins(listed: str) -> str:
    """Refuse what no browser sends as an origin."""
    for origin in listed.split():
        if origin != "*" and not re.fullmatch(r"https?://[^/\s?#@\\]+", origin):
            return (
                "must be origins, such as https://app.example or "
                "http://localhost:3000, with blanks between them and nothing after "
                f"the port, or *, not {origin[:80]!r}"
            )
    return ""


def stream_address(address: str) -> str:
    """Refuse what is no address, nor that of the API."""
    return "" if address == SAME_ADDRESS else addresses(address)


def addresses(listed: str) -> str:
    """Refuse addresses without their scheme."""
    for address in listed.split():
        if address != "*" and not re.match(r"https?://[^/\s]", address):
            return f"must begin with http:// or https://, not {address!r}"
    return ""
