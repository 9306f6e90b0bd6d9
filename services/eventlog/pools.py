"""Connections by the client library to one server, or to the master of Sentinels."""

from typing import Any

from redis.backoff import NoBackoff
from redis.connection import ConnectionPool, SSLConnection, parse_url
from redis.driver_info import DriverInfo
from redis.exceptions import NoPermissionError, RedisError
from redis.retry import Retry
from redis.sentinel import (
    MasterNotFoundError,
    Sentinel,
    SentinelConnectionPool,
    SentinelManagedConnection,
)

from services.redis_urls import SERVER, parse_redis_url

OF_SENTINELS = ("username", "password")
SENTINEL_TIMEOUT_S = 0.5
"""A Sentinel that is away is not waited for: the next one knows as much."""

DRIVER = DriverInfo()
"""Each connection would look up anew which version of the library it belongs to, in the
files of that package: a millisecond."""


class MasterConnection(SentinelManagedConnection):
    """A connection to the master that Sentinels name, if it says so itself.

    A Sentinel hears of a fail-over up to some seconds late: until then it names a
    server that may be back, as a replica, and would be read as it was.
    """

    def connect_to(self, address: tuple[str, int]) -> None:
        """Connect, and ask the server for its role."""
        super().connect_to(address)  # type: ignore[no-untyped-call]
        self.send_command("ROLE")  # type: ignore[no-untyped-call]
        try:  # who is late is left, or its answer would be taken for the next one
            [role, *_] = self.read_response(disconnect_on_error=True)
        except NoPermissionError:  # then Sentinels are believed
            return
        if role not in ("master", b"master"):
            self.disconnect()  # type: ignore[no-untyped-call]
            raise MasterNotFoundError(f"{address[0]}:{address[1]} is no master now")


class MasterConnectionTLS(MasterConnection, SSLConnection):
    """The same with TLS."""


class Sentinels(Sentinel):
    """Those of a URL, who say in one sentence why none of them tells of the master."""

    def discover_master(self, service_name: str) -> tuple[str, int]:
        """Return the address of the master.

        The library reads what a Sentinel knows of all its masters. There the one that
        leads a fail-over tells of the former master until every replica follows the
        new one, a second longer than the others; asked for the address, it names the
        new one, as they do.

        :raises MasterNotFoundError: no Sentinel answers, or none knows one.
        """
        told = []
        for sentinel in self.sentinels:
            try:
                found: Any = sentinel.sentinel_get_master_addr_by_name(service_name)
            except RedisError as error:  # away, or no Sentinel
                found = error
            if isinstance(found, tuple):
                # The next time, one that is away is not asked first.
                others = (one for one in self.sentinels if one is not sentinel)
                self.sentinels = [sentinel, *others]
                return str(found[0]), found[1]
            asked = sentinel.connection_pool.connection_kwargs
            told.append(f"{asked['host']}:{asked['port']}: {found or 'it knows none'}")
        raise MasterNotFoundError(
            f"no Sentinel tells of a master of {service_name!r}: {'; '.join(told)}"
        )


def place_of(pool: ConnectionPool | None) -> str:
    """Return where the server of a pool is; nothing where others name it."""
    known = {} if pool is None else pool.connection_kwargs
    if "host" not in known:
        return str(known.get("path", ""))
    return f"{known['host']}:{known.get('port', 6379)}"


def pool_of(url: str, **arguments: Any) -> ConnectionPool:
    """Return a pool of connections to what a URL names; nothing is opened yet.

    With Sentinels each connection asks them for the master when it opens, and closes
    when its server is a master no more.
    """
    arguments["driver_info"] = DRIVER
    place = parse_redis_url(url)
    if place.kind == SERVER:
        return ConnectionPool.from_url(url, **arguments)
    given = parse_url(place.one)
    own = {name: given.pop(f"sentinel_{name}", None) for name in OF_SENTINELS}
    is_tls = given.pop("connection_class", None) is SSLConnection
    tls = {name: given[name] for name in given if name.startswith("ssl_")}
    sentinels = Sentinels(  # type: ignore[no-untyped-call]
        place.nodes,
        sentinel_kwargs={
            "protocol": 2,
            "decode_responses": True,
            "socket_timeout": SENTINEL_TIMEOUT_S,
            "socket_connect_timeout": SENTINEL_TIMEOUT_S,
            "retry": Retry(NoBackoff(), 0),
            "ssl": is_tls,
            **tls,
            **own,
        },
    )
    for name in ("host", "port"):  # the master's are asked for
        given.pop(name, None)
    arguments["connection_class"] = MasterConnectionTLS if is_tls else MasterConnection
    return SentinelConnectionPool(place.service, sentinels, **{**arguments, **given})
