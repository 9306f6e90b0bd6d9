"""A gunicorn with our worker, and a client that sends what it likes."""

import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import orjson

from services.cli.redis_server import free_port
from tests.support.patience import wait_for

PATIENCE_S = 20.0


@dataclass
class Answer:
    """What came back: the status, the headers by lower-case name, the body."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return orjson.loads(self.body)

    @property
    def problem(self) -> str:
        assert self.headers["content-type"] == "application/problem+json", self
        assert self.json["status"] == self.status
        return str(self.json["type"]).removeprefix("/problems/")


class Client:
    """One connection, written to byte by byte."""

    def __init__(self, port: int, source: str = "127.0.0.1") -> None:
        self.socket = socket.create_connection(
            ("127.0.0.1", port), PATIENCE_S, source_address=(source, 0)
        )
        self.file = self.socket.makefile("rb")

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self.file.close()
        self.socket.close()

    def send(self, data: bytes) -> "Client":
        self.socket.sendall(data)
        return self

    def receive(self, method: str = "GET") -> Answer | None:
        """Return the next answer; None if the connection ended without one."""
        try:
            line = self.file.readline()
        except ConnectionResetError:
            return None
        status_line = re.fullmatch(rb"HTTP/1\.[01] (\d{3}) [^\r\n]*\r\n", line)
        if status_line is None:
            assert line == b"", line
            return None
        status, headers = int(status_line[1]), {}
        while (line := self.file.readline().rstrip(b"\r\n")) != b"":
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        length = int(headers.get("content-length", 0))
        body = b"" if method == "HEAD" else self.file.read(length)
        return Answer(status, headers, body)

    def ask(self, data: bytes) -> Answer:
        answer = self.send(data).receive()
        assert answer is not None, "the connection was closed without an answer"
        return answer

    def is_closed(self) -> bool:
        """Wait for the other side to close; False if it says something instead."""
        try:
            return self.file.read(1) == b""
        except ConnectionResetError:
            return True


@dataclass
class Server:
    """A running gunicorn."""

    process: "subprocess.Popen[bytes]"
    port: int
    output: Any

    def connect(self, source: str = "127.0.0.1") -> Client:
        return Client(self.port, source)

    def log(self) -> str:
        self.output.flush()
        self.output.seek(0)
        return str(self.output.read().decode())

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE_S)


def get(path: str = "/", *headers: str) -> bytes:
    """Return a request without a body."""
    lines = [f"GET {path} HTTP/1.1", "Host: test", *headers, "", ""]
    return "\r\n".join(lines).encode()


def post(body: bytes, *headers: str, path: str = "/") -> bytes:
    """Return a request with a body of a known length."""
    lines = [f"POST {path} HTTP/1.1", "Host: test", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + body


def chunked(wire: bytes, *headers: str, path: str = "/") -> bytes:
    """Return a request whose body stands in chunks on the wire, as given."""
    lines = [f"POST {path} HTTP/1.1", "Host: test", "Transfer-Encoding: chunked"]
    return "\r\n".join([*lines, *headers, "", ""]).encode() + wire


@contextmanager
def serving(
    output: Any,
    *arguments: str,
    worker: str,
    app: str = "tests.support.echo:app",
    **settings: str,
) -> Iterator[Server]:
    """Run gunicorn on the echo, or another app, for as long as the block lasts."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", f"--worker-class={worker}"]
    command += [f"--bind=127.0.0.1:{port}", "--no-control-socket", *arguments]
    process = subprocess.Popen(
        [*command, "--log-level=warning", app],
        stderr=output,
        env={**os.environ, **settings},
    )
    server = Server(process, port, output)
    try:
        wait_for("gunicorn", lambda: not server.connect().close(), process)
        yield server
    finally:
        if process.poll() is None:
            server.stop()
