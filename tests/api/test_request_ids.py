"""Every request has an id: in its answer, in its problem, in the log."""

import re
from pathlib import Path

import pytest
import structlog

from services import logs
from services.api import create_app
from services.bootstrap import Services
from tests.support.app import Client
from tests.support.echo import LIMIT
from tests.support.serving import get, post, serving

ID = "X-Request-Id"


@pytest.mark.parametrize("given", ["a", "web-17.4_x~+/=", "0" * 64])
def test_a_well_formed_id_is_taken(client: Client, given: str) -> None:
    shown = client.get("/v1/games", X_Request_Id=given)
    refused = client.get("/v1/nothing", X_Request_Id=given)

    assert shown.headers[ID] == refused.headers[ID] == given
    assert refused.get_json()["request_id"] == given


@pytest.mark.parametrize("given", ["", " ", "0" * 65, "a b", 'a"', "a,b", "ä"])
def test_another_is_replaced(client: Client, given: str) -> None:
    """It stands in logs, and in headers."""
    ids = {client.get("/v1/games", X_Request_Id=given).headers[ID] for _ in range(3)}

    assert len(ids) == 3
    assert all(re.fullmatch("[0-9a-f]{16}", made) for made in ids)


@pytest.mark.parametrize("path", ["/", "/static/page.js", "/health/live", "/nothing"])
def test_answers_of_every_kind_carry_one(client: Client, path: str) -> None:
    for method in ("GET", "HEAD", "OPTIONS", "DELETE"):
        answer = client.flask.open(path, method=method)
        assert re.fullmatch("[0-9a-f]{16}", answer.headers[ID])


def test_every_line_that_a_request_writes_names_it(
    services: Services,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And none that is written by its thread afterwards."""
    logs.configure("api")
    app = create_app(services)
    monkeypatch.setattr(services.tenants, "find_key", lambda _: 1 / 0)

    answer = app.test_client().get(
        "/v1/matches", headers={ID: "mine", "Authorization": "Bearer sk_x"}
    )
    structlog.reset_defaults()

    assert answer.status_code == 500
    assert answer.get_json()["request_id"] == "mine"
    [line] = [s for s in capsys.readouterr().err.splitlines() if "internal error" in s]
    assert "request=mine" in line
    assert logs.request_id.get() == ""


def test_what_is_refused_before_any_app_has_one_too(tmp_path: Path) -> None:
    """The log tells it as well; where the head was read, it is the client's."""
    worker = "services.http.wire.worker.Worker"
    with (tmp_path / "log").open("w+b") as log, serving(log, worker=worker) as server:
        with server.connect() as wire:
            large = wire.ask(post(b"x" * (LIMIT + 1), f"{ID}: mine"))
        with server.connect() as wire:
            broken = wire.ask(b"nonsense\r\n\r\n")
        with server.connect() as wire:
            failed = wire.ask(get("/?sleep=x", f"{ID}: other"))
        told = server.log()

    assert (large.status, large.headers["x-request-id"]) == (413, "mine")
    assert (failed.status, failed.headers["x-request-id"]) == (500, "other")
    assert broken.status == 400
    for answer in (large, broken, failed):
        assert answer.json["request_id"] == answer.headers["x-request-id"]
    assert "request=mine" in told
    assert "request=other" in told
