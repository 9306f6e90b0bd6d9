"""A request is counted once, by what the code calls it, and told if that is wanted."""

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask, request
from prometheus_client import REGISTRY

from services import logs
from services.http import observed
from services.http.wire.later import LATER, Later
from services.metrics.figures import REQUEST_SECONDS

MATCH = "mat_7Qm"


@pytest.fixture(scope="module")
def app() -> Flask:
    REQUEST_SECONDS.record()
    app = Flask("observed")
    app.before_request(observed.begin)

    def finish(response: Any) -> Any:
        observed.finish(response)
        return response

    app.after_request(finish)
    methods = ["POST", "BREW"]

    def answer(match_id: str) -> str:
        later: Later | None = request.environ.get(LATER)
        if later is not None and later.kept is None:
            later.wait(lambda wake: True, match_id)
        return ""

    app.add_url_rule("/<match_id>", "made.up", answer, methods=methods)
    return app


@pytest.fixture
def _access_log() -> Iterator[None]:
    logs.configure("api", has_access_log=True)
    yield
    logs.configure("api")


def counted(method: str, operation: str, status: str = "2xx") -> float:
    labels = {"method": method, "operation": operation, "status": status}
    return REGISTRY.get_sample_value("seedlog_http_request_seconds_count", labels) or 0


def test_a_request_is_counted_by_its_operation(app: Flask) -> None:
    before = counted("POST", "made.up")

    app.test_client().post(f"/{MATCH}")

    assert counted("POST", "made.up") == before + 1


def test_what_nobody_knows_is_one_series(app: Flask) -> None:
    """Or whoever sends requests could make as many as they like."""
    before = counted("unknown", "unknown", "4xx")

    app.test_client().open("/no/such/path", method="STEEP")
    app.test_client().open("/another/one", method="POUR")

    assert counted("unknown", "unknown", "4xx") == before + 2


def test_a_request_that_waits_is_counted_once(app: Flask) -> None:
    """When it is put to the app, and not again when it has waited."""
    before = counted("POST", "made.up")
    later = Later(None, b"")

    app.test_client().post(f"/{MATCH}", environ_base={LATER: later})
    assert counted("POST", "made.up") == before + 1

    app.test_client().post(f"/{MATCH}", environ_base={LATER: later})
    assert counted("POST", "made.up") == before + 1


@pytest.mark.usefixtures("_access_log")
def test_a_line_tells_of_a_request_what_is_ours(
    app: Flask, capsys: pytest.CaptureFixture[str]
) -> None:
    """And nothing that would end the line, or look like another."""
    sent = {"X-Request-Id": "abc"}

    app.test_client().post(f"/{MATCH}", headers=sent)
    app.test_client().post("/mat_%0D%0Alevel=error", headers=sent)

    first, second = capsys.readouterr().err.splitlines()
    assert "event=request method=POST operation=made.up status=200" in first
    assert f"match={MATCH} request=abc" in first
    assert "level=error" not in second
    assert "match=" not in second


def test_without_an_access_log_nothing_is_written(
    app: Flask, capsys: pytest.CaptureFixture[str]
) -> None:
    logs.configure("api")

    app.test_client().post(f"/{MATCH}")

    assert capsys.readouterr().err == ""
