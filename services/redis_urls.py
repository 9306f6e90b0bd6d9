"""Where a Redis is: one server, the master that Sentinels name, or a cluster.

::

    redis://[user:password@]host[:port][/number]    rediss://: with TLS; or unix://path
    redis+sentinel://[user:password@]host[:port],host[:port]/service[/number]
    redis+cluster://[user:password@]host[:port],host[:port]

With TLS the last two begin with ``rediss+``. User and password are those of the Redis
servers; Sentinels that ask for some of their own find them in the options
``?sentinel_username=`` and ``?sentinel_password=``. Other options are those of the
client library that leave alone what this program rests on.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import parse_qsl, urlsplit

SERVER, SENTINEL, CLUSTER = "server", "sentinel", "cluster"
PORTS = {SERVER: 6379, SENTINEL: 26379, CLUSTER: 6379}
PATHS = {
    SERVER: re.compile(r"()(/\d*)?"),
    SENTINEL: re.compile(r"/([A-Za-z0-9_.-]+)(/\d*)?"),
    CLUSTER: re.compile(r"()(/?)"),
}
SCHEMES = re.compile(r"rediss?(\+sentinel|\+cluster)?|unix")

ANYTHING, WHOLE, SECONDS = ".+", r"\d{1,9}", r"\d{1,9}(\.\d+)?"
OPTIONS = {
    "client_name": ANYTHING,
    "health_check_interval": WHOLE,
    "max_connections": WHOLE,
    "password": ANYTHING,
    "socket_connect_timeout": SECONDS,
    "socket_keepalive": "true|false|yes|no|1|0",
    "socket_timeout": SECONDS,
    "username": ANYTHING,
}
NUMBER_OPTION = {"db": WHOLE}
TLS_OPTIONS = {
    "ssl_ca_certs": ANYTHING,
    "ssl_ca_path": ANYTHING,
    "ssl_cert_reqs": "none|optional|required",
    "ssl_certfile": ANYTHING,
    "ssl_check_hostname": "true|false|yes|no|1|0",
    "ssl_ciphers": ANYTHING,
    "ssl_keyfile": ANYTHING,
    "ssl_password": ANYTHING,
}
SENTINEL_OPTIONS = {"sentinel_password": ANYTHING, "sentinel_username": ANYTHING}
ENCODED = (
    "a password is written with percent signs: @ is %40, / is %2F, # is %23, ? is %3F, "
    "[ is %5B, ] is %5D, the comma is %2C and % is %25"
)


class NoRedisUrl(ValueError):
    """A URL leads nowhere, or maybe elsewhere than was meant; says what is wrong.

    In words that go on after its name, and without repeating what may be a password.
    """


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

    :raises NoRedisUrl: it leads nowhere, or maybe elsewhere than was meant.
    """
    scheme, slashes, rest = url.partition("://")
    if not slashes or not SCHEMES.fullmatch(scheme):
        raise NoRedisUrl(
            "must begin with redis://, rediss://, unix://, redis+sentinel:// or "
            "redis+cluster://"
        )
    if "#" in rest:
        raise NoRedisUrl(f"has a # in it: {ENCODED}")
    if scheme == "unix":
        if not rest.partition("?")[0]:
            raise NoRedisUrl("names no socket: unix:///PATH does")
        _check_options(rest.partition("?")[2], OPTIONS | NUMBER_OPTION)
        return RedisUrl(SERVER, url)
    if "@" in rest[len(re.split("[/?]", rest)[0]) :]:
        raise NoRedisUrl(f"has a / or a ? before its @: {ENCODED}")
    transport, _, kind = scheme.partition("+")
    kind = kind or SERVER
    place, question, options = rest.partition("?")
    netloc, slash, path = place.partition("/")
    who, at, hosts = netloc.rpartition("@")
    found = _read_path(kind, slash + path)
    nodes = _read_nodes(kind, who, hosts)
    _check_options(options, _options_of(kind, is_tls=transport == "rediss"))
    first = hosts.split(",")[0]
    one = f"{transport}://{who}{at}{first}{found[2] or ''}{question}{options}"
    return RedisUrl(kind, one, nodes, found[1])


def _read_path(kind: str, path: str) -> re.Match[str]:
    if found := PATHS[kind].fullmatch(path):
        return found
    if kind == SENTINEL and path in ("", "/"):
        raise NoRedisUrl(
            "names no service: after the last Sentinel comes /SERVICE, as in "
            "redis+sentinel://one:26379,two:26379/mymaster"
        )
    if kind == SENTINEL:
        raise NoRedisUrl(
            "must end with /SERVICE or /SERVICE/NUMBER; the name of a service has "
            "letters, digits, _, . and -"
        )
    if kind == CLUSTER:
        raise NoRedisUrl("names a database, and a cluster has none: end it with a host")
    raise NoRedisUrl("must end with the number of a database, or with its port")


def _read_nodes(kind: str, who: str, hosts: str) -> tuple[tuple[str, int], ...]:
    if kind == SERVER and "," in hosts:
        raise NoRedisUrl(
            "names several servers: with Sentinels it begins with redis+sentinel://, "
            "in a cluster with redis+cluster://"
        )
    if "[" in who or "]" in who:
        raise NoRedisUrl(f"has a [ or ] before its @: {ENCODED}")
    if kind != SERVER and "," in who:  # user@one,user@two
        raise NoRedisUrl(
            "has a comma before its @: the user stands before the first host alone, "
            f"and {ENCODED}"
        )
    return tuple(_read_node(host, PORTS[kind]) for host in hosts.split(","))


def _read_node(host: str, usual_port: int) -> tuple[str, int]:
    if not host or host.startswith(":"):
        raise NoRedisUrl("lacks a host")
    try:
        parts = urlsplit(f"//{host}")
    except ValueError as error:
        raise NoRedisUrl("has a [ or ] where no host has one") from error
    try:
        port = usual_port if parts.port is None else parts.port
    except ValueError:
        port = 0
    if not port:
        raise NoRedisUrl("has a port that is no number from 1 to 65535")
    if not parts.hostname or parts.netloc != host:
        raise NoRedisUrl("has a host that is none")
    return parts.hostname, port


def _options_of(kind: str, *, is_tls: bool) -> dict[str, str]:
    known = OPTIONS | (TLS_OPTIONS if is_tls else {})
    if kind != CLUSTER:
        known = known | NUMBER_OPTION
    return known | (SENTINEL_OPTIONS if kind == SENTINEL else {})


def _check_options(text: str, known: dict[str, str]) -> None:
    """Refuse what the client library would stumble over when it connects."""
    for name, value in parse_qsl(text, keep_blank_values=True):
        if name not in known:
            more = "; those of ssl_ need rediss" if name in TLS_OPTIONS else ""
            raise NoRedisUrl(
                f"has the option {name[:40]!r}, which is none here{more}; there are "
                f"{', '.join(sorted(known))}"
            )
        if not re.fullmatch(known[name], value, re.IGNORECASE):
            raise NoRedisUrl(f"has an option {name} that is not right")
