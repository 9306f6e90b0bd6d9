"""Health: is this process alive, and can it serve."""

from dataclasses import asdict

from flask import Blueprint
from flask.typing import ResponseReturnValue

from rules_core.compiled import plain_games
from services.bootstrap import now_ms
from services.http.credentials import services
from services.http.representation import json_response

bp = Blueprint("health", __name__, url_prefix="/health")


@bp.get("/live")
def read_liveness() -> ResponseReturnValue:
    """Say that the process answers."""
    return json_response({"status": "ok"})


@bp.get("/ready")
def read_readiness() -> ResponseReturnValue:
    """Say that the event log answers too; otherwise the problem says why not.

    What goes worse than it should is told of, and does not make this process unready:
    a full log can be read, so can one with too few replicas, a view that stands still
    holds up nothing else, names that stay on the disk are erased everywhere else,
    webhooks that are late are not lost, and plain rules are slow but right.
    """
    here = services()
    here.event_log.check()
    replication = here.event_log.replication()
    stopped = {view.name: view.stopped() for view in here.views}
    worse = {
        "full": here.room.lack(),
        "too_few_replicas": {} if replication.is_enough else asdict(replication),
        "stopped_views": {name: why for name, why in stopped.items() if why},
        "erasures": here.erasures.trouble(),
        "webhooks": here.webhooks.lag(now_ms()),
        "plain_rules": plain_games(),
    }
    told = {name: what for name, what in worse.items() if what}
    return json_response({"status": "ok", **told})
