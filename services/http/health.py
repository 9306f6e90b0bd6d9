"""Health: is this process alive, and can it serve."""

from dataclasses import asdict

from flask import Blueprint
from flask.typing import ResponseReturnValue

from rules_core.compiled import plain_games
from services.bootstrap import Services, now_ms
from services.http.context import services
from services.http.origins import HEALTH
from services.http.responses import json_response
from services.settings import ACTING, SERVERS

BESIDE_SERVERS = tuple(kind for kind in ACTING if kind not in SERVERS)
"""A server that does not live is missed by whoever asks it."""

bp = Blueprint(HEALTH, __name__, url_prefix="/health")


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
    webhooks that are late are not lost, plain rules are slow but right, and what no
    process does that lives is done once one does. In a full log none can say so.
    """
    here = services()
    full = here.room.lack()
    here.event_log.check()
    replication = here.event_log.replication()
    stopped = {view.name: view.stopped() for view in here.views}
    worse = {
        "full": full,
        "absent": [] if full else absent(here),
        "too_few_replicas": {} if replication.is_enough else asdict(replication),
        "stopped_views": {name: why for name, why in stopped.items() if why},
        "erasures": here.erasures.trouble(),
        "webhooks": here.webhooks.lag(now_ms()),
        "plain_rules": plain_games(),
    }
    told = {name: what for name, what in worse.items() if what}
    return json_response({"status": "ok", **told})


def absent(here: Services) -> list[str]:
    """Return the kinds of processes that a stack has, and of which none lives."""
    living = here.presence.count(BESIDE_SERVERS)
    return [kind for kind in BESIDE_SERVERS if not living[kind]]
