"""A stand-in for Redis where there is none: speaks its protocol, saves nothing."""

import signal
import sys
import threading

from fakeredis import TcpFakeServer
from fakeredis._clients._tcp_server import TCPFakeRequestHandler


class _Handler(TCPFakeRequestHandler):
    """Tells addresses as Redis does; the imitation's own form breaks CLIENT INFO."""

    def setup(self) -> None:
        super().setup()
        info = self.current_client.get_socket()._client_info
        for name in ("addr", "laddr"):
            host, port = info[name]
            info[name] = f"{host}:{port}"


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
