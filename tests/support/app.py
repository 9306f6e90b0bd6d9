"""An app under test, and a client that holds each answer against the contract."""

from pathlib import Path
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from services.api import create_app
from services.bootstrap import Services, connect
from services.eventlog.connection import Connections
from services.settings import Settings
from tests.support.contract import check_answer
from tests.support.tables import PRIVATE


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
        resource, _, query = path.partition("?")
        check_answer(method, resource, answer, is_partial="fields=" in query)
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


def services_on(redis_url: str, data: Path, **settings: Any) -> Services:
    """Return the services on a Redis that is emptied for them."""
    Connections(redis_url).call("FLUSHALL")
    return connect(
        Settings(
            redis_url=redis_url,
            secret="test secret",
            signing_key=PRIVATE,
            data=data,
            **settings,
        )
    )


def client_of(services: Services, tenant: str = "ten_a") -> Client:
    """Return a client that holds a key of a tenant."""
    secret, _ = services.tenants.create_key(tenant)
    return Client(create_app(services).test_client(), secret)
