"""What is told of a stream is what the replicas of the server that told it hold."""

from collections.abc import Sequence
from typing import Any

import pytest
from redis.connection import AbstractConnection, Connection
from redis.exceptions import AskError, MovedError

from services.eventlog import LogUnavailable, TooFewReplicas
from services.eventlog.cluster_connections import ClusterConnections, _Told
from services.eventlog.connection import Connections, LostConnection
from services.eventlog.replicas import Replicas
from services.languages import Message


class Followed(Connections):
    """A server that dies while it is waited for; another one holds its own."""

    def __init__(self) -> None:
        super().__init__("redis://nowhere")
        self.dies = True

    def _connection(self) -> AbstractConnection:
        return Connection()

    def _exchange(
        self, connection: AbstractConnection, commands: Sequence[Sequence[Any]]
    ) -> list[Any]:
        if self.dies:
            self.dies = False
            raise LostConnection(Message("it is gone"))
        return [2] * len(commands)


@pytest.mark.parametrize("is_spread", [False, True])
def test_who_followed_vouches_for_nothing_that_was_read_before(
    is_spread: bool,
) -> None:
    """What only the dead one had was told as held, and never was."""
    replicas = Replicas(Followed(), 2, 500, is_spread=is_spread)
    with pytest.raises(LostConnection):
        replicas.await_everywhere()
    replicas.await_everywhere()

    replicas = Replicas(Followed(), 2, 500, is_spread=is_spread)
    with pytest.raises(LostConnection):
        replicas.await_marked("s:{1}:mat_1", 1, "7")
    replicas.await_marked("s:{1}:mat_1", 1, "7")


class Server(Connections):
    """One server of a cluster: an old one sends whoever comes to the new one."""

    def __init__(self, refusal: type[AskError] | None, replicas: int) -> None:
        self.asked: list[str] = []
        self._refusal = refusal
        self._replicas = replicas

    def converse(self, commands: Sequence[Sequence[Any]]) -> list[Any]:
        self.asked += [str(command[0]) for command in commands]
        return [self._answer(str(command[0])) for command in commands]

    def close(self) -> None:
        pass

    def _answer(self, command: str) -> Any:
        if command == "WAIT":
            return self._replicas
        return self._refusal("1 new:1") if self._refusal else "OK"


class Moving(ClusterConnections):
    """A cluster in which a slot is leaving the server that told of it."""

    def __init__(self, old: Server, new: Server) -> None:
        self._servers = {"old": old, "new": new}
        self.servers = self  # type: ignore[assignment]
        self._told = _Told()
        self._home = "old"
        self._of = self._servers  # type: ignore[assignment]

    def url_of(self, _: int) -> str:
        return self._home

    def note_moved(self, _: object) -> None:
        self._home = "new"

    def follow(self, _: object) -> str:
        return "new"

    def at(self, url: str) -> Connections:
        return self._servers[url]


@pytest.mark.parametrize("refusal", [MovedError, AskError])
def test_who_has_the_slot_now_vouches_for_nothing_that_was_read_before(
    refusal: type[AskError],
) -> None:
    old, new = Server(refusal, 0), Server(None, 1)
    replicas = Replicas(Moving(old, new), 1, 500, is_spread=True)

    with pytest.raises(LogUnavailable):
        replicas.await_marked("s:{1}:mat_1", 1, "7")

    assert old.asked[0] == "EVAL"
    assert not new.asked


def test_nor_does_it_where_another_thread_has_learned_of_it_meanwhile() -> None:
    old, new = Server(None, 0), Server(None, 1)
    cluster = Moving(old, new)
    replicas = Replicas(cluster, 1, 500, is_spread=True)
    cluster.call("HGET", "m:{1}:mat_1:st", "u")

    cluster.note_moved(None)
    with pytest.raises(TooFewReplicas):
        replicas.await_marked("m:{1}:mat_1:st", 1, "7")

    assert not new.asked

    cluster.call("HGET", "m:{1}:mat_1:st", "u")  # who tells it now holds it
    replicas.await_marked("m:{1}:mat_1:st", 1, "7")


def test_the_first_server_that_lacks_its_replicas_ends_a_wait_for_all() -> None:
    """Sixty-four waits, of a second each, would hold a request for a minute."""
    alone = Server(None, 0)
    replicas = Replicas(Moving(alone, alone), 1, 500, is_spread=True)

    with pytest.raises(TooFewReplicas):
        replicas.await_everywhere()

    assert alone.asked.count("EVAL") == 1
