"""Where a Redis is: one server, the master that Sentinels name, or a cluster.

::

    redis://[user:password@]host[:port][/number]    rediss://: with TLS; or unix://path
    redis+sentinel://[user:password@]host[:port],host[:port]/service[/number]
    redis+cluster://[user:password@]host[:port],host[:port]

With TLS the last two begin with ``rediss+``. User and password are those of the Redis
servers; Sentinels that ask for some of their own find them in the options
``?sentinel_username=`` and ``?sentinel_password=``.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import urlsplit

SERVER, SENTINEL, CLUSTER = "server", "sentinel", "cluster"
PORTS = {SERVER: 6379, SENTINEL: 26379, CLUSTER: 6379}
PATHS = {
    SERVER: re.compile(r"()(/\d*)?"),
    SENTINEL: re.compile(r"/([A-Za-z0-9_.-]+)(/\d*)?"),
    CLUSTER: re.compile(r"()(/?)"),
}
SOCKET = re.compile(r"unix://[^#]*")


@dataclass(frozen=True, slots=True)
class RedisUrl:
    """What a URL says: who is asked first, and as whom one speaks.

    ``one`` is the URL of the first of the *nodes* as of a server, with user, password,
    number and options: what the client library reads.
    """

    kind: str
    one: str
    nodes: tuple[tuple[str, int], ...] = ()
    service: str = ""

    def of(self, host: str, port: int) -> str:
        """Return the URL of another server, to be spoken with in the same way."""
        parts = urlsplit(self.one)
        who, at, _ = parts.netloc.rpartition("@")
        place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        return parts._replace(netloc=f"{who}{at}{place}").geturl()


@lru_cache(maxsize=16)
def parse_redis_url(url: str) -> RedisUrl:
    """Read a URL.

    :raises ValueError: it leads nowhere, or maybe elsewhere than was meant.
    """
    if SOCKET.fullmatch(url):
        return RedisUrl(SERVER, url)
    parts = urlsplit(url)
    scheme, _, kind = parts.scheme.partition("+")
    kind = kind or SERVER
    if scheme not in ("redis", "rediss") or kind not in PATHS or "#" in url:
        raise ValueError("no URL of a Redis")
    path = PATHS[kind].fullmatch(parts.path)
    who, at, hosts = parts.netloc.rpartition("@")
    nodes = tuple(_node(host, PORTS[kind]) for host in hosts.split(","))
    is_mixed = "," in (hosts if kind == SERVER else who)  # user@one,user@two
    if path is None or is_mixed:
        raise ValueError("no place of a Redis")
    first = hosts.split(",")[0]
    options = parts.query and f"?{parts.query}"
    one = f"{scheme}://{who}{at}{first}{path[2] or ''}{options}"
    return RedisUrl(kind, one, nodes, path[1])


def _node(host: str, usual_port: int) -> tuple[str, int]:
    parts = urlsplit(f"//{host}")
    if not parts.hostname or parts.netloc != host or parts.port == 0:
        raise ValueError("no host of a Redis")
    return parts.hostname, parts.port or usual_port
