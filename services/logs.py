"""Logs are events too: a short constant message, facts as fields, one line each."""

import logging
import sys

import structlog
from structlog.typing import EventDict, WrappedLogger


def configure(process: str) -> None:
    """Write the logs of a process, of all of its threads, to standard error."""

    def name_process(_: WrappedLogger, __: str, entry: EventDict) -> EventDict:
        return {**entry, "process": process}

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
