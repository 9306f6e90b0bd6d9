"""The server that Prometheus asks: the library's own, for clients that may be slow."""

import socket
from contextlib import suppress
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref import simple_server

from prometheus_client import make_wsgi_app

READ_WITHIN_S = 5
"""So long a thread waits for a client that says nothing; the library's for ever."""


def make_server(port: int, host: str, registry: Any) -> simple_server.WSGIServer:
    """Return a server that listens, and tells the figures of a registry.

    :raises OSError: it cannot listen there.
    """
    kind = _Server6 if ":" in host else _Server
    app = make_wsgi_app(registry)
    return simple_server.make_server(host, port, app, kind, Handler)


class Handler(simple_server.WSGIRequestHandler):
    """Answers one request."""

    timeout = READ_WITHIN_S

    def handle(self) -> None:
        """Answer, unless nothing comes, or nobody takes the answer."""
        with suppress(TimeoutError, ConnectionError):
            super().handle()

    def log_message(self, *_: object) -> None:
        """Say nothing of who asks, every few seconds."""


class _Server(ThreadingMixIn, simple_server.WSGIServer):
    daemon_threads = True


class _Server6(_Server):
    address_family = socket.AF_INET6
