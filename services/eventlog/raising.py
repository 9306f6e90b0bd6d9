"""Clients of the library that fail as the log does, by what they inherit besides."""

from typing import Any

from redis.exceptions import ClusterError, RedisClusterException, ResponseError

from services.eventlog.errors import LogUnavailable, naming
from services.eventlog.pools import place_of
from services.eventlog.refused import NO_REPLY, is_demoted, raise_refusal
from services.languages import Message

FAILURES = (*NO_REPLY, ResponseError, ClusterError, RedisClusterException)


class AsTheLog:
    """A client that raises `LogUnavailable` where it cannot be served now."""

    connection_pool: Any = None  # a cluster has one for each server

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Send a command, and return its reply."""
        try:
            return super().execute_command(*args, **options)  # type: ignore[misc]
        except FAILURES as error:
            raise self._as_ours(error) from error

    def _as_ours(self, error: Exception) -> Exception:
        """Return what to raise; what waiting cannot help with is raised as it is."""
        if type(error) is RedisClusterException and "slot" in str(error):
            raise error  # keys of several slots: a mistake of ours
        if isinstance(error, ResponseError):
            if is_demoted(error) and self.connection_pool is not None:
                # The next connection finds the master.
                self.connection_pool.disconnect(inuse_connections=False)
            raise_refusal(error)
        said = Message("Redis did not answer")
        return LogUnavailable(said, naming(place_of(self.connection_pool), str(error)))


class PipelineAsTheLog(AsTheLog):
    """A pipeline that does likewise."""

    def execute(self, raise_on_error: bool = True) -> list[Any]:
        """Send what was collected, and return the replies."""
        try:
            return list(super().execute(raise_on_error))  # type: ignore[misc]
        except FAILURES as error:
            raise self._as_ours(error) from error
