"""A WSGI app that tells what reached it, and a worker with little patience."""

import hashlib
import json
import time
from collections.abc import Callable, Iterable
from typing import Any
from urllib.parse import parse_qs

from services.http.wire import connections
from services.http.wire.connections import State
from services.http.wire.limits import BODY_LIMITS
from services.http.wire.worker import Worker

LIMIT = 1000


class Impatient(Worker):
    """Waits for a fraction of the time that the real one gives, for fewer clients."""

    within_s = {  # noqa: RUF012
        State.HEAD: 1.0,
        State.BODY: 1.0,
        State.IDLE: 30.0,
        State.WRITING: 1.0,
        State.LINGERING: 0.5,
    }
    hung_s = 1.0
    most_connections = 64


class Cramped(Worker):
    """Keeps little of what has come and waits."""

    def init_process(self) -> None:
        connections.HELD_BYTES = 500 * LIMIT
        super().init_process()


class Echo:
    """Answers with method, path and body of a request; the query says in what way."""

    config = {BODY_LIMITS: {"": LIMIT, "/large": 100 * LIMIT}}  # noqa: RUF012

    def __call__(
        self, environ: dict[str, Any], start_response: Callable[..., Any]
    ) -> Iterable[bytes]:
        body = environ["wsgi.input"].read()
        asked = parse_qs(environ["QUERY_STRING"])
        if "sleep" in asked:
            time.sleep(float(asked["sleep"][0]))
        told = {
            "method": environ["REQUEST_METHOD"],
            "path": environ["PATH_INFO"],
            "host": environ.get("HTTP_HOST"),
            "length": environ["CONTENT_LENGTH"],
            "sha256": hashlib.sha256(body).hexdigest(),
        }
        answer = json.dumps(told).encode()
        if "bytes" in asked:
            answer = b"x" * int(asked["bytes"][0])
        start_response("200 OK", [("Content-Length", str(len(answer)))])
        return [answer]


app = Echo()
