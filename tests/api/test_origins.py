"""Pages of the allowed origins may read the API; nothing is said where none are."""

import re
from collections.abc import Mapping
from dataclasses import replace

import pytest

from services.api import create_app
from services.bootstrap import Services
from services.environment import from_environment
from services.eventlog import LogGone, LogUnavailable
from services.languages import Message
from services.settings import InvalidSetting, Settings
from services.tenants import InvalidOrigin
from tests.support.app import Client
from tests.support.contract import operations

APP, OTHER = "https://app.example", "http://elsewhere.example"
ALLOW = "Access-Control-Allow-Origin"
READ = "Access-Control-Expose-Headers"


def serving(services: Services, origins: str, token: str = "") -> Client:
    settings = replace(services.settings, origins=origins)
    return Client(create_app(replace(services, settings=settings)).test_client(), token)


def preflight(client: Client, path: str, origin: str, method: str = "POST") -> object:
    asked = {"Origin": origin, "Access-Control-Request-Method": method}
    return client.flask.options(path, headers=asked).headers


@pytest.mark.parametrize("origin", [APP, OTHER, "http://localhost"])
def test_nothing_is_said_of_origins_without_the_setting(
    client: Client, origin: str
) -> None:
    for path in ("/v1/games", "/v1/nothing", "/"):
        for method in ("GET", "OPTIONS"):
            asked = {"Origin": origin, "Access-Control-Request-Method": "GET"}
            answer = client.flask.open(path, method=method, headers=asked)
            told = {name for name, _ in answer.headers}
            assert not {name for name in told if name.startswith("Access-Control")}
            assert "Origin" not in answer.vary


def test_every_operation_can_be_called_from_an_allowed_origin(
    services: Services,
) -> None:
    """What it sends is allowed, what it answers can be read, refusals too."""
    client = serving(services, f"http://localhost:3000 {APP.upper()}")
    for method, template in operations():
        if template.startswith(("/client/", "/embed.js")):
            continue  # for every origin
        path = re.sub(r"\{\w+\}", "x", template)
        told = client.flask.options(
            path, headers={"Origin": APP, "Access-Control-Request-Method": method}
        ).headers
        assert told[ALLOW] == APP
        assert method in told["Access-Control-Allow-Methods"].split(", ")
        sent = set(told["Access-Control-Allow-Headers"].split(", "))
        assert sent >= {"Authorization", "Content-Type", "Idempotency-Key", "If-Match"}
        answer = client.flask.open(path, method=method, headers={"Origin": APP})
        assert answer.headers.getlist(ALLOW) == [APP]
        assert "Origin" in answer.vary
        read = set(answer.headers[READ].split(", "))
        assert read >= {"ETag", "Location", "Retry-After", "X-Request-Id"}
        assert "Access-Control-Allow-Credentials" not in answer.headers


@pytest.mark.parametrize("origins", ["", APP, "*"])
@pytest.mark.parametrize("name", ["seedlog.js", "seedlog.d.ts"])
def test_the_client_may_be_imported_by_every_page(
    services: Services, origins: str, name: str
) -> None:
    """It is public, and the same for all: nothing of the tenant is in it."""
    client = serving(services, origins)
    answer = client.flask.get(f"/client/{name}", headers={"Origin": OTHER})

    assert answer.headers.getlist(ALLOW) == ["*"]
    assert answer.headers["Cross-Origin-Resource-Policy"] == "cross-origin"
    assert "Seedlog" in answer.text
    known = {"If-None-Match": answer.headers["ETag"]}
    assert client.flask.get(f"/client/{name}", headers=known).status_code == 304


def test_other_origins_are_told_nothing(services: Services) -> None:
    """But caches are told that the answer depends on who asks."""
    client = serving(services, APP)
    for origin in (OTHER, f"{APP}.evil.example", "null", "http://app.example", ""):
        headers = {"Origin": origin, "Access-Control-Request-Method": "GET"}
        for answer in (
            client.flask.get("/v1/games", headers=headers),
            client.flask.options("/v1/games", headers=headers),
        ):
            assert ALLOW not in answer.headers
            assert "Origin" in answer.vary


def test_any_origin_can_be_allowed(services: Services) -> None:
    client = serving(services, "*")

    answer = client.flask.get("/v1/games", headers={"Origin": OTHER})

    assert answer.headers[ALLOW] == OTHER


def test_a_page_of_another_origin_hears_that_the_log_is_gone(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its browser asks first, and would tell of a refused origin instead."""

    def gone() -> None:
        raise LogGone(Message("it is another one"))

    monkeypatch.setattr(services.event_log, "watch", gone)
    client = serving(services, APP)

    asked = {"Origin": APP, "Access-Control-Request-Method": "POST"}
    assert client.flask.options("/v1/matches", headers=asked).status_code == 200
    answer = client.post("/v1/matches", {"game": "kalah"}, Origin=APP)
    assert (answer.status_code, answer.headers[ALLOW]) == (503, APP)


@pytest.mark.parametrize(
    "wrong",
    ["app.example", "https://", "https://a/", "https://a/b", "ws://a", "https://u@a"],
)
def test_an_origin_is_written_as_browsers_send_it(wrong: str) -> None:
    with pytest.raises(InvalidSetting, match="such as https://app"):
        from_environment({"SEEDLOG_ORIGINS": f"{APP} {wrong}"})


def test_the_origins_are_named_in_one_place() -> None:
    assert from_environment({"SEEDLOG_ORIGINS": f"{APP} *"}) == Settings(
        origins=f"{APP} *"
    )
    with pytest.raises(InvalidSetting, match="name all origins there"):
        from_environment({"SEEDLOG_ORIGINS": APP, "SEEDLOG_STREAM_ORIGINS": OTHER})


def test_a_tenant_lets_the_pages_of_its_origins_in(services: Services) -> None:
    """They read what is answered for it, and nothing that is answered for others."""
    app = create_app(services).test_client()
    ours, _ = services.tenants.create_key("Ours")
    theirs, _ = services.tenants.create_key("Theirs")
    services.tenants.origins.let_in("Ours", [APP.upper()])
    services.tenants.origins.let_in("Theirs", [OTHER])

    told = preflight(Client(app, ours), "/v1/matches", APP)
    assert told[ALLOW] == APP  # type: ignore[index]
    assert ALLOW not in preflight(
        Client(app, ours), "/v1/matches", "https://third.example"
    )  # type: ignore[operator]
    for token, allowed in ((ours, True), (theirs, False)):
        answer = app.get(
            "/v1/matches", headers={"Origin": APP, "Authorization": f"Bearer {token}"}
        )
        assert (answer.headers.get(ALLOW) == APP) is allowed
        assert "Origin" in answer.vary
    services.tenants.origins.let_in("Ours", [])
    assert services.tenants.origins.let_in("Ours", None) == ()


def test_the_token_of_a_seat_acts_for_the_tenant_of_its_match(
    services: Services,
) -> None:
    """Its pages may play, be refused in words, and have the match in a frame."""
    key, _ = services.tenants.create_key("Ours")
    services.tenants.origins.let_in("Ours", [APP])
    services.tenants.create_key("Theirs")
    services.tenants.origins.let_in("Theirs", [OTHER])
    client = Client(create_app(services).test_client(), key)
    human = {"kind": "human"}
    opened = client.open_match(seats={"south": human, "north": human})
    path = f"/v1/matches/{opened['id']}"
    sent = {"Authorization": f"Bearer {opened['seat_tokens']['south']}"}

    for method, where in (("GET", path), ("POST", f"{path}/moves")):
        for origin, allowed in ((APP, True), (OTHER, False)):
            headers = {**sent, "Origin": origin, "If-Match": '"3"'}
            body = {"move": "Z"} if method == "POST" else None
            answer = client.flask.open(where, method=method, json=body, headers=headers)
            assert (answer.headers.get(ALLOW) == origin) is allowed, (method, origin)
    framed = client.flask.get(f"/?match={opened['id']}")
    assert f"frame-ancestors {APP};" in framed.headers["Content-Security-Policy"]
    for other in ("/", "/?match=mat_nothing", "/?match=%00"):
        policy = client.flask.get(other).headers["Content-Security-Policy"]
        assert "frame-ancestors 'none'" in policy


@pytest.mark.parametrize(
    "wrong",
    ["app.example", "https://a/", "*", "https://u@a", "https://a;b", "https://*.a", ""],
)
def test_an_origin_of_a_tenant_is_written_as_browsers_send_it(
    services: Services, wrong: str
) -> None:
    services.tenants.create_key("Ours")
    with pytest.raises(InvalidOrigin, match="as browsers send it"):
        services.tenants.origins.let_in("Ours", [wrong])
    with pytest.raises(InvalidOrigin, match="at most"):
        services.tenants.origins.let_in("Ours", [f"https://a{n}" for n in range(21)])


def test_while_redis_is_away_not_every_request_waits_for_it(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[None] = []

    def read(*_: object) -> Mapping[str, frozenset[str]]:
        asked.append(None)
        raise LogUnavailable(Message("Redis did not answer"), "within 2 s")

    monkeypatch.setattr(services.tenants.origins, "_read", read)
    client = create_app(services).test_client()

    assert client.get("/health/live").status_code == 200
    assert asked == []
    monkeypatch.setattr(services.tenants, "find_key", read)
    sent = {"Authorization": "Bearer sk_anything"}
    assert client.get("/v1/matches", headers=sent).status_code == 503
    assert len(asked) == 1  # and not once more for the pages that may read that
    asked.clear()
    for _ in range(5):
        assert client.get("/v1/games/kalah").status_code == 200
    assert len(asked) == 1
