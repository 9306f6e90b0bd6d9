"""A writer that never rests: what was acknowledged to it, and how long nothing was."""

import threading
import time

from services.eventlog import Head, LogUnavailable, RedisEventLog, VersionConflict
from tests.support.appending import NOTE, empty, moves, new_stream

REPEATED_AFTER_S = 0.02


class Writer:
    """Appends one event after the other to one stream, until it is told to stop."""

    def __init__(self, url: str, replicas: int = 1, stream: str = "") -> None:
        self._log = RedisEventLog(url, replicas=replicas)
        self.stream = stream or new_stream()
        self.head: Head = empty(self.stream)
        self.longest_ms = 0.0
        self.refused = 0
        self._is_stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self) -> "Writer":
        """Write for as long as the block lasts."""
        return self

    def __exit__(self, *_: object) -> None:
        """Write no more."""
        self.stop()

    def stop(self) -> None:
        self._is_stopped.set()
        self._thread.join()

    def lost(self, url: str) -> set[int]:
        """Return the versions that were acknowledged and are not in a log."""
        kept = RedisEventLog(url).read(self.stream)
        return {*range(1, self.head.version + 1)} - {event.version for event in kept}

    def _run(self) -> None:
        acknowledged_at = time.monotonic()
        while not self._is_stopped.is_set():
            try:
                self._append()
            except LogUnavailable:
                self.refused += 1
                time.sleep(REPEATED_AFTER_S)
                continue
            now = time.monotonic()
            self.longest_ms = max(self.longest_ms, (now - acknowledged_at) * 1000)
            acknowledged_at = now

    def _append(self) -> None:
        """Append an event; or find out that it was recorded before it was refused."""
        event = moves(1, after=self.head.version)
        try:
            appended = self._log.append(self.stream, self.head, event, NOTE)
        except VersionConflict as conflict:
            assert self._log.read(self.stream, self.head.version, 1) == event
            assert conflict.actual is not None
            self.head = conflict.actual.head
        else:
            assert appended.head is not None
            self.head = appended.head
