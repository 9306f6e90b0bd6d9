"""What is counted, measured and logged of every request, once it is answered.

By its operation, which the code names, and never by its path; the log alone tells of
which match it was. A request that waits for a reply is put to the app twice, and is
counted the first time, when what it asks for is on record.
"""

import time
from typing import Any

import structlog
from flask import Response, request

from services import logs
from services.http.wire.later import LATER, Later
from services.http.wire.request_id import id_of
from services.http.wire.times import WHOLE_AT
from services.metrics.figures import REQUEST_SECONDS, REQUESTS

METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
UNKNOWN = "unknown"
PROBES = "health."
"""Operations without a line: somebody asks every few seconds."""
STATUS_CLASSES = ("", "1xx", "2xx", "3xx", "4xx", "5xx")

log = structlog.get_logger()


def begin() -> None:
    """Note when a request came; from here on the log of this thread names it."""
    environ = request.environ
    environ.setdefault(WHOLE_AT, time.monotonic())
    logs.request_id.set(id_of(environ))


def finish(response: Response) -> None:
    """Count a request, and tell of it where that is wanted."""
    environ = request.environ
    later: Later | None = environ.get(LATER)
    if later is None or later.kept is None:
        took_s = time.monotonic() - environ[WHOLE_AT]
        operation = request.endpoint or UNKNOWN
        method = request.method if request.method in METHODS else UNKNOWN
        REQUESTS.add(method, operation, STATUS_CLASSES[response.status_code // 100])
        REQUEST_SECONDS.observe(took_s, method, operation)
        if logs.has_access_log() and not operation.startswith(PROBES):
            _tell(method, operation, response.status_code, took_s)
    logs.request_id.set("")


def _tell(method: str, operation: str, status: int, took_s: float) -> None:
    """Write the line of a request; of what its path names, the ids that are ours."""
    named: dict[str, Any] = request.view_args or {}
    match = {"match": named["match_id"]} if "match_id" in named else {}
    log.info(
        "request",
        method=method,
        operation=operation,
        status=status,
        ms=round(took_s * 1000, 1),
        address=request.remote_addr,
        **match,
    )
