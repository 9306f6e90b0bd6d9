"""A server that does not speak Redis, where Redis or a Sentinel is to be."""

import socketserver
import threading
from collections.abc import Iterator

import pytest

from services.cli.redis_server import free_port
from services.eventlog import LogUnavailable, RedisEventLog
from services.eventlog.library import connect_redis


class Stranger(socketserver.StreamRequestHandler):
    """Answers everybody as a web server does who was asked in no words of its own."""

    def handle(self) -> None:
        self.rfile.readline()
        self.wfile.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")


@pytest.fixture(scope="module")
def stranger() -> Iterator[str]:
    """Return the address of one: it may have got the port of what is away."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Stranger) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield "{}:{}".format(*server.server_address)
        server.shutdown()


@pytest.fixture(
    params=["redis://{}/0", "redis+sentinel://{}/seedlog", "redis+cluster://{}"]
)
def url(request: pytest.FixtureRequest, stranger: str) -> str:
    return str(request.param).format(stranger)


def test_the_log_cannot_be_reached_there(url: str) -> None:
    with pytest.raises(LogUnavailable, match="Protocol error"):
        RedisEventLog(url).load("mat_1")


def test_nor_can_what_is_beside_it(url: str) -> None:
    with pytest.raises(LogUnavailable, match="Protocol error"):
        connect_redis(url).get("a")
    with pytest.raises(LogUnavailable, match="Protocol error"):
        connect_redis(url).pipeline(transaction=False).get("a").execute()


def test_who_was_the_stranger_is_told(stranger: str) -> None:
    """For operators, in the log: the other Sentinels may be right."""
    with pytest.raises(LogUnavailable, match=f"{stranger}: Protocol error"):
        connect_redis(f"redis+sentinel://{stranger}/seedlog").get("a")
    with pytest.raises(LogUnavailable, match=f"answer: {stranger}: Protocol error"):
        connect_redis(f"redis://{stranger}/0").pipeline().get("a").execute()
    log = RedisEventLog(f"redis://{stranger}/0")
    with pytest.raises(LogUnavailable, match=f"{stranger}: Protocol error"):
        log.load("mat_1")


def test_that_it_is_away_is_said_once() -> None:
    """By whoever follows a feed, too."""
    nowhere = f"127.0.0.1:{free_port()}"
    log = RedisEventLog(f"redis://{nowhere}/0")
    for ask in (log.check, lambda: log.follow({}, wait_s=0.1)):
        with pytest.raises(LogUnavailable) as told:
            ask()
        said = str(told.value)
        assert said.count("cannot be reached") == 1
        assert said.count(nowhere) == 1
