"""Where the streams are: told by the API, the page and the command line."""

import os
import socket
import subprocess
import sys

import pytest
from flask.testing import FlaskClient

from services.api import create_app
from services.bootstrap import connect
from services.cli import redis_server
from services.settings import Settings
from tests.support.app import Client


def client_of(redis_url: str, **settings: str) -> Client:
    services = connect(Settings(redis_url=redis_url, secret="s", **settings))
    secret, _ = services.tenants.create_key("ten_a")
    return Client(create_app(services).test_client(), secret)


@pytest.fixture
def client(redis_url: str) -> Client:
    return client_of(redis_url)


def read_page(flask_client: FlaskClient, host: str) -> tuple[str, str]:
    """Return what the page is told, and what its policy lets it reach."""
    answer = flask_client.get("/", headers={"Host": host})
    told = answer.text.partition('<meta name="seedlog-stream" content="')[2]
    policy = answer.headers["Content-Security-Policy"]
    reached = policy.partition("connect-src ")[2].partition(";")[0]
    return told.partition('"')[0], reached


def test_a_match_tells_where_it_can_be_followed(client: Client) -> None:
    match = client.open_match()

    url = f"http://localhost:8001/v1/matches/{match['id']}/stream"
    assert match["stream_url"] == url
    assert client.get(f"/v1/matches/{match['id']}").get_json()["stream_url"] == url
    frozen = client.get(f"/v1/matches/{match['id']}?version=1").get_json()
    assert "stream_url" not in frozen


@pytest.mark.parametrize("accept", ["text/event-stream", "application/x-ndjson"])
def test_whoever_asks_the_api_for_a_stream_is_told_where(
    client: Client, accept: str
) -> None:
    match = client.open_match()

    answer = client.get(f"/v1/matches/{match['id']}/events", Accept=accept)
    feed = client.get("/v1/events", Accept=accept)

    assert answer.status_code == feed.status_code == 406
    assert answer.get_json()["type"] == "/problems/use-stream"
    assert answer.get_json()["stream_url"] == match["stream_url"]
    assert feed.get_json()["stream_url"] == "http://localhost:8001/v1/stream"


@pytest.mark.parametrize("accept", ["*/*", "application/json", "text/html, */*"])
def test_whoever_takes_json_gets_it(client: Client, accept: str) -> None:
    match = client.open_match()

    answer = client.get(f"/v1/matches/{match['id']}/events", Accept=accept)

    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1:8000", "http://127.0.0.1:8001"),
        ("games.example", "http://games.example:8001"),
        ("[::1]:8000", "http://[::1]:8001"),
        ("seedlog_api:8000", "http://seedlog_api:8001"),
    ],
)
def test_the_page_follows_on_the_host_it_came_from(
    client: Client, host: str, expected: str
) -> None:
    assert read_page(client.flask, host) == (expected, f"'self' {expected}")


@pytest.mark.parametrize(
    "host",
    [
        *("evil; script-src *", 'x"><script>', "a@b", "a/b"),
        *(".", "-a", "a..b", "a:0", "a:65536", "a:99999"),
    ],
)
def test_a_host_that_can_be_none_is_refused(client: Client, host: str) -> None:
    """It would be built into the policy of the page, and into addresses."""
    for path in ("/", "/v1/games", "/health/live"):
        answer = client.flask.get(path, headers={"Host": host})
        assert (answer.status_code, answer.get_json()["type"]) == (
            421,
            "/problems/unknown-host",
        )


def test_only_the_hosts_of_the_settings_are_served(redis_url: str) -> None:
    client = client_of(redis_url, hosts="games.example localhost")

    def status(path: str, host: str) -> int:
        return client.flask.get(path, headers={"Host": host}).status_code

    assert status("/v1/games", "games.example") == 200
    assert status("/v1/games", "Games.Example:8000") == 200
    assert status("/v1/games", "elsewhere.example") == 421
    assert status("/health/live", "172.17.0.2:8000") == 200


def test_an_address_of_its_own_is_told_as_it_is(redis_url: str) -> None:
    client = client_of(redis_url, stream_url="https://streams.example/seedlog/")

    assert client.open_match()["stream_url"].startswith(
        "https://streams.example/seedlog/v1/matches/mat_"
    )
    told, reached = read_page(client.flask, "localhost")
    assert told == "https://streams.example/seedlog"
    assert reached == "'self' https://streams.example"


@pytest.mark.parametrize(
    ("proxies", "expected"),
    [(1, "https://games.example"), (0, "http://games.example")],
)
def test_behind_one_proxy_streams_are_where_the_api_is(
    redis_url: str, proxies: int, expected: str
) -> None:
    """What a proxy says of the scheme is believed if there is one."""
    client = client_of(redis_url, stream_url="/", trusted_proxies=proxies)
    sent = {"Host": "games.example", "X-Forwarded-Proto": "https"}

    page = client.flask.get("/", headers=sent)

    assert f'<meta name="seedlog-stream" content="{expected}"' in page.text


@pytest.mark.parametrize("command", ["stream", "up"])
def test_a_taken_port_is_a_clear_error(
    redis_url: str, tmp_path: object, command: str
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = subprocess.run(
            [sys.executable, "-m", "services.cli", command],
            env={
                **os.environ,
                "REDIS_URL": redis_url,
                "SEEDLOG_DATA": str(tmp_path),
                "SEEDLOG_PORT": str(redis_server.free_port()),
                "SEEDLOG_STREAM_PORT": str(port),
            },
            capture_output=True,
            text=True,
            timeout=60,
        )

    assert ended.returncode == 1
    assert f"port {port}" in ended.stderr
    assert "set SEEDLOG_STREAM_PORT to another one" in ended.stderr
