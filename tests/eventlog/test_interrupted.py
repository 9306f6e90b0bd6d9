"""Whoever is interrupted while Redis answers owes nobody else that answer."""

import threading
from collections.abc import Sequence
from typing import Any, NoReturn

import pytest
from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import TimeoutError as RedisTimeoutError
from redis.retry import Retry

from services.eventlog import connection
from services.eventlog.cluster_connections import ClusterConnections
from services.eventlog.connection import Connections
from services.eventlog.pools import MasterConnection, pool_of


class TimeIsOver(BaseException):
    """What strikes a worker wherever it is, as an alarm does."""


def strike(*_: Any) -> NoReturn:
    raise TimeIsOver


def test_an_answer_that_was_not_read_is_not_that_of_the_next_question(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    redis = Connections(redis_url)
    redis.call_all([("SET", "a", "of a"), ("SET", "b", "of b")])
    with monkeypatch.context() as patched:
        patched.setattr(connection, "_read", strike)
        with pytest.raises(TimeIsOver):
            redis.call("GET", "a")

    assert redis.call("GET", "b") == "of b"


def test_a_master_that_is_late_to_tell_its_role_is_asked_anew(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next command would have had its role for an answer."""
    late = [True]

    class Late(MasterConnection):
        def read_response(self, *args: Any, **options: Any) -> Any:
            if late and late.pop():
                if options.get("disconnect_on_error"):
                    self.disconnect()  # type: ignore[no-untyped-call]
                raise RedisTimeoutError("late")
            return super().read_response(*args, **options)

    place = redis_url.removeprefix("redis://").split("/")[0]
    pool = pool_of(f"redis+sentinel://{place}/seedlog", retry=Retry(NoBackoff(), 1))
    pool.connection_class = Late
    host, port = place.split(":")
    monkeypatch.setattr(
        pool.proxy,  # type: ignore[attr-defined]
        "get_master_address",
        lambda: (host, int(port)),
    )
    redis = Redis(connection_pool=pool)

    redis.set("a", "of a")

    assert not late
    assert redis.get("a") == b"of a"


class Opening(Connections):
    """Another thread meets a server while this one is closed."""

    def __init__(self, others: ClusterConnections) -> None:
        super().__init__("redis://one:1")
        self._others = others

    def close(self) -> None:
        opening = threading.Thread(target=self._others.at, args=("redis://two:2",))
        opening.start()
        opening.join()


class Known(ClusterConnections):
    def __init__(self, servers: Sequence[str]) -> None:
        super().__init__("redis+cluster://one:1", None, timeout_s=1, script="")  # type: ignore[arg-type]
        self._of = {server: Opening(self) for server in servers}


def test_others_may_meet_new_servers_while_one_leaves_all() -> None:
    Known(["redis://one:1", "redis://three:3"]).close()
