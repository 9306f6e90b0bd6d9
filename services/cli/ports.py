"""Whether the ports of a stack are free: asked before anything is set up for it.

It needs nothing but Python's own library, so that `make up` can ask first.
"""

import errno
import os
import socket
import sys

NO_ADDRESS_OF_HERE = (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT)


class PortTaken(Exception):
    """A port cannot be used; says which, why, and what to set."""


def check_port(
    host: str, port: int, setting: str, host_setting: str = "SEEDLOG_HOST"
) -> None:
    """Do nothing if a server could listen there.

    :raises PortTaken: it could not; says which of the two settings is to be another.
    """
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            what, remedy = f"port {port} of {host}", f"set {setting} to another one"
            if isinstance(error, socket.gaierror) or error.errno in NO_ADDRESS_OF_HERE:
                what, remedy = host, f"set {host_setting} to an address of this host"
            said = f"{what} cannot be used ({error.strerror}); {remedy}"
            raise PortTaken(said) from error
        except OverflowError as error:
            raise PortTaken(
                f"port {port} of {host} cannot be used (there is none); "
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
