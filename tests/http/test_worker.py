"""The server of the API under clients that are slow, silent, rude or gone."""

import hashlib
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support.echo import LIMIT
from tests.support.processes import children, memory_kb
from tests.support.serving import Client, Server, chunked, get, post, serving

IMPATIENT = "tests.support.echo.Impatient"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with (
        (tmp_path_factory.mktemp("server") / "log").open("w+b") as output,
        serving(
            output, "--threads=4", worker="services.http.wire.worker.Worker"
        ) as running,
    ):
        yield running


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with (
        (tmp_path_factory.mktemp("impatient") / "log").open("w+b") as output,
        serving(output, "--threads=4", worker=IMPATIENT) as running,
    ):
        yield running


# -- what belongs to HTTP


def test_a_connection_is_kept_and_requests_may_come_at_once(server: Server) -> None:
    with server.connect() as client:
        first = client.ask(get("/one"))
        client.send(get("/two") + post(b"abc", path="/three") + get("/four"))
        rest = [client.receive() for _ in range(3)]

    assert first.json["path"] == "/one"
    assert [answer and answer.json["path"] for answer in rest] == [
        "/two",
        "/three",
        "/four",
    ]


def test_the_host_of_an_absolute_target_is_the_one_that_counts(server: Server) -> None:
    """RFC 9112, section 3.2.2: the Host header is ignored then."""
    with server.connect() as client:
        answer = client.ask(get("http://games.example:80/one?two", "Connection: close"))

    assert (answer.json["host"], answer.json["path"]) == ("games.example:80", "/one")


def test_a_body_arrives_as_it_was_sent(server: Server) -> None:
    body = bytes(range(256)) * 3
    wire = b"100\r\n" + body[:256] + b"\r\n200\r\n" + body[256:] + b"\r\n0\r\n\r\n"
    with server.connect() as client:
        known, in_chunks = client.ask(post(body)), client.ask(chunked(wire))

    for answer in (known, in_chunks):
        assert answer.json["sha256"] == hashlib.sha256(body).hexdigest()
        assert answer.json["length"] == str(len(body))


def test_whoever_waits_for_it_is_told_to_go_on(server: Server) -> None:
    head, body = post(b"abc", "Expect: 100-continue")[:-3], b"abc"
    with server.connect() as client:
        told = client.ask(head)
        answer = client.ask(body)

    assert told.status == 100
    assert answer.json["length"] == "3"


def test_old_clients_are_answered_and_left(server: Server) -> None:
    with server.connect() as client:
        answer = client.ask(b"GET / HTTP/1.0\r\n\r\n")

        assert answer.status == 200
        assert client.is_closed()


def test_no_more_is_promised_than_is_spoken(server: Server) -> None:
    with server.connect() as client:
        client.send(get("/").replace(b"HTTP/1.1", b"HTTP/1.3"))

        assert client.file.readline() == b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("request_", "status", "problem"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 400, "malformed-request"),
        (b"GET /\r\n\r\n", 400, "malformed-request"),
        (get("/", "no colon"), 400, "malformed-request"),
        (get("/", "Host: again"), 400, "malformed-request"),
        (
            get("/", "Idempotency-Key: a", "Idempotency-Key: b"),
            400,
            "malformed-request",
        ),
        (get("/" + "x" * 9000), 414, "target-too-long"),
        (get("/", f"A: {'x' * 9000}"), 431, "head-too-large"),
        (get("/", *(f"A{n}: x" for n in range(200))), 431, "head-too-large"),
        (get("/", "Expect: a miracle"), 417, "expectation-failed"),
        (post(b"x" * (LIMIT + 1)), 413, "body-too-large"),
        (post(b"", "Content-Length: 5"), 400, "malformed-request"),
        (get("/", "Content-Length: -5"), 400, "malformed-request"),
        (chunked(b"zz\r\n"), 400, "malformed-request"),
        (chunked(b"-10\r\n"), 400, "malformed-request"),
        (chunked(b"5\r\nhelloX\r\n"), 400, "malformed-request"),
        (chunked(b"0\r\nContent-Length: 5\r\n\r\n"), 400, "malformed-request"),
        (chunked(b"", "Content-Length: 5"), 400, "malformed-request"),
        (chunked(b"3e9\r\n"), 413, "body-too-large"),
        (
            get("/", "Transfer-Encoding: gzip, chunked"),
            501,
            "unsupported-transfer-coding",
        ),
        (get("/", "Transfer-Encoding: x"), 501, "unsupported-transfer-coding"),
    ],
)
def test_what_cannot_be_read_is_a_problem_and_the_end(
    server: Server, request_: bytes, status: int, problem: str
) -> None:
    """Where the next request begins is unknown, so none is read."""
    with server.connect() as client:
        answer = client.ask(request_ + get("/after"))

        assert (answer.status, answer.problem) == (status, problem)
        assert client.is_closed()
    assert "Traceback" not in server.log()


def test_what_no_app_has_read_is_refused_in_the_language_that_was_asked_for(
    server: Server,
) -> None:
    twice = ("Authorization: Bearer a", "Authorization: Bearer b")
    told = {}
    for language in ("tr", "hi-IN", "de"):
        with server.connect() as client:
            answer = client.ask(get("/", f"Accept-Language: {language}", *twice))
            told[answer.headers["content-language"]] = answer.json["detail"]
            assert answer.headers["vary"] == "Accept-Language"

    assert told == {
        "tr": "Authorization iki kez verilmiş",
        "hi": "Authorization दो बार दिया गया है",
        "en": "Authorization is given twice",
    }


def test_a_limit_may_be_higher_for_one_path(server: Server) -> None:
    with server.connect() as client:
        assert client.ask(post(b"x" * 50 * LIMIT, path="/large")).status == 200


# -- clients that hold things up


def hold(server: Server, stack: ExitStack, count: int, data: bytes) -> list[Client]:
    return [
        stack.enter_context(server.connect()).send(data)
        if data
        else stack.enter_context(server.connect())
        for _ in range(count)
    ]


def test_slow_clients_hold_up_nobody(server: Server) -> None:
    """Ten times as many as there are threads, in each way to be slow."""
    unread = get("/?bytes=20000000")
    with ExitStack() as stack:
        hold(server, stack, 40, b"")
        hold(server, stack, 40, b"GET / HTTP/1.1\r\nX: ")
        hold(server, stack, 40, post(b"x" * 100)[:-50])
        hold(server, stack, 40, chunked(b"100\r\n"))
        for reader in hold(server, stack, 3, unread):
            assert reader.file.readline().startswith(b"HTTP/1.1 200")
        with server.connect() as honest:
            assert all(honest.ask(get("/")).status == 200 for _ in range(20))


def test_who_has_left_holds_up_nobody(server: Server) -> None:
    """Were all computed, the last would wait for a quarter of a minute."""
    with ExitStack() as stack:
        hold(server, stack, 4, get("/?sleep=1.5"))
        for _ in range(60):
            with server.connect() as leaving:
                leaving.send(get("/?sleep=1"))
        began = time.monotonic()
        staying = stack.enter_context(server.connect())
        assert staying.ask(get("/mine")).json["path"] == "/mine"

    assert time.monotonic() - began < 6


def test_who_only_ends_its_own_half_is_answered(server: Server) -> None:
    with server.connect() as client:
        client.send(get("/all-that-i-ask"))
        client.socket.shutdown(socket.SHUT_WR)
        answer = client.receive()

    assert answer is not None
    assert answer.json["path"] == "/all-that-i-ask"


def test_half_a_request_is_refused_in_time(impatient: Server) -> None:
    """The time is for all of it: single bytes do not prolong it."""
    with impatient.connect() as head, impatient.connect() as body:
        body.send(post(b"x" * 100)[:-60])
        for byte in b"GET / HTTP/1.1\r\nHost: some":
            try:
                head.send(bytes([byte]))
            except (BrokenPipeError, ConnectionResetError):
                break
            time.sleep(0.1)
        answers = [client.receive() for client in (head, body)]

        assert [a and a.problem for a in answers] == ["request-timeout"] * 2
        assert body.is_closed()


def test_a_silent_client_is_left_alone_and_then_left(impatient: Server) -> None:
    with impatient.connect() as silent:
        assert silent.is_closed()


def test_an_answer_that_nobody_reads_is_dropped(impatient: Server) -> None:
    with impatient.connect() as client:
        client.send(get("/?bytes=50000000"))
        time.sleep(2.5)
        received = 0
        try:
            while data := client.file.read1(1 << 20):
                received += len(data)
        except ConnectionResetError:
            pass

    assert received < 50_000_000


def test_who_was_answered_and_stays_costs_nothing(server: Server) -> None:
    """A kept connection must not keep the answer that went over it."""
    with server.connect() as first:  # then there is a process that answers
        assert first.ask(get("/")).status == 200
    [pid] = children([server.process.pid])
    grown = []
    with ExitStack() as stack:
        for _ in range(60):
            [client] = hold(server, stack, 1, get("/?bytes=4000000"))
            answer = client.receive()
            assert answer is not None
            assert len(answer.body) == 4_000_000
            grown.append(memory_kb(pid))

    assert grown[-1] < grown[5] + 60_000


def test_more_than_there_is_room_for_is_refused(tmp_path: Path) -> None:
    """A crowd of whole requests must not fill the memory while it waits for threads."""
    large = post(b"x" * 100 * LIMIT, path="/large?sleep=0.5")
    with (
        (tmp_path / "log").open("w+b") as output,
        serving(output, "--threads=2", worker="tests.support.echo.Cramped") as server,
        ExitStack() as stack,
    ):
        crowd = hold(server, stack, 12, large)
        answers = [client.receive() for client in crowd]
        with server.connect() as later:
            assert later.ask(post(b"x" * LIMIT)).status == 200

    told = [answer and answer.status for answer in answers]
    assert set(told) <= {200, 503, None}  # None: still sending, and closed for room
    assert 2 <= told.count(200) < len(crowd)
    assert {a.problem for a in answers if a and a.status == 503} <= {"too-busy"}


def test_one_address_cannot_take_all_connections(impatient: Server) -> None:
    """It loses its own oldest ones; whoever comes from elsewhere finds room."""
    with ExitStack() as stack:
        crowd = hold(impatient, stack, 200, b"GET / HTTP/1.1\r\nX: ")
        with impatient.connect("127.0.0.2") as other, impatient.connect() as same:
            assert other.ask(get("/")).status == 200
            assert same.ask(get("/")).status == 200
        assert crowd[0].is_closed()


def test_what_was_begun_is_answered_before_the_end(tmp_path: Path) -> None:
    with (
        (tmp_path / "log").open("w+b") as output,
        serving(
            output,
            "--threads=2",
            "--graceful-timeout=10",
            worker="services.http.wire.worker.Worker",
        ) as server,
        server.connect() as client,
        server.connect() as idle,
    ):
        assert idle.ask(get("/")).status == 200
        client.send(get("/?sleep=1"))
        time.sleep(0.3)
        ending = threading.Thread(target=server.stop)
        ending.start()
        answer = client.receive()
        ending.join()

        assert answer is not None
        assert answer.headers["connection"] == "close"
        assert idle.is_closed()


def test_a_process_whose_threads_all_hang_is_started_again(tmp_path: Path) -> None:
    with (
        (tmp_path / "log").open("w+b") as output,
        serving(output, "--threads=2", "--timeout=2", worker=IMPATIENT) as server,
        server.connect() as first,
        server.connect() as second,
    ):
        for client in (first, second):
            client.send(get("/?sleep=1000"))
        assert first.is_closed()
        with server.connect() as honest:
            assert honest.ask(get("/")).status == 200

        assert "every thread hangs" in server.log()
