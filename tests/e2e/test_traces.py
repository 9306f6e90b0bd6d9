"""A move is one trace, from its request over all processes to reply and webhook."""

from importlib.util import find_spec
from pathlib import Path
from urllib.request import Request, urlopen

from tests.support.otlp import Received, collecting
from tests.support.patience import wait_for
from tests.support.receiver import receiving
from tests.support.require import skip_without
from tests.support.stack import running_stack

CALLER = "0af7651916cd43dd8448eb211c80319c"
CALLER_SPAN = "b7ad6b7169203331"
EXPECTED = {
    "seedlog-api: moves.play_move",
    "seedlog-api: append",
    "seedlog-dispatcher: ask for turn",
    "seedlog-ai-worker: job ai-live",
    "seedlog-ai-worker: append",
    "seedlog-webhook-worker: webhook",
}


def test_a_move_is_one_trace_over_all_processes(tmp_path: Path) -> None:
    """Begun by the caller, as W3C has it."""
    if find_spec("opentelemetry") is None:
        skip_without("otel", "the extra otel is not installed")
    with collecting() as collector, receiving() as receiver:
        telling = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_BSP_SCHEDULE_DELAY": "100",
            "SEEDLOG_WEBHOOK_PRIVATE": "1",
            "SEEDLOG_WEBHOOK_WORKERS": "1",
        }
        with running_stack(tmp_path, **telling) as stack:
            stack.client.webhooks.create(receiver.url, ["match.move_played"])
            seats = {"south": {"kind": "human"}, "north": {"kind": "ai", "level": 1}}
            match = stack.client.open_match("kalah", seats=seats)
            headers = {
                "Authorization": f"Bearer {match['seat_tokens']['south']}",
                "Content-Type": "application/json",
                "If-Match": '"3"',
                "traceparent": f"00-{CALLER}-{CALLER_SPAN}-01",
            }
            url = f"{stack.url}/v1/matches/{match['id']}/moves"
            urlopen(Request(url, b'{"move": "A"}', headers)).close()

            def whole() -> dict[str, Received] | None:
                spans = collector.of(CALLER)
                return spans if set(spans) >= EXPECTED else None

            spans = wait_for("the trace", whole)

    request = spans["seedlog-api: moves.play_move"]
    append = spans["seedlog-api: append"]
    asked = spans["seedlog-dispatcher: ask for turn"]
    job = spans["seedlog-ai-worker: job ai-live"]
    assert request.parent == CALLER_SPAN
    assert request.facts["http.response.status_code"] == "201"
    assert append.parent == request.id
    assert append.facts["seedlog.match"] == match["id"]
    assert append.facts["seedlog.version"] == "4"
    assert asked.parent == append.id
    assert job.parent == asked.id
    assert spans["seedlog-ai-worker: append"].parent == job.id
    assert not [span for span in collector.spans if "health" in span.name]
