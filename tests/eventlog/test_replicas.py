"""What is told of a stream is what the replicas of the server that told it hold."""

from collections.abc import Sequence
from typing import Any

import pytest
from redis.connection import AbstractConnection, Connection

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
