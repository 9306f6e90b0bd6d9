"""API keys of a tenant: made, listed, rotated and revoked by a key that may."""

from typing import Any

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services import tenants
from services.api.schemas import CreateKeySchema, RotateKeySchema
from services.bootstrap import now_ms
from services.eventlog import IdempotencyKey, KeyReused, format_time
from services.http.authentication import App
from services.http.authorization import admin_caller
from services.http.context import services
from services.http.representation import time_json
from services.http.request import read_body, read_idempotency_key, read_query
from services.http.responses import json_response, list_json
from services.names import is_sandbox, sandbox_of
from services.tenants import ApiKey, key_prefix, make_key

bp = Blueprint("keys", __name__)

CREATE = CreateKeySchema()
ROTATE = RotateKeySchema()


@bp.post("/keys")
def create_key() -> ResponseReturnValue:
    """Make a key; it is shown in this answer, and nowhere again."""
    who = admin_caller()
    body = read_body(CREATE)
    asked = read_idempotency_key(who)
    life_ms = 1000 * body["expires_in_s"] if body["expires_in_s"] else 0
    sandbox = body["sandbox"] or is_sandbox(who.tenant)
    secret = _secret(who, asked, sandbox=sandbox)
    if asked and services().tenants.is_known(_secret(who, asked, sandbox=not sandbox)):
        raise KeyReused(asked.key)
    key, is_made = services().tenants.register_key(
        secret,
        who.tenant,
        body["label"],
        body["role"],
        life_ms and now_ms() + life_ms,
        asked.digest if asked else "",
        tenants.MOST_KEYS,
        sandbox=sandbox,
    )
    if asked and not asked.fits(key.request):
        raise KeyReused(asked.key)
    return json_response({**key_json(key), "key": secret}, 201 if is_made else 200)


@bp.get("/keys")
def list_keys() -> ResponseReturnValue:
    """List the keys of the tenant and its sandbox, without the keys themselves."""
    who = admin_caller()
    read_query({})
    used = services().tenants.last_used_ms()
    keys = services().tenants.keys_of(who.tenant, sandbox_of(who.tenant))
    shown = [key_json(key, used.get(key.id, 0)) for key in keys]
    return json_response(list_json(shown, None))


@bp.post("/keys/<key_id>/rotations")
def rotate_key(key_id: str) -> ResponseReturnValue:
    """Make a successor of a key, which itself is valid for a while longer."""
    who = admin_caller()
    body = read_body(ROTATE, optional=True)
    asked = read_idempotency_key(who)
    sandbox = is_sandbox(services().tenants.find(key_id, who.tenant).tenant)
    rotated = services().tenants.rotate_key(
        key_id,
        1000 * body["overlap_s"],
        who.tenant,
        _secret(who, asked, key_id, sandbox=sandbox),
        asked.digest if asked else "",
        tenants.MOST_KEYS,
    )
    if asked and not asked.fits(rotated.successor.request):
        raise KeyReused(asked.key)
    shown = {
        **key_json(rotated.successor),
        "key": rotated.secret,
        "previous": rotated.former.id,
        "previous_valid_until": time_json(rotated.former.expires_at_ms),
    }
    return json_response(shown, 201 if rotated.is_made else 200)


@bp.delete("/keys/<key_id>")
def revoke_key(key_id: str) -> ResponseReturnValue:
    """Make a key invalid; every process knows it within 5 s."""
    services().tenants.revoke_key(key_id, admin_caller().tenant)
    return "", 204


def key_json(key: ApiKey, used_ms: int = 0) -> dict[str, Any]:
    """Return a key as the API shows it."""
    return {
        "id": key.id,
        "label": key.label,
        "role": key.role,
        "sandbox": is_sandbox(key.tenant),
        "status": key.status(now_ms()),
        "created_at": format_time(key.created_at_ms),
        "expires_at": time_json(key.expires_at_ms),
        "last_used_at": time_json(used_ms),
    }


def _secret(
    who: App, asked: IdempotencyKey | None, of: str = "", *, sandbox: bool
) -> str:
    """Return a new key; the same one for a request that is repeated."""
    if asked is None:
        return make_key(sandbox=sandbox)
    text = f"{who.tenant} {who.key_id} {of} {asked.key}"
    made = services().seat_tokens.derive("api-key", text, 43)
    return key_prefix(sandbox=sandbox) + made
