"""Logs are events too: a short constant message, facts as fields, one line each."""

import logging
import sys
import threading
import time
from contextvars import ContextVar

import structlog
from structlog.typing import EventDict, WrappedLogger

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The request that this thread answers now, if it answers one."""


def configure(process: str) -> None:
    """Write the logs of a process, of all of its threads, to standard error."""

    def name_process(_: WrappedLogger, __: str, entry: EventDict) -> EventDict:
        asked = request_id.get()
        return {**entry, "process": process, **({"request": asked} if asked else {})}

    structlog.configure(
        processors=[
            name_process,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.LogfmtRenderer(
                key_order=["timestamp", "level", "process", "event"]
            ),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )


class Seldom:
    """Warns of what may happen a thousand times a second, once in so many seconds."""

    def __init__(self, every_s: float) -> None:
        """Begin without a word said."""
        self._every_s = every_s
        self._lock = threading.Lock()
        self._said: dict[str, tuple[float, int]] = {}

    def warn(self, kind: str, message: str, **facts: object) -> None:
        """Write a line, unless one of that kind was written just now.

        The line says how *often* it came to this since the line before.
        """
        now = time.monotonic()
        with self._lock:
            said_at, unsaid = self._said.get(kind, (-self._every_s, 0))
            if now - said_at < self._every_s:
                self._said[kind] = (said_at, unsaid + 1)
                return
            self._said[kind] = (now, 0)
        structlog.get_logger().warning(message, often=unsaid + 1, **facts)
