"""Webhooks: endpoints of a tenant, their secrets, and what was delivered to them."""

from typing import Any

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.schemas import (
    ChangeEndpointSchema,
    CreateEndpointSchema,
    NothingSchema,
)
from services.bootstrap import now_ms
from services.eventlog import format_time
from services.http.authentication import App
from services.http.authorization import admin_caller, app_caller
from services.http.context import services
from services.http.refusals import InvalidBody
from services.http.representation import time_json
from services.http.request import (
    MAX_NUMBER,
    read_body,
    read_idempotency_key,
    read_number,
    read_query,
)
from services.http.responses import json_response, list_json
from services.languages import Message, number_within
from services.webhooks import (
    Attempt,
    Delivery,
    Endpoint,
    UnusableUrl,
    parse_url,
)
from services.webhooks.signing import ROTATION_MS

bp = Blueprint("webhooks", __name__)

CREATE = CreateEndpointSchema()
CHANGE = ChangeEndpointSchema()
NOTHING = NothingSchema()
PAGE_QUERY = {
    "cursor": Message("the next_cursor of the page before"),
    "limit": number_within(1, 200),
}


@bp.post("/webhook-endpoints")
def create_endpoint() -> ResponseReturnValue:
    """Make an endpoint; its secret is shown in this answer, and nowhere again."""
    who = admin_caller()
    body = read_body(CREATE)
    _check_url(body["url"])
    key = read_idempotency_key(who)
    done = services().webhooks.create(
        who.tenant, body["url"], body["events"], now_ms(), key
    )
    shown = {**endpoint_json(done.endpoint), "secret": _secret(done.endpoint)}
    headers = {"Location": f"/v1/webhook-endpoints/{done.endpoint.id}"}
    return json_response(shown, 200 if done.replayed else 201, headers)


@bp.get("/webhook-endpoints")
def list_endpoints() -> ResponseReturnValue:
    """List the endpoints of the app's tenant, oldest first."""
    who = app_caller()
    read_query({})
    endpoints = services().webhooks.endpoints.of_tenant(who.tenant)
    return json_response(list_json(map(endpoint_json, endpoints), None))


@bp.get("/webhook-endpoints/<endpoint_id>")
def read_endpoint(endpoint_id: str) -> ResponseReturnValue:
    """Show an endpoint, and how it goes."""
    endpoint = _own(app_caller(), endpoint_id)
    read_query({})
    return json_response(endpoint_json(endpoint))


@bp.patch("/webhook-endpoints/<endpoint_id>")
def change_endpoint(endpoint_id: str) -> ResponseReturnValue:
    """Change where an endpoint is and what it is told, disable it or enable it."""
    who = admin_caller()
    body = read_body(CHANGE)
    endpoint = _own(who, endpoint_id)
    if "url" in body:
        _check_url(body["url"])
    changed = services().webhooks.endpoints.change(endpoint, now_ms(), **body)
    return json_response(endpoint_json(changed))


@bp.delete("/webhook-endpoints/<endpoint_id>")
def delete_endpoint(endpoint_id: str) -> ResponseReturnValue:
    """Forget an endpoint, and all that was sent to it."""
    endpoint = _own(admin_caller(), endpoint_id)
    services().webhooks.endpoints.delete(endpoint, now_ms())
    return "", 204


@bp.post("/webhook-endpoints/<endpoint_id>/secrets")
def rotate_secret(endpoint_id: str) -> ResponseReturnValue:
    """Make a new secret; for a day messages are signed by the one before, too."""
    who = admin_caller()
    read_body(NOTHING, optional=True)
    endpoint = _own(who, endpoint_id)
    key = read_idempotency_key(who)
    done = services().webhooks.endpoints.rotate(endpoint, now_ms(), key)
    until_ms = done.endpoint.rotated_ms + ROTATION_MS
    shown = {
        "endpoint": endpoint.id,
        "secret": _secret(done.endpoint),
        "previous_valid_until": format_time(until_ms),
    }
    return json_response(shown, 200 if done.replayed else 201)


@bp.post("/webhook-endpoints/<endpoint_id>/ping")
def ping_endpoint(endpoint_id: str) -> ResponseReturnValue:
    """Send an endpoint an event that says nothing, also while it is disabled."""
    who = admin_caller()
    read_body(NOTHING, optional=True)
    endpoint = _own(who, endpoint_id)
    key = read_idempotency_key(who)
    asked = services().webhooks.deliveries.ping(endpoint, now_ms(), key)
    return json_response(delivery_json(asked.delivery), 202)


@bp.get("/webhook-endpoints/<endpoint_id>/deliveries")
def list_deliveries(endpoint_id: str) -> ResponseReturnValue:
    """List what was sent to an endpoint and what waits, newest first."""
    endpoint = _own(app_caller(), endpoint_id)
    query = read_query(PAGE_QUERY)
    before = read_number(query, "cursor", MAX_NUMBER, 1, MAX_NUMBER)
    limit = read_number(query, "limit", 50, 1, 200)
    page, more = services().webhooks.deliveries.page(endpoint.id, before, limit)
    cursor = None if more is None else str(more)
    return json_response(list_json(map(delivery_json, page), cursor))


@bp.get("/webhook-endpoints/<endpoint_id>/deliveries/<delivery_id>")
def read_delivery(endpoint_id: str, delivery_id: str) -> ResponseReturnValue:
    """Show a delivery with its attempts."""
    endpoint = _own(app_caller(), endpoint_id)
    read_query({})
    delivery = services().webhooks.deliveries.find(endpoint.id, delivery_id)
    return json_response(delivery_json(delivery))


@bp.post("/webhook-endpoints/<endpoint_id>/deliveries/<delivery_id>/redelivery")
def deliver_again(endpoint_id: str, delivery_id: str) -> ResponseReturnValue:
    """Send a delivery again, at once and by the same id."""
    who = admin_caller()
    read_body(NOTHING, optional=True)
    endpoint = _own(who, endpoint_id)
    key = read_idempotency_key(who)
    deliveries = services().webhooks.deliveries
    delivery = deliveries.find(endpoint.id, delivery_id)
    asked = deliveries.deliver_again(delivery, now_ms(), key)
    return json_response(delivery_json(asked.delivery), 202)


def endpoint_json(endpoint: Endpoint) -> dict[str, Any]:
    """Return an endpoint as the API shows it, without its secret."""
    return {
        "id": endpoint.id,
        "url": endpoint.url,
        "events": list(endpoint.events),
        "status": endpoint.status,
        "reason": endpoint.reason or None,
        "created_at": format_time(endpoint.created_ms),
        "disabled_at": time_json(endpoint.disabled_ms),
        "delivered_at": time_json(endpoint.delivered_ms),
        "failing_since": time_json(endpoint.failing_since_ms),
    }


def delivery_json(delivery: Delivery) -> dict[str, Any]:
    """Return a delivery as the API shows it."""
    return {
        "id": delivery.id,
        "type": delivery.type,
        "match": delivery.match or None,
        "version": delivery.version or None,
        "sequence": delivery.sequence or None,
        "status": delivery.status,
        "created_at": format_time(delivery.created_ms),
        "next_attempt_at": time_json(delivery.next_ms),
        "attempts": [_attempt_json(attempt) for attempt in delivery.attempts],
    }


def _attempt_json(attempt: Attempt) -> dict[str, Any]:
    return {
        "at": format_time(attempt.at_ms),
        "duration_ms": attempt.duration_ms,
        "http_status": attempt.http_status,
        "error": attempt.error or None,
    }


def _own(who: App, endpoint_id: str) -> Endpoint:
    """Return an endpoint of the tenant that asks; another's is as if it were not."""
    return services().webhooks.endpoints.find(endpoint_id, who.tenant)


def _check_url(url: str) -> None:
    try:
        is_allowed = bool(services().settings.webhook_private)
        parse_url(url, allow_private=is_allowed)
    except UnusableUrl as error:
        raise InvalidBody([{"pointer": "/url", "detail": error.message}]) from error


def _secret(endpoint: Endpoint) -> str:
    return services().webhooks.secrets.derive(endpoint.id, endpoint.generation)
