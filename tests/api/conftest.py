"""An app on fakeredis, with a key, and the short words the tests speak in."""

from pathlib import Path
from typing import Any

import pytest
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from services.api import create_app
from services.bootstrap import Services, connect
from services.eventlog.connection import Connections
from services.settings import Settings
from tests.api.contract import check_answer
from tests.audit.making import PRIVATE


class Client:
    """Speaks JSON with the app, as whoever holds the token."""

    def __init__(self, flask_client: FlaskClient, token: str) -> None:
        self.flask = flask_client
        self.token = token

    def call(
        self, method: str, path: str, json: Any = None, **headers: str
    ) -> TestResponse:
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            sent.setdefault("Authorization", f"Bearer {self.token}")
        given = {} if json is None else {"json": json}
        return self.send(method, path, headers=sent, **given)

    def send(self, method: str, path: str, **given: Any) -> TestResponse:
        """Send a request as it is, and hold the answer against the contract."""
        answer = self.flask.open(path, method=method, **given)
        check_answer(method, path.partition("?")[0], answer)
        return answer

    def upload(self, path: str, export: bytes, **headers: str) -> TestResponse:
        """Send an export to be imported."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent |= {**self.authorization(), "Content-Type": "application/x-ndjson"}
        return self.send("POST", path, data=export, headers=sent)

    def authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.call("GET", path, **headers)

    def post(self, path: str, json: Any = None, **headers: str) -> TestResponse:
        return self.call("POST", path, {} if json is None else json, **headers)

    def patch(self, path: str, json: Any, **headers: str) -> TestResponse:
        return self.call("PATCH", path, json, **headers)

    def holding(self, token: str) -> "Client":
        return Client(self.flask, token)

    def open_match(self, game: str = "kalah", **fields: Any) -> dict[str, Any]:
        first, second = ("black", "white") if game == "reversi" else ("south", "north")
        human = {"kind": "human"}
        seats = fields.pop("seats", {first: human, second: human})
        answer = self.post("/v1/matches", {"game": game, "seats": seats, **fields})
        assert answer.status_code == 201, answer.text
        body: dict[str, Any] = answer.get_json()
        return body


def prepare(client: Client, operation: str) -> dict[str, Any]:
    """Return a match on which the example of an operation makes sense."""
    human = {"kind": "human"}
    seats = {"south": human | {"name": "Amara"}, "north": human}
    if operation == "takeSeat":
        seats.pop("north")
    starter = {"starter": "fist"} if operation == "guessFist" else {}
    match = client.open_match(seats=seats, **starter)
    path = f"/v1/matches/{match['id']}"
    if operation in ("requestTakeback", "answerTakeback"):
        move = {"move": "A", "seat": "south", "expected_version": 3}
        client.post(f"{path}/moves", move)
    if operation == "answerTakeback":
        client.post(f"{path}/takebacks", {"seat": "south", "to_version": 3})
    if operation == "answerDrawOffer":
        client.post(f"{path}/draw-offers", {"seat": "south"})
    return match


def endpoint_places(client: Client, path: str) -> dict[str, str]:
    """Return an endpoint and a delivery, where a path has places for them."""
    if "{endpoint_id}" not in path:
        return {}
    made = {"url": "https://93.184.215.14/", "events": ["*"]}
    endpoint = client.post("/v1/webhook-endpoints", made).get_json()["id"]
    ping = client.post(f"/v1/webhook-endpoints/{endpoint}/ping").get_json()
    return {"endpoint_id": endpoint, "delivery_id": ping["id"]}


@pytest.fixture
def services(fake_redis: str, tmp_path: Path) -> Services:
    Connections(fake_redis).call("FLUSHALL")
    return connect(
        Settings(
            redis_url=fake_redis,
            secret="test secret",
            signing_key=PRIVATE,
            data=tmp_path,
            guests_per_address=3,
        )
    )


@pytest.fixture
def client(services: Services) -> Client:
    app = create_app(services)
    secret, _ = services.tenants.create_key("ten_a")
    return Client(app.test_client(), secret)


@pytest.fixture
def stranger(client: Client, services: Services) -> Client:
    """Another tenant's app."""
    return client.holding(services.tenants.create_key("ten_b")[0])
