"""Whether the ports of a stack are free: asked before anything is set up for it.

It needs nothing but Python's own library, so that `make up` can ask first.
"""

import os
import socket
import sys


class PortTaken(Exception):
    """A port cannot be used; says which, why, and what to set."""


def check_port(host: str, port: int, setting: str) -> None:
    """Do nothing if a server could listen there.

    :raises PortTaken: it could not.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (OSError, OverflowError) as error:
            why = error.strerror if isinstance(error, OSError) else "there is none"
            raise PortTaken(
                f"port {port} of {host} cannot be used ({why}); "
                f"set {setting} to another one"
            ) from error


def reachable(host: str) -> str:
    """Return where a server is asked on this host that listens to *host*."""
    return "127.0.0.1" if host in ("", "0.0.0.0") else host  # noqa: S104


def main() -> None:
    """Check the ports that the environment names; what is no number is told later."""
    host = os.environ.get("SEEDLOG_HOST") or "127.0.0.1"
    first = os.environ.get("SEEDLOG_PORT") or "8000"
    second = os.environ.get("SEEDLOG_STREAM_PORT") or ""
    if not (first + second).isdecimal():
        return
    try:
        check_port(host, int(first), "SEEDLOG_PORT")
        check_port(host, int(second or int(first) + 1), "SEEDLOG_STREAM_PORT")
    except PortTaken as error:
        sys.exit(f"seedlog: {error}")


if __name__ == "__main__":
    main()
