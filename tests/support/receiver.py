"""Receivers of webhooks: one in a thread, which answers as a test says, and a process.

``python -m tests.support.receiver PORT FILE SECRET`` verifies what comes by the
library of Standard Webhooks, and writes a line for each message before it answers.
"""

import json
import os
import ssl
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from standardwebhooks.webhooks import Webhook


@dataclass
class Message:
    """What came, and when: headers by lower-case name, the body as it was signed."""

    path: str
    headers: dict[str, str]
    body: bytes
    at: float = field(default_factory=time.monotonic)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def payload(self) -> dict[str, Any]:
        payload: dict[str, Any] = json.loads(self.body)
        return payload

    @property
    def said(self) -> tuple[str, int]:
        """Return the match and the version that it tells of."""
        data = self.payload["data"]
        return data["match"], data["version"]

    def verified(self, secret: str) -> Any:
        """Return the payload, verified as receivers do it."""
        return Webhook(secret).verify(self.body, self.headers)


@dataclass
class Answer:
    """What a receiver answers: when, and how slowly its bytes come."""

    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    after_s: float = 0.0
    between_bytes_s: float = 0.0


Behave = Callable[[Message], Answer]


def take(_: Message) -> Answer:
    """Take whatever comes."""
    return Answer()


class Receiver:
    """An HTTP server on a free port of the loopback, for the time of a test."""

    def __init__(
        self, behave: Behave = take, port: int = 0, tls: ssl.SSLContext | None = None
    ) -> None:
        self.behave = behave
        self.messages: list[Message] = []
        self.connections = 0
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.receiver = self
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        self.url = f"http{'s' if tls else ''}://127.0.0.1:{self.port}/hooks"
        serve = self._server.serve_forever
        thread = threading.Thread(target=serve, args=(0.02,), daemon=True)
        thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    receiver: Receiver

    def handle_error(self, *_: object) -> None:
        """Say nothing: senders that hang up are what is tested."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.receiver.connections += 1

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        message = Message(self.path, headers, body)
        receiver = self.server.receiver
        receiver.messages.append(message)
        answer = receiver.behave(message)
        time.sleep(answer.after_s)
        text = f"HTTP/1.1 {answer.status} x\r\n"
        sent = answer.headers | {"Content-Length": str(len(answer.body))}
        text += "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        data = text.encode() + b"\r\n" + answer.body
        if not answer.between_bytes_s:
            self.wfile.write(data)
            return
        for byte in data:
            self.wfile.write(bytes([byte]))
            time.sleep(answer.between_bytes_s)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def receiving(behave: Behave = take, **given: Any) -> Iterator[Receiver]:
    """Run a receiver for as long as the block lasts."""
    receiver = Receiver(behave, **given)
    try:
        yield receiver
    finally:
        receiver.close()


def main(port: str, path: str, secret: str) -> None:
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def note(message: Message) -> Answer:
        at = time.monotonic()
        message.verified(secret)
        data = message.payload["data"]
        facts = [data["match"], data["sequence"], data["version"], message.id, at]
        os.write(file, json.dumps(facts).encode() + b"\n")
        return Answer()

    Receiver(note, int(port))
    threading.Event().wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
