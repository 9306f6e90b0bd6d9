"""Logs are events too: a short constant message, facts as fields, one line each.

A line names the request or the job that it belongs to. Where it is wanted, there is a
line for each request, append, job and webhook: by match and version one goes from a
request to what it recorded, to the jobs that follow from it, and to what these record.
"""

import logging
import sys
import threading
import time
from contextvars import ContextVar

import structlog
from structlog.typing import EventDict, WrappedLogger

request_id: ContextVar[str] = ContextVar("request_id", default="")
"""The request that this thread answers now, if it answers one."""

job_id: ContextVar[str] = ContextVar("job_id", default="")
"""The job that this thread carries out now, if it does."""

_access_log = False

ABSENT_EVERY_S = 60
MOST_KINDS = 100
"""Of so many it is remembered when they were said."""


def configure(
    process: str, level: str = "info", *, has_access_log: bool = False
) -> None:
    """Write the logs of a process, of all of its threads, to standard error."""
    global _access_log
    _access_log = has_access_log

    def name_process(_: WrappedLogger, __: str, entry: EventDict) -> EventDict:
        named = {"process": process}
        if asked := request_id.get():
            named["request"] = asked
        if working_on := job_id.get():
            named["job"] = working_on
        return {**entry, **named}

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
        wrapper_class=structlog.make_filtering_bound_logger(
            logging.getLevelNamesMapping()[level.upper()]
        ),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )


def has_access_log() -> bool:
    """Tell whether each request, append, job and webhook has a line of its own."""
    return _access_log


class LibraryLines(logging.Handler):
    """Writes what a library logs into our log: one line each, in our form."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line."""
        structlog.get_logger().log(
            record.levelno, record.getMessage(), exc_info=record.exc_info
        )


class Seldom:
    """Warns of what may happen a thousand times a second, once in so many seconds."""

    def __init__(self, every_s: float) -> None:
        """Begin without a word said."""
        self._every_s = every_s
        self._lock = threading.Lock()
        self._said: dict[str, tuple[float, int]] = {}

    def warn(self, kind: str, message: str, **facts: object) -> bool:
        """Write a line, unless one of that kind was written just now; tell whether.

        The line says how *often* it came to this since the line before.
        """
        now = time.monotonic()
        with self._lock:
            said_at, unsaid = self._said.get(kind, (-self._every_s, 0))
            if now - said_at < self._every_s:
                self._said[kind] = (said_at, unsaid + 1)
                return False
            if len(self._said) >= MOST_KINDS:
                self._said.clear()
            self._said[kind] = (now, 0)
        structlog.get_logger().warning(message, often=unsaid + 1, **facts)
        return True


class Absence:
    """Says that something waits for what is away, and that it goes on.

    It may wait for hours, and look again each moment: a minute has one line of each
    reason. A thread may say that it waits while another goes on.
    """

    def __init__(self, waits: str, goes_on: str) -> None:
        """Take both messages: constant and short, as all are."""
        self._waits, self._goes_on = waits, goes_on
        self._seldom = Seldom(ABSENT_EVERY_S)
        self._since: float | None = None

    def note(self, error: Exception, **facts: object) -> None:
        """Say that it waits, and why: a cause is one, whatever is said before it."""
        reason = str(error)
        cause = getattr(error, "reason", "") or reason
        is_said = self._seldom.warn(cause, self._waits, **facts, reason=reason)
        if is_said and self._since is None:
            self._since = time.monotonic()

    def over(self, **facts: object) -> None:
        """Say that it goes on, if it was said that it waits."""
        since, self._since = self._since, None
        if since is not None:
            waited_s = round(time.monotonic() - since, 1)
            structlog.get_logger().info(self._goes_on, **facts, waited_s=waited_s)
