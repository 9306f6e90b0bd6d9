"""Where gunicorn writes an answer to, before any of it is sent."""


class Outgoing:
    """Takes what gunicorn writes to a socket, and keeps it until it is whole."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.data = bytearray()

    def sendall(self, data: bytes) -> None:
        """Keep what is to be sent."""
        self.data += data
