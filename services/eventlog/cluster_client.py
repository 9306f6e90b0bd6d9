"""A cluster by the client library, for all that is not on the path of a move.

To whom uses it, it is the client of one server, as far as the keys of a script, of a
transaction and of what is read together stand under one hash tag.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from redis.cluster import ClusterPipeline, RedisCluster

from services.eventlog.cluster_map import ClusterMap, slot_of
from services.eventlog.raising import AsTheLog, PipelineAsTheLog


@lru_cache(maxsize=16)
def map_of(url: str) -> ClusterMap:
    """Return the map of a cluster, the same one for all of this process."""
    return ClusterMap(url, _Cluster)


class ClusterClient:
    """The client of a cluster; it is contacted with the first command."""

    def __init__(self, url: str, connect: Callable[[str], Any]) -> None:
        """Share connections with all of this process that speak to the same.

        *connect* returns a client of one server.
        """
        self._servers = map_of(url)
        self._connect = connect

    def __getattr__(self, name: str) -> Any:
        """Return what the client of the library does by that name."""
        return getattr(self._servers.client, name)

    def __enter__(self) -> "ClusterClient":
        return self

    def __exit__(self, *_: object) -> None:
        """Keep the connections: others share them."""

    def register_script(self, script: str) -> Callable[..., Any]:
        """Return a script that is run by calling it with keys and arguments."""

        def run(keys: Sequence[Any] = (), args: Sequence[Any] = ()) -> Any:
            return self.eval(script, len(keys), *keys, *args)

        return run

    def time(self) -> Any:
        """Return the time of one of the servers."""
        return self._servers.client.time(
            target_nodes=self._servers.client.get_primaries()[0]
        )

    def servers(self) -> list[Any]:
        """Return a client of each server that takes writes."""
        return [self._connect(url) for url in self._servers.all_urls()]

    def at(self, key: str) -> Any:
        """Return a client of the server that has a key, as far as is known."""
        return self._connect(self._servers.url_of(slot_of(key)))


class _Cluster(AsTheLog, RedisCluster):
    def pipeline(
        self, transaction: bool | None = True, shard_hint: Any = None
    ) -> "_Pipeline":
        """Return a pipeline: a transaction, as with one server, unless told not to."""
        return _Pipeline(
            nodes_manager=self.nodes_manager,
            commands_parser=self.commands_parser,
            result_callbacks=self.result_callbacks,
            cluster_response_callbacks=self.cluster_response_callbacks,
            retry=self.retry,
            lock=self._lock,
            transaction=transaction,
            event_dispatcher=self._event_dispatcher,
        )


class _Pipeline(PipelineAsTheLog, ClusterPipeline):
    def eval(  # type: ignore[override]
        self, script: str, count: int, *keys_and_arguments: Any
    ) -> Any:
        """Run a script; the library's own pipeline offers none."""
        return self.execute_command("EVAL", script, count, *keys_and_arguments)
