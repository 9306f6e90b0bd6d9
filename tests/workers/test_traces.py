"""Traces follow what a request causes, and are nowhere where they are not asked for."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from services import logs, traces
from services.match import PlayMove
from services.traces import _are_wanted
from services.traces.trails import Trails
from tests.support.otlp import collecting
from tests.support.require import skip_without
from tests.workers.stack import AI, HUMAN, Stack
from workers import play_turn

CALLER = "0af7651916cd43dd8448eb211c80319c"
CALL = f"00-{CALLER}-b7ad6b7169203331-01"
ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}


@pytest.mark.parametrize(
    ("environment", "are_wanted"),
    [
        ({}, False),
        (ENDPOINT, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/x"}, True),
        ({"OTEL_TRACES_EXPORTER": "otlp"}, True),
        ({"OTEL_SERVICE_NAME": "games"}, False),
        (ENDPOINT | {"OTEL_TRACES_EXPORTER": "none"}, False),
        (ENDPOINT | {"OTEL_TRACES_EXPORTER": "zipkin"}, False),
        (ENDPOINT | {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, False),
        (ENDPOINT | {"OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf"}, True),
        (ENDPOINT | {"OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_the_standard_variables_switch_traces_on(
    environment: dict[str, str], are_wanted: bool
) -> None:
    assert _are_wanted(environment) == are_wanted


def test_the_collector_is_sent_the_headers_of_the_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Which may have stood in a file; headers of traces alone come before them."""
    if find_spec("opentelemetry") is None:
        skip_without("otel", "the extra otel is not installed")
    from services.traces.recorder import provider_of

    def sent() -> str | None:
        with collecting() as collector:
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
            provider = provider_of("api", "api-key=a%20b,other=c")
            provider.get_tracer("test").start_span("one").end()
            provider.shutdown()
        [headers] = collector.headers
        return headers.get("api-key")

    assert sent() == "a b"
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_HEADERS", "other=d")
    assert sent() is None


def test_where_they_are_off_nothing_of_them_is_imported() -> None:
    """By us: the client of Redis imports its metrics where they are installed."""
    program = (
        "import sys, services.api.wsgi, workers.run\n"
        "from services import traces\n"
        "traces.begin('api', 'redis://127.0.0.1:9')\n"
        "assert traces.active is None\n"
        "assert not {'services.traces.recorder', 'opentelemetry.exporter', "
        "'opentelemetry.sdk.trace.export'} & set(sys.modules)"
    )

    subprocess.run(
        [sys.executable, "-c", program], check=True, env={"OTEL_SERVICE_NAME": "x"}
    )


@pytest.fixture
def spans(monkeypatch: pytest.MonkeyPatch, real_redis: str) -> Iterator[Any]:
    """Record the traces of this process, and yield what has them."""
    try:
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import SimpleSpanProcessor
        from opentelemetry.sdk.trace.export.in_memory_span_exporter import (
            InMemorySpanExporter,
        )
    except ImportError:
        skip_without("otel", "the extra otel is not installed")
    from services.traces.recorder import Recorder

    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    monkeypatch.setattr(traces, "active", Recorder(provider, real_redis))
    yield exporter
    provider.shutdown()


def first(position: Any, *_: object, **__: object) -> str:
    return str(position.legal_moves[0])


def requested(step: Callable[[], Any], traceparent: str = CALL) -> None:
    """Do something within a request of the caller."""
    recorder = traces.active
    assert recorder is not None
    environ: dict[str, Any] = {"HTTP_TRACEPARENT": traceparent}
    recorder.begin_request(environ)
    step()
    recorder.finish_request(environ, "moves.play_move", "POST", 201)


def reply(stack: Stack) -> None:
    """Let the dispatcher ask, and play the turn that it has asked for."""
    stack.dispatcher.run_once()
    [job] = stack.jobs()
    stack.queue.empty()
    logs.job_id.set(job.id)
    with traces.job(job.id, stack.queue.name, job.meta):
        match_id, version, attempt = job.args
        play_turn.play_turn(stack.matches, match_id, version, attempt, 1, first)
    logs.job_id.set("")


def names(spans: Any, *, of_caller: bool) -> list[str]:
    return [
        span.name
        for span in spans.get_finished_spans()
        if (f"{span.context.trace_id:032x}" == CALLER) == of_caller
    ]


def test_a_trace_goes_from_the_request_to_the_reply(stack: Stack, spans: Any) -> None:
    stack.open(HUMAN, AI)
    move = PlayMove(seat="south", move="A")

    requested(lambda: stack.matches.handle("mat_1", move, by="ply_a"))
    reply(stack)

    asked = ["append", "moves.play_move", "ask for turn"]
    assert names(spans, of_caller=True) == [*asked, "append", "job ai-live"]
    assert names(spans, of_caller=False) == []


def test_what_a_reply_causes_is_a_trace_of_its_own_that_is_linked(
    stack: Stack, spans: Any
) -> None:
    """The trace of a match between computer players would have no end."""
    requested(lambda: stack.open(AI, AI))
    reply(stack)
    reply(stack)

    assert names(spans, of_caller=False) == ["ask for turn", "append", "job ai-live"]
    [asked] = (s for s in spans.get_finished_spans() if s.links)
    assert f"{asked.links[0].context.trace_id:032x}" == CALLER


def test_what_no_request_has_caused_is_not_traced(stack: Stack, spans: Any) -> None:
    stack.open(AI, HUMAN)
    reply(stack)

    assert spans.get_finished_spans() == ()
    assert stack.redis.keys("trail:*") == []


def test_a_caller_that_takes_no_sample_is_heeded(stack: Stack, spans: Any) -> None:
    requested(lambda: stack.open(AI, HUMAN), CALL[:-1] + "0")

    assert spans.get_finished_spans() == ()
    assert stack.redis.keys("trail:*") == []


@pytest.mark.usefixtures("spans")
def test_a_trail_is_gone_after_a_while(stack: Stack) -> None:
    requested(lambda: stack.open(AI, HUMAN))

    trails = stack.redis.keys("trail:mat_1:*")
    assert len(trails) == 3, "opened, and two who sat down"
    assert all(0 < stack.redis.ttl(trail) <= 600 for trail in trails)


def test_traces_that_cannot_be_kept_are_cut_off_and_no_move_is_refused(
    stack: Stack, spans: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    nowhere = Trails("redis://127.0.0.1:9/0")
    monkeypatch.setattr(traces.active, "_trails", nowhere)

    requested(lambda: stack.open(AI, HUMAN))
    reply(stack)

    assert names(spans, of_caller=True) == ["append", "moves.play_move"]
