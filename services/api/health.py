"""Health: is this process alive, and can it serve."""

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

    A view that stands still is told of; everything else goes on without it.
    """
    services().event_log.check()
    stopped = {view.name: view.stopped() for view in services().views}
    stopped = {name: reason for name, reason in stopped.items() if reason}
    return json_response(
        {"status": "ok", **({"stopped_views": stopped} if stopped else {})}
    )
