"""A stand-in for Redis where there is none: speaks its protocol, saves nothing."""

import signal
import sys
import threading
from typing import Any

from fakeredis import TcpFakeServer
from fakeredis._clients._tcp_server import TCPFakeRequestHandler
from redis.exceptions import ResponseError


class _Handler(TCPFakeRequestHandler):
    """Does as Redis does in two things that the imitation does otherwise.

    It tells addresses without a blank (CLIENT INFO), and it keeps the connection after
    an error, such as a script that is not known yet.
    """

    def setup(self) -> None:
        super().setup()
        info = self.current_client.get_socket()._client_info
        for name in ("addr", "laddr"):
            host, port = info[name]
            info[name] = f"{host}:{port}"
        read = self.current_client.read_response

        def read_or_error(**given: Any) -> Any:
            try:
                return read(**given)
            except ResponseError as error:
                return error  # written as an error, and the next command is read

        setattr(self.current_client, "read_response", read_or_error)  # noqa: B010


def serve(port: int) -> None:
    """Serve on a port of this host until a signal comes."""
    server = TcpFakeServer(("127.0.0.1", port), server_type="redis")
    server.RequestHandlerClass = _Handler
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    server.server_close()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
