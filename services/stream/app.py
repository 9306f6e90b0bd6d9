"""How a stream is asked for: the same paths, tokens and problems as at the API.

A view answers with what is to be followed; writing it is not the business of Flask.
"""

from collections.abc import Callable
from dataclasses import dataclass

import orjson
from flask import Blueprint, Flask, Response, current_app, request
from flask.typing import ResponseReturnValue

from services.bootstrap import Services, now_ms
from services.http import health, hooks
from services.http.analyses import visible_analysis, whole_analysis_json
from services.http.authentication import SeatHolder, caller
from services.http.authorization import app_caller, visible_match
from services.http.context import EXTENSION, services
from services.http.flask_app import LeanFlask
from services.http.origins import origins_of_streams
from services.http.refusals import InvalidHeader, NotAcceptable, TooManyFollowers
from services.http.representation import match_json
from services.http.request import MAX_NUMBER, MAX_VERSION, read_number, read_query
from services.http.teller import Teller
from services.languages import Message
from services.limits.quotas import FOLLOWERS
from services.match.refusals import NoSuchVersion
from services.match.seat_tokens import SeatClaim
from services.stream.frames import FORMS, SNAPSHOT, Form, Frame

bp = Blueprint("stream", __name__)

QUERY = {"after": Message("a version; events after it are told")}
ANALYSIS_QUERY = {"after": Message("a version; what was found after it is told")}
FEED_QUERY = {"cursor": Message("a seq; entries after it are told")}
STREAMED = {
    "Cache-Control": "no-store",
    "X-Accel-Buffering": "no",
    "X-Content-Type-Options": "nosniff",
}


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be followed, from where, in which form, and who asked for it.

    Without a match or an analysis it is the feed of the tenant. The tenant may have as
    many streams as *limit* says (None: any number), and has *elsewhere* as many in
    other processes.
    """

    match_id: str
    tenant: str
    after: int
    form: Form
    first: bytes
    token: str
    claim: SeatClaim | None
    limit: int | None
    elsewhere: int
    analysis_id: str = ""


class Following(Response):
    """The answer that begins a stream."""

    order: Order


def create_stream_app(services: Services, is_full: Callable[[], bool]) -> Flask:
    """Return the app that takes orders for streams."""
    app = LeanFlask("services.stream", static_folder=None)
    app.extensions[EXTENSION] = services
    app.config["IS_FULL"] = is_full
    app.register_blueprint(bp, url_prefix="/v1")
    app.register_blueprint(health.bp)
    hooks.register(app, origins_of_streams(services.settings, services.tenants))
    app.after_request(vary_by_form)
    return app


@bp.get("/matches/<match_id>/stream")
@bp.get("/matches/<match_id>/events")  # where streams were before 0.2
def follow_match(match_id: str) -> ResponseReturnValue:
    """Follow a match, from now on or after the last event that was seen."""
    who = caller()
    form = read_form()
    query = read_query(QUERY)
    match = visible_match(who, match_id)
    claim = who.claim if isinstance(who, SeatHolder) else None
    seen = read_last_event_id()
    if seen is None and "after" in query:
        seen = read_number(query, "after", 0, 0, MAX_VERSION)
    if seen is None:
        shown = {"type": SNAPSHOT, **match_json(match, now_ms())}
        first = form.encode([Frame(match.version, SNAPSHOT, Teller().json(shown))])
        return following(match_id, match.tenant, match.version, form, first, claim)
    if seen > match.version:
        raise NoSuchVersion(seen, match.version)
    if seen == match.version and match.is_over:
        return "", 204  # what an EventSource takes as: do not come back
    return following(match_id, match.tenant, seen, form, b"", claim)


@bp.get("/analyses/<analysis_id>/stream")
def follow_analysis(analysis_id: str) -> ResponseReturnValue:
    """Follow an analysis, from what was found until now or after a version seen."""
    who = caller()
    form = read_form()
    query = read_query(ANALYSIS_QUERY)
    analysis = visible_analysis(who, analysis_id)
    seen = read_last_event_id()
    if seen is None and "after" in query:
        seen = read_number(query, "after", 0, 0, MAX_VERSION)
    first, after = b"", seen or 0
    if seen is None:
        shown = {"type": SNAPSHOT, **whole_analysis_json(analysis)}
        after = analysis.version
        first = form.encode([Frame(after, SNAPSHOT, Teller().json(shown))])
    elif seen > analysis.version:
        raise NoSuchVersion(seen, analysis.version)
    elif seen == analysis.version and analysis.has_ended:
        return "", 204
    return following("", analysis.tenant, after, form, first, analysis_id=analysis_id)


@bp.get("/stream")
@bp.get("/events")
def follow_feed() -> ResponseReturnValue:
    """Follow the feed of a tenant, from now on or after the last number seen."""
    who = app_caller()
    form = read_form()
    query = read_query(FEED_QUERY)
    seen = read_last_event_id()
    if seen is None and "cursor" in query:
        seen = read_number(query, "cursor", 0, 0, MAX_NUMBER)
    if seen is None:
        seen = services().tenant_feed.newest(who.tenant)
        shown = {"type": SNAPSHOT, "seq": seen}
        first = form.encode([Frame(seen, SNAPSHOT, orjson.dumps(shown))])
    else:
        services().tenant_feed.check_place(who.tenant, seen)
        first = b""
    return following("", who.tenant, seen, form, first)


def following(
    match_id: str,
    tenant: str,
    after: int,
    form: Form,
    first: bytes,
    claim: SeatClaim | None = None,
    *,
    analysis_id: str = "",
) -> Following:
    """Return the answer that begins a stream.

    :raises TooManyFollowers: this process has as many as it can.
    """
    if current_app.config["IS_FULL"]():
        raise TooManyFollowers
    token = request.headers["Authorization"].partition(" ")[2].strip()
    response = Following(content_type=form.media_type, headers=STREAMED)
    limit = services().quotas.limit(FOLLOWERS, tenant)
    elsewhere = services().crowds.elsewhere(tenant) if limit else 0
    response.order = Order(
        match_id,
        tenant,
        after,
        form,
        first,
        token,
        claim,
        limit,
        elsewhere,
        analysis_id,
    )
    return response


def read_form() -> Form:
    """Return the form that was asked for; without a wish, server-sent events.

    :raises NotAcceptable: neither form would do.
    """
    wanted = request.accept_mimetypes
    media_type = wanted.best_match(list(FORMS)) if wanted else next(iter(FORMS))
    if media_type is None:
        raise NotAcceptable(tuple(FORMS))
    return FORMS[media_type]


def read_last_event_id() -> int | None:
    """Return the id of the last frame that was seen, if one is told.

    :raises InvalidHeader: it is not one of ours.
    """
    text = request.headers.get("Last-Event-ID", "")
    if not text:
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 16):
        wanted = Message("the id of the last frame, a whole number")
        raise InvalidHeader("Last-Event-ID", wanted)
    return int(text)


def vary_by_form(response: Response) -> Response:
    """Say that an answer depends on the form that was asked for."""
    response.vary.add("Accept")
    return response
