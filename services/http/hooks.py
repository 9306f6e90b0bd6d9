"""What is done before and after each request, of the API and of streams alike."""

import re
from functools import lru_cache

from flask import Flask, Response, request
from werkzeug import exceptions as http

from services.http import limits, observed, origins
from services.http import refusals as requests
from services.http.context import services
from services.http.origins import Origins
from services.http.problems import answer_problem, answer_refusal
from services.http.wire.problem import MEDIA_TYPE
from services.http.wire.request_id import HEADER, id_of
from services.languages import load_languages

TOLD_BY_PAGE = "seedlog.told_by_page"
"""Says in the environ of a request that its refusal is no problem, but a page."""

GUARDS = (("X-Content-Type-Options", "nosniff"), ("Cache-Control", "no-store"))

_HOST = re.compile(
    r"(?:(?![.-])(?!.*\.\.)([a-z0-9_.-]{1,253})|\[([0-9a-f:.]+)\])(?::(\d{1,5}))?"
)
PORTS = range(1, 65_536)


def register(app: Flask, allowed: Origins) -> None:
    """Answer every exception of an app with a problem, and every request by its id.

    Where pages of other origins are *allowed*, they may read all of it.
    """
    load_languages()  # rather now than in the loop of a server, while others wait
    app.register_error_handler(Exception, answer_refusal)
    app.before_request(observed.begin)
    app.before_request(check_host)
    origins.register(app, allowed)
    limits.register(app)
    app.before_request(check_log)  # a browser that asks first is answered by then
    app.after_request(guard)  # before the above: those that are added last come first


def check_host() -> None:
    """Refuse a request for another host than those of the settings, if these say any.

    Whoever asks for its health asks this process, by whatever address.

    :raises UnknownHost: what is built on its name would lead elsewhere.
    """
    environ = request.environ
    given, path = environ.get("HTTP_HOST", ""), environ["PATH_INFO"]
    allowed = "" if path.startswith("/health/") else services().settings.hosts
    if not _is_served(given, allowed):
        raise requests.UnknownHost(given)


def check_log() -> None:
    """Refuse who would read or write beside a log that is not the one it was.

    What games there are is known without one.

    :raises LogGone: it is another one, as was found within a second.
    """
    path = request.environ["PATH_INFO"]
    if path.startswith("/v1/") and not path.startswith("/v1/games"):
        services().event_log.watch()


@lru_cache(maxsize=1024)
def _is_served(given: str, allowed: str) -> bool:
    host = _HOST.fullmatch(given.lower())
    if host is None or (host[3] and int(host[3]) not in PORTS):
        return False
    return not allowed or (host[1] or host[2]) in allowed.lower().split()


def guard(response: Response) -> Response:
    """Let nobody guess another type for an answer, nor keep what says nothing of it.

    What a library refuses by itself becomes a problem like everything else.
    """
    is_told = response.mimetype == MEDIA_TYPE or TOLD_BY_PAGE in request.environ
    if response.status_code >= 400 and not is_told:
        response = answer_problem(http.default_exceptions[response.status_code]())
    present = {name.lower() for name, _ in response.headers}
    for name, value in GUARDS:
        if name.lower() not in present:
            response.headers.add(name, value)
    response.headers.add(HEADER, id_of(request.environ))
    observed.finish(response)
    return response
