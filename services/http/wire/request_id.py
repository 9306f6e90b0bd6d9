"""The id of a request: what client, answer, problem and log call it by."""

import random
import re
from collections.abc import MutableMapping
from typing import Any

HEADER = "X-Request-Id"
KEPT = "seedlog.request_id"

_FORM = re.compile(r"[A-Za-z0-9._~+/=-]{1,64}")


def choose_id(given: str = "") -> str:
    """Return the id that a client has given, or a new one if that is not well formed.

    Well formed are 1 to 64 letters, digits and `._~+/=-`: it stands in logs.
    """
    if given and _FORM.fullmatch(given):
        return given
    return f"{random.getrandbits(64):016x}"  # no secret: the system is not asked


def id_of(environ: MutableMapping[str, Any]) -> str:
    """Return the id of a request, the same whenever it is asked for."""
    known: str | None = environ.get(KEPT)
    if known is None:
        known = environ[KEPT] = choose_id(environ.get("HTTP_X_REQUEST_ID", ""))
    return known
