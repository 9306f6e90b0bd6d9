"""What is counted, measured and logged of every request, once it is answered.

By its operation, which the code names, and never by its path; the log alone tells of
which match it was. A request that waits for a reply is put to the app twice, and is
counted the first time, when what it asks for is on record.
"""

import re
import time
from typing import Any, cast

import structlog
from flask import Request, Response, request

from services import logs, traces
from services.http.wire.later import LATER, Later
from services.http.wire.request_id import id_of
from services.http.wire.times import WHOLE_AT
from services.metrics.figures import REQUEST_SECONDS

METHODS = frozenset(("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"))
UNKNOWN = "unknown"
PROBES = "health."
"""Operations without a line, and without a trace: somebody asks every few seconds."""
STATUS_CLASSES = ("", "1xx", "2xx", "3xx", "4xx", "5xx")

_MATCH_ID = re.compile(r"mat_[A-Za-z0-9_-]{1,64}")

log = structlog.get_logger()


def begin() -> None:
    """Note when a request came; from here on the log of this thread names it."""
    environ = request.environ
    later: Later | None = environ.get(LATER)
    if later is not None and later.kept is not None:
        environ.pop(WHOLE_AT, None)  # it was counted before it waited
    else:
        environ.setdefault(WHOLE_AT, time.monotonic())
        if traces.active is not None and not _is_probe(request.endpoint):
            traces.active.begin_request(environ)
    logs.request_id.set(id_of(environ))


def finish(response: Response) -> None:
    """Count a request, and tell of it where that is wanted."""
    asked: Request = cast(Any, request)._get_current_object()  # once, for it is dear
    environ = asked.environ
    whole_at: float | None = environ.pop(WHOLE_AT, None)  # a stream may yet be refused
    if whole_at is not None:
        took_s = time.monotonic() - whole_at
        operation = asked.endpoint or UNKNOWN
        method = asked.method if asked.method in METHODS else UNKNOWN
        status = response.status_code
        REQUEST_SECONDS.observe(
            took_s, method, operation, STATUS_CLASSES[status // 100]
        )
        if traces.active is not None:
            traces.active.finish_request(environ, operation, method, status)
        if logs.has_access_log() and not _is_probe(operation):
            _tell(asked, method, operation, status, took_s)
    logs.request_id.set("")


def _is_probe(operation: str | None) -> bool:
    return operation is not None and operation.startswith(PROBES)


def _tell(
    asked: Request, method: str, operation: str, status: int, took_s: float
) -> None:
    """Write the line of a request; of what its path names, the match if it is one."""
    named = str((asked.view_args or {}).get("match_id", ""))
    match = {"match": named} if _MATCH_ID.fullmatch(named) else {}
    log.info(
        "request",
        method=method,
        operation=operation,
        status=status,
        ms=round(took_s * 1000, 1),
        address=asked.remote_addr,
        **match,
    )
