"""A stand-in for Redis where there is none: speaks its protocol, saves nothing."""

import signal
import sys
import threading

from fakeredis import TcpFakeServer


def serve(port: int) -> None:
    """Serve on a port of this host until a signal comes."""
    server = TcpFakeServer(("127.0.0.1", port), server_type="redis")
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    server.server_close()


if __name__ == "__main__":
    serve(int(sys.argv[1]))
