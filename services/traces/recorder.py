"""Records spans by the SDK of OpenTelemetry; imported only where traces are on.

Only what follows from a traced request is traced: what the server does by itself begins
no trace, and the sampler decides once, at the request.
"""

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from opentelemetry import context, trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Link, Span, SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from opentelemetry.util.re import parse_env_headers

from services import logs
from services.traces.trails import Trails

SPAN = "seedlog.span"
"""Where the environment of a request has its span."""

NO_NAME = "unknown_service"
OF_TRACES = "OTEL_EXPORTER_OTLP_TRACES_HEADERS"
HEADERS = ("traceparent", "tracestate")

W3C = TraceContextTextMapPropagator()


def provider_of(process: str, headers: str = "") -> TracerProvider:
    """Return what makes the spans of a process, and sends them as OTEL_ says.

    Headers of traces alone come before those that are given here, as everywhere.
    """
    of_sdk = logging.getLogger("opentelemetry")
    of_sdk.handlers, of_sdk.propagate = [logs.LibraryLines()], False
    resource = Resource.create({"seedlog.process": process})
    if str(resource.attributes["service.name"]).startswith(NO_NAME):
        resource = resource.merge(Resource({"service.name": f"seedlog-{process}"}))
    provider = TracerProvider(resource=resource)
    given = (
        None if OF_TRACES in os.environ else parse_env_headers(headers, liberal=True)
    )
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(headers=given)))
    return provider


class Recorder:
    """Records what this process does for traced requests."""

    def __init__(self, provider: TracerProvider, redis_url: str) -> None:
        """Make spans by a provider; leave trails beside the log."""
        self._tracer = provider.get_tracer("seedlog")
        self._trails = Trails(redis_url)

    # -- requests

    def begin_request(self, environ: dict[str, Any]) -> None:
        """Begin the span of a request, in the trace of its caller if that has one."""
        carried = {name: environ.get(f"HTTP_{name.upper()}", "") for name in HEADERS}
        parent = W3C.extract(carried, context=Context())
        span = self._tracer.start_span("request", parent, SpanKind.SERVER)
        token = context.attach(trace.set_span_in_context(span, parent))
        environ[SPAN] = (span, token)

    def finish_request(
        self, environ: dict[str, Any], operation: str, method: str, status: int
    ) -> None:
        """End the span of a request, if it has one."""
        span, token = environ.pop(SPAN, (None, None))
        if span is None:
            return
        context.detach(token)
        span.update_name(operation)
        span.set_attribute("http.request.method", method)
        span.set_attribute("http.response.status_code", status)
        span.set_attribute("seedlog.request", logs.request_id.get())
        if status >= 500:
            span.set_status(StatusCode.ERROR)
        span.end()

    # -- what follows from them

    @contextmanager
    def append(self, match_id: str, versions: Sequence[int]) -> Iterator[None]:
        """Trace an append, and leave a trail for whoever follows from it.

        Before it: a follower may be sooner than this process is back. One that comes to
        nothing leaves a trail to no event, or to that of another who was first.
        """
        if not trace.get_current_span().is_recording():
            yield
            return
        attributes = _about(match_id, versions[-1])
        with self._tracer.start_as_current_span(
            "append", kind=SpanKind.CLIENT, attributes=attributes
        ):
            by_job = bool(logs.job_id.get())
            self._trails.leave(match_id, versions, _carried(), by_job=by_job)
            yield

    @contextmanager
    def turn(self, match_id: str, version: int) -> Iterator[dict[str, str] | None]:
        """Trace how a turn is asked for; what follows from a job has its own trace.

        It is linked with that of the job: the trace of a match between computer players
        would have no end.
        """
        trail = self._trails.find(match_id, version)
        if trail is None:
            yield None
            return
        parent = W3C.extract(trail.carried, context=Context())
        links: list[Link] = []
        if trail.by_job:
            before = trace.get_current_span(parent).get_span_context()
            parent, links = Context(), [Link(before)]
        with self._tracer.start_as_current_span(
            "ask for turn",
            parent,
            SpanKind.PRODUCER,
            _about(match_id, version),
            links,
        ):
            yield _carried()

    @contextmanager
    def job(self, name: str, queue: str, carried: Mapping[str, Any]) -> Iterator[None]:
        """Trace a job that carries a trace."""
        if HEADERS[0] not in carried:
            yield
            return
        attributes = {"seedlog.job": name, "seedlog.queue": queue}
        with self._child(f"job {queue}", SpanKind.CONSUMER, carried, attributes):
            yield

    @contextmanager
    def webhook(self, delivery: str, match_id: str, version: int) -> Iterator[None]:
        """Trace an attempt to tell of an event that has left a trail."""
        trail = self._trails.find(match_id, version)
        if trail is None:
            yield
            return
        attributes = {**_about(match_id, version), "seedlog.delivery": delivery}
        with self._child("webhook", SpanKind.CLIENT, trail.carried, attributes):
            yield

    def _child(
        self,
        name: str,
        kind: SpanKind,
        carried: Mapping[str, Any],
        attributes: Mapping[str, str | int],
    ) -> AbstractContextManager[Span]:
        parent = W3C.extract(carried, context=Context())
        return self._tracer.start_as_current_span(name, parent, kind, attributes)


def _carried() -> dict[str, str]:
    """Return where the trace of now has come to, as it crosses processes."""
    carried: dict[str, str] = {}
    W3C.inject(carried)
    return carried


def _about(match_id: str, version: int) -> dict[str, str | int]:
    return {"seedlog.match": match_id, "seedlog.version": version}
