"""Traces over the path of a move, by OpenTelemetry, where its variables ask for them.

From the request to the append, to the job that the dispatcher asks for, to the reply of
the computer player and to webhooks: one trace over all of these processes. Nothing is
imported, and nothing done, while `active` is None.
"""

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any

import structlog

if TYPE_CHECKING:
    from services.traces.recorder import Recorder

EXPORTER = "OTEL_TRACES_EXPORTER"
PROTOCOLS = ("OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
SPOKEN = "http/protobuf"

active: "Recorder | None" = None
"""What records the traces of this process, if they are wanted."""

_nothing: AbstractContextManager[None] = nullcontext()

log = structlog.get_logger()


def begin(process: str, redis_url: str, headers: str = "") -> None:
    """Record traces from now on, if they are asked for and can be told.

    *headers* are what the collector asks for, as in OTEL_EXPORTER_OTLP_HEADERS.
    """
    global active
    if not _are_wanted(os.environ):
        return
    try:
        from services.traces.recorder import Recorder, provider_of
    except ImportError as error:
        remedy = "pip install 'seedlog[otel]'"
        log.warning("traces are not installed", reason=str(error), remedy=remedy)
        return
    active = Recorder(provider_of(process, headers), redis_url)


def turn(match_id: str, version: int) -> AbstractContextManager[dict[str, str] | None]:
    """Trace how a turn is asked for; gives what its job is to carry, if anything."""
    return _nothing if active is None else active.turn(match_id, version)


def job(
    name: str, queue: str, carried: Mapping[str, Any]
) -> AbstractContextManager[None]:
    """Trace how a job is carried out."""
    return _nothing if active is None else active.job(name, queue, carried)


def webhook(delivery: str, match_id: str, version: int) -> AbstractContextManager[None]:
    """Trace how an app is told of an event."""
    return _nothing if active is None else active.webhook(delivery, match_id, version)


def _are_wanted(environment: Mapping[str, str]) -> bool:
    """Tell whether the variables ask for traces; say where they ask in vain."""
    if environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true":
        return False
    exporter = environment.get(EXPORTER, "").strip()
    if exporter == "none":
        return False
    if not exporter and not any(environment.get(name) for name in ENDPOINTS):
        return False
    if exporter not in ("", "otlp"):
        log.warning("no traces: otlp is what they are told by", **{EXPORTER: exporter})
        return False
    for name in PROTOCOLS:
        if environment.get(name, SPOKEN) not in ("", SPOKEN):
            asked = {name: environment[name]}
            log.warning("no traces: http/protobuf is what is spoken", **asked)
            return False
    return True
