"""Which server of a cluster has a key: the client library's map, kept up to redirects.

One for each process and cluster. It is made with the first question, since a process
starts before its cluster answers.
"""

import threading
from typing import Any

from redis.backoff import NoBackoff
from redis.cluster import ClusterNode, NodesManager, RedisCluster
from redis.connection import SSLConnection, parse_url
from redis.crc import key_slot
from redis.exceptions import AskError, RedisClusterException, RedisError
from redis.retry import Retry

from services.eventlog.errors import unreached
from services.redis_urls import parse_redis_url

TIMEOUT_S = 2.0
TRIES = 2
"""A command whose server has gone is sent once more, by a new map; then it is refused:
who waits for a fail-over asks again."""

FAILURES = (RedisClusterException, RedisError, OSError)
"""The first of them is no error of Redis to the library."""


class ClusterMap:
    """The slots of a cluster, and the client that the library has for it."""

    def __init__(self, url: str, client: type[RedisCluster]) -> None:
        """Remember where to ask, and what the client is made of."""
        self._place = parse_redis_url(url)
        self._class = client
        self._client: Any = None
        self._lock = threading.Lock()

    @property
    def client(self) -> Any:
        """The client of the library.

        :raises LogUnavailable: no server of the cluster answers.
        """
        if self._client is None:
            with self._lock:
                if self._client is None:
                    self._client = self._connect()
        return self._client

    def url_of(self, slot: int) -> str:
        """Return the URL of the server that has a slot, as far as is known.

        :raises LogUnavailable: none is known to have it.
        """
        try:
            node = self._nodes.get_node_from_slot(slot)
        except FAILURES as error:  # no server has the slot now
            self.look_again()
            raise unreached(error) from error
        return self._place.of(node.host, node.port)

    def all_urls(self) -> list[str]:
        """Return the URLs of all servers that take writes."""
        masters = self._nodes.get_nodes_by_server_type("primary")
        return sorted(self._place.of(node.host, node.port) for node in masters)

    def follow(self, redirect: AskError) -> str:
        """Return the URL that a redirect names; one that is for good is noted."""
        return self._place.of(redirect.host, redirect.port)

    def note_moved(self, redirect: Any) -> None:
        """Note the new server of a slot."""
        self._nodes.move_slot(redirect)

    def look_again(self) -> None:
        """Ask the cluster for its map anew, for a server of it has gone.

        :raises LogUnavailable: no server of the cluster answers.
        """
        try:
            self._nodes.initialize()
        except FAILURES as error:
            raise unreached(error) from error

    @property
    def _nodes(self) -> NodesManager:
        nodes: NodesManager = self.client.nodes_manager
        return nodes

    def _connect(self) -> Any:
        given = parse_url(self._place.one)
        for name in ("host", "port", "db"):
            given.pop(name, None)
        is_tls = given.pop("connection_class", None) is SSLConnection
        try:
            return self._class(
                startup_nodes=[ClusterNode(*node) for node in self._place.nodes],
                retry=Retry(NoBackoff(), TRIES - 1),
                require_full_coverage=False,  # what has a server goes on
                reinitialize_steps=1,
                ssl=is_tls,
                protocol=2,
                decode_responses=True,
                socket_timeout=TIMEOUT_S,
                socket_connect_timeout=TIMEOUT_S,
                **given,
            )
        except FAILURES as error:
            raise unreached(error) from error


def slot_of(key: str) -> int:
    """Return the slot that a key is in."""
    return int(key_slot(key.encode()))
