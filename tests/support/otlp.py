"""A receiver of traces, as OpenTelemetry sends them: OTLP over HTTP, in protobuf."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Received:
    """A span as it came, and the service that sent it."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    facts: dict[str, str]


@dataclass
class Collector:
    """What came so far, and where it is to be sent."""

    url: str = ""
    spans: list[Received] = field(default_factory=list)
    headers: list[Message] = field(default_factory=list)

    def of(self, trace: str) -> dict[str, Received]:
        """Return the spans of a trace, by service and name."""
        return {f"{s.service}: {s.name}": s for s in self.spans if s.trace == trace}

    def take(self, body: bytes) -> None:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
            ExportTraceServiceRequest,
        )

        for part in ExportTraceServiceRequest.FromString(body).resource_spans:
            service = _facts(part.resource)["service.name"]
            for span in (span for scope in part.scope_spans for span in scope.spans):
                ids = (span.trace_id, span.span_id, span.parent_span_id)
                trace, own, parent = (number.hex() for number in ids)
                self.spans.append(
                    Received(service, span.name, trace, own, parent, _facts(span))
                )


def _facts(told: Any) -> dict[str, str]:
    return {
        fact.key: fact.value.string_value or str(fact.value.int_value)
        for fact in told.attributes
    }


@contextmanager
def collecting() -> Iterator[Collector]:
    """Collect traces for as long as the block lasts."""
    collector = Collector()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            collector.headers.append(self.headers)
            collector.take(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Write nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        collector.url = f"http://127.0.0.1:{server.server_port}"
        threading.Thread(target=server.serve_forever).start()
        yield collector
        server.shutdown()
