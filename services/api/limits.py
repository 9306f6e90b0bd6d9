"""Limits: what applies to whoever asks, and how much of it is used."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.http.authentication import App, Caller, caller
from services.http.authorization import visible_match
from services.http.context import services
from services.http.limits import analyses_policy, counted, key_policy
from services.http.request import read_query
from services.http.responses import json_response
from services.limits import QUOTAS, Policy
from services.limits.quotas import (
    ENDPOINTS,
    FOLLOWERS,
    OPEN_ANALYSES,
    OPEN_MATCHES,
    SEEKS,
)

bp = Blueprint("limits", __name__)


@bp.get("/limits")
def read_limits() -> ResponseReturnValue:
    """Show what applies to a key or token, as this process knows it."""
    who = caller()
    read_query({})
    body = {
        "rates": [_rate_json(policy, asks) for policy, asks in _rates(who) if policy],
        "quotas": [],
    }
    if isinstance(who, App):
        body["quotas"] = [_quota_json(quota, who.tenant) for quota in QUOTAS]
    return json_response(body)


def _rates(who: Caller) -> list[tuple[Policy | None, str]]:
    policies, address = services().policies, counted().address
    of_address = [(policies.address, address), (policies.guesses, address)]
    if isinstance(who, App):
        analyses = (analyses_policy(who.tenant), who.tenant)
        return [(key_policy(who.tenant), who.key_id), *of_address, analyses]
    visible_match(who, who.claim.match_id)  # a token that was replaced is none
    return [(policies.token, who.scope), *of_address]


def _rate_json(policy: Policy, who: str) -> dict[str, Any]:
    _, remaining, resets_s = services().rates.standing(policy, who)
    return {
        "policy": policy.name,
        "limit": policy.quota,
        "window_s": policy.window_s,
        "remaining": remaining,
        "resets_in_s": resets_s,
    }


def _quota_json(quota: str, tenant: str) -> dict[str, Any]:
    used: dict[str, Callable[[str], int]] = {
        OPEN_MATCHES: services().places.used,
        FOLLOWERS: services().crowds.used,
        ENDPOINTS: services().webhooks.endpoints.count,
        SEEKS: lambda tenant: services().lobby.of(tenant).count(),
        OPEN_ANALYSES: services().analyses.used,
    }
    limit = services().quotas.limit(quota, tenant)
    return {"quota": quota, "limit": limit, "used": used[quota](tenant)}
