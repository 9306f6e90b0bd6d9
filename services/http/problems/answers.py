"""Answers with problems, in the language of whoever asks."""

import structlog
from flask import Response, request
from werkzeug import exceptions as http

from services import eventlog, limits
from services.http import refusals as requests
from services.http.context import services
from services.http.problems.table import find_problem
from services.http.teller import language_of_reader, mark_language
from services.http.wire.problem import MEDIA_TYPE, Problem
from services.http.wire.problems import INTERNAL
from services.http.wire.request_id import id_of
from services.languages import Message
from services.logs import Seldom

log = structlog.get_logger()

NOT_KEPT = "no-such-"
"""So begin the types that say that nothing is kept by a name."""

RETRY_AFTER_S = 1
SAID_EVERY_S = 10.0

_unavailable = Seldom(SAID_EVERY_S)


def problem_response(
    problem: Problem, error: Exception, detail: Message | str
) -> Response:
    """Return a problem as an answer, with the headers that belong to its status."""
    language = language_of_reader()
    response = Response(
        problem.body(error, detail, id_of(request.environ), language),
        problem.status,
        content_type=MEDIA_TYPE,
    )
    mark_language(response, language)
    if problem.status == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="seedlog"'
    if isinstance(error, requests.EncodedBody):
        response.headers["Accept-Encoding"] = "identity"
    if problem.status == 503:
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
    if isinstance(error, limits.RateExceeded):
        response.headers["Retry-After"] = str(error.retry_after_s)
    if isinstance(error, http.RequestedRangeNotSatisfiable) and error.length:
        response.headers["Content-Range"] = f"{error.units} */{error.length}"
    if isinstance(error, http.MethodNotAllowed) and error.valid_methods:
        response.headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return response


def answer_problem(error: Exception) -> Response:
    """Answer with the problem of an exception; an unknown one is ours, and logged.

    So is why the log is unavailable: that may name hosts, and nobody else is told.
    """
    problem, detail = find_problem(error)
    if problem is INTERNAL:
        log.exception("internal error", exc_info=error)
    elif isinstance(error, eventlog.LogUnavailable):
        _unavailable.warn(problem.type, "the event log is unavailable", reason=error)
    return problem_response(problem, error, detail)


def answer_refusal(error: Exception) -> Response:
    """Answer a request with the problem of an exception.

    What is not found may be kept in the log that this one was.
    """
    problem, _ = find_problem(error)
    if problem.status == 404 and problem.type.startswith(NOT_KEPT):
        try:
            services().event_log.recognize()
        except (eventlog.LogUnavailable, eventlog.LogDamaged) as trouble:
            error = trouble
    return answer_problem(error)
