"""Health: is this process alive, and can it serve."""

from dataclasses import asdict

from flask import Blueprint
from flask.typing import ResponseReturnValue

from services.api.context import services
from services.api.showing import json_response

bp = Blueprint("health", __name__, url_prefix="/health")


@bp.get("/live")
def read_liveness() -> ResponseReturnValue:
    """Say that the process answers."""
    return json_response({"status": "ok"})


@bp.get("/ready")
def read_readiness() -> ResponseReturnValue:
    """Say that the event log answers too; otherwise the problem says why not.

    A view that stands still is told of; everything else goes on without it. So are
    replicas that are too few: what writes is refused then, and reads go on.
    """
    services().event_log.check()
    replication = services().event_log.replication()
    stopped = {view.name: view.stopped() for view in services().views}
    stopped = {name: reason for name, reason in stopped.items() if reason}
    body: dict[str, object] = {"status": "ok"}
    if stopped:
        body["stopped_views"] = stopped
    if not replication.is_enough:
        body["too_few_replicas"] = asdict(replication)
    return json_response(body)
