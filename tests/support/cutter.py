"""A bad network between a client and a server: connections are cut, or fall silent."""

import random
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Cutter:
    """Passes bytes on, on a port of its own, until it cuts the connection instead.

    A request that is cut was not read; an answer that is cut was given, and half of it
    or nothing came back.
    """

    def __init__(self, upstream: tuple[str, int], seed: int = 0) -> None:
        self.upstream = upstream
        self.chance = random.Random(seed)
        self.cut_requests = 0.0
        """How often a request is lost."""
        self.cut_answers = 0.0
        """How often an answer, or a piece of one, is lost."""
        self.cut_next = ""
        """The next request is lost for sure (`before`), or its answer (`after`)."""
        self.mute = 0
        """So many of the next connections are answered by nothing, and stay open."""
        self.connections = 0
        self.cuts = 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        is_mute, self.mute = self.mute > 0, max(self.mute - 1, 0)
        try:
            server = socket.create_connection(self.upstream, timeout=30)
        except OSError:
            client.close()
            return
        told = {"is_answer": True, "is_mute": is_mute}
        back = threading.Thread(
            target=self._pass, args=(server, client), kwargs=told, daemon=True
        )
        back.start()
        self._pass(client, server)
        back.join()
        client.close()
        server.close()

    def _pass(
        self,
        source: socket.socket,
        to: socket.socket,
        *,
        is_answer: bool = False,
        is_mute: bool = False,
    ) -> None:
        """Pass on what comes from one side, until chance or a side has enough."""
        with suppress(OSError):
            while data := source.recv(65536):
                chance = self.cut_answers if is_answer else self.cut_requests
                is_next = self.cut_next == ("after" if is_answer else "before")
                if is_next or self.chance.random() < chance:
                    self.cut_next = ""
                    self.cuts += 1
                    if is_answer and self.chance.random() < 0.5:
                        to.sendall(data[: len(data) // 2])
                    break
                if not is_mute:
                    to.sendall(data)
        for side in (source, to):
            with suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)


@contextmanager
def cutting(port: int) -> Iterator[Cutter]:
    """Stand before a port of this machine for as long as the block lasts."""
    cutter = Cutter(("127.0.0.1", port))
    try:
        yield cutter
    finally:
        cutter.close()
