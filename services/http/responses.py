"""Answers in JSON, with the ETag of what they show."""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

from flask import Response, request

from services.http.flask_app import WholeResponse
from services.http.refusals import AnotherVersion
from services.http.teller import Teller
from services.match import Match


def json_response(
    body: object, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return an answer in JSON."""
    teller = Teller()
    text = teller.json(body)
    response = WholeResponse(text, status, headers, content_type="application/json")
    teller.mark(response)
    return response


def tagged_response(body: object, version: int, *, frozen: bool = False) -> Response:
    """Return an answer with a strong ETag, or 304 if the client has it already.

    The ETag is `"<version>-<digest of the body>"`: names may change without a version.

    :raises AnotherVersion: If-Match names another one than there is.
    """
    teller = Teller()
    text = teller.json(body)
    tag = f"{version}-{hashlib.sha256(text).hexdigest()[:8]}"
    response = Response(text, content_type="application/json")
    teller.mark(response)
    response.set_etag(tag)
    response.headers["Cache-Control"] = (
        "private, max-age=86400, immutable" if frozen else "private, no-cache"
    )
    if not _is_named(tag, version):
        raise AnotherVersion(tag)
    # That If-Match names this is known by now: to Werkzeug only whole tags are names.
    asked = {k: v for k, v in request.environ.items() if k != "HTTP_IF_MATCH"}
    return response.make_conditional(asked)  # type: ignore[return-value]


def _is_named(tag: str, version: int) -> bool:
    """Tell whether If-Match, if there is one, names this: by its tag or its version."""
    named = request.if_match
    return not named or named.star_tag or bool({tag, str(version)} & named.as_set())


def version_headers(match: Match) -> dict[str, str]:
    """Return the headers that tell a match's version."""
    return {"ETag": f'"{match.version}"'}


def list_json(rows: Iterable[Any], next_cursor: str | None) -> dict[str, Any]:
    """Return a page of a list."""
    return {"data": list(rows), "next_cursor": next_cursor}
