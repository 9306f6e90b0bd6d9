"""Every answer that the contract describes is one that the API gives."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pytest
from werkzeug.test import TestResponse

from services.api import create_app
from services.bootstrap import connect
from services.http.context import EXTENSION
from services.invitations import Invitation
from services.settings import Settings
from services.views import Projector
from tests.api.examples import (
    GOOD,
    MOVE,
    PLACES,
    QUERIES,
    holder,
    own_places,
    prepare,
)
from tests.support.app import Client
from tests.support.contract import operations
from tests.support.tables import PRIVATE

ANALYSES = ("analysePosition", "analyseMatch", "takeHint")
UNREPEATED = ("computePosition", "openRematch")
"""These have no idempotency key: twice is once, or nothing is recorded."""


class Asker:
    """Sends the good request of an operation, or one that is wrong in one way."""

    def __init__(self, client: Client, method: str, path: str, name: str) -> None:
        self.client, self.method, self.path = client, method, path
        self.good = GOOD.get(name)
        self.name = name
        self.match = prepare(client, name)
        self.places = PLACES | own_places(client, path)
        self.holder = holder(client, name, self.match)

    def ask(
        self,
        *,
        client: Client | None = None,
        body: Any = None,
        query: str = "",
        places: dict[str, str] | None = None,
        **headers: str,
    ) -> TestResponse:
        filled = {"match_id": self.match["id"], **self.places, **(places or {})}
        south = self.match["seats"]["south"] or {}
        filled.setdefault("player", south.get("player", "nobody"))
        path = self.path.format(**filled) + (query or QUERIES.get(self.name, ""))
        sent = body if body is not None else self.good
        if self.name == "seekAsGuest":
            headers = {"Idempotency_Key": uuid4().hex, **headers}
        if self.name == "importMatch":
            export = sent if isinstance(sent, bytes) else b"{}\n"
            return (client or self.client).upload(path, export, **headers)
        return (client or self.holder).call(self.method, path, sent, **headers)

    def raw(self, data: bytes, content_type: str) -> TestResponse:
        headers = {**self.holder.authorization(), "Content-Type": content_type}
        path = self.path.format(match_id=self.match["id"], **self.places)
        return self.client.send(self.method, path, data=data, headers=headers)

    # -- one way to each status

    def be_sought(self, game: str) -> None:
        """Let somebody else look for an opponent."""
        if self.name == "seekAsGuest":
            self.client.post("/v1/guest-seeks", {"game": game}, Idempotency_Key="o")
        else:
            self.client.post("/v1/seeks", {"game": game, "player": "u-7"})

    def get_200(self) -> TestResponse:
        if self.name in ("seekOpponent", "seekAsGuest"):
            self.be_sought("kalah")
        if self.method == "POST":
            self.ask(Idempotency_Key="k")
        if self.name in ANALYSES:
            self.find_all()
        return self.ask(Idempotency_Key="k")

    def find_all(self) -> None:
        """Let somebody have thought about whatever was asked."""
        services = self.client.flask.application.extensions[EXTENSION]
        while (taken := services.analyses.take_next()) is not None:
            services.analyses.finish(services.analyses.begin(taken, "w"), "w")

    def get_201(self) -> TestResponse:
        if self.name in ("seekOpponent", "seekAsGuest"):
            self.be_sought("kalah")
        return self.ask()

    def get_202(self) -> TestResponse:
        return self.ask()

    def get_204(self) -> TestResponse:
        return self.ask()

    def get_304(self) -> TestResponse:
        return self.ask(If_None_Match=self.ask().headers["ETag"])

    def get_400(self) -> TestResponse:
        if self.name in UNREPEATED or self.method == "PATCH":
            return self.raw(b"{", "application/json")
        if self.method == "GET":
            return self.ask(query="?unknown=1")
        return self.ask(Idempotency_Key="not\tvisible")

    def get_401(self) -> TestResponse:
        return self.ask(client=self.client.holding("sk_wrong"))

    def get_403(self) -> TestResponse:
        match = self.client.open_match()
        token = match["seat_tokens"]["south"]
        if self.name == "cancelAnalysis":
            token = self.client.post("/v1/keys", {"role": "read"}).get_json()["key"]
        if self.name == "computePosition":  # for whoever plays, not who looks on
            path = f"/v1/matches/{match['id']}/spectator-tokens"
            token = self.client.post(path).get_json()["token"]
        return self.ask(client=self.client.holding(token))

    def get_404(self) -> TestResponse:
        if self.name == "listFeed":
            return self.ask(query="?cursor=9999")
        if self.name == "acceptInvitation":  # to a match that has vanished since
            services = self.client.flask.application.extensions[EXTENSION]
            gone = Invitation("mat_none", "", "", 2**40)
            token, *_ = services.invitations.issue(gone)
            invited = self.client.holding(token)
            return self.ask(client=invited, places={"match_id": "mat_none"})
        nowhere = {
            "match_id": "mat_none",
            "key": "chess",
            "game": "chess",
            "name": "none",
            "player": "x",
            "seek_id": "skg_none",
            "analysis_id": "ana_none",
            "endpoint_id": "whe_none",
            "key_id": "key_none",
        }
        return self.ask(places=nowhere)

    def get_406(self) -> TestResponse:
        return self.ask(Accept="text/event-stream")

    def get_409(self) -> TestResponse:
        if self.name == "importMatch":
            self.ask()
            return self.ask()
        if self.name == "openMatch":
            services = self.client.flask.application.extensions[EXTENSION]
            services.tenants.limits.give("ten_a", {"open_matches": 1})
            return self.ask()
        if self.name == "seekOpponent":
            services = self.client.flask.application.extensions[EXTENSION]
            services.tenants.limits.give("ten_a", {"open_matches": 1})
            self.be_sought("kalah")
            return self.ask()
        if self.name == "seekAsGuest":
            services = self.client.flask.application.extensions[EXTENSION]
            with patch.dict(services.quotas.defaults, {"seeks": 0}):
                return self.ask()
        if self.name == "readSeek":
            services = self.client.flask.application.extensions[EXTENSION]
            services.tenants.limits.give("ten_a", {"open_matches": 1})
            self.be_sought("oware")
            return self.ask()
        if self.name == "analysePosition":
            services = self.client.flask.application.extensions[EXTENSION]
            services.tenants.limits.give("ten_a", {"open_analyses": 1})
            self.ask(body={"game": "oware"})
            return self.ask()
        if self.name == "endSeek":
            self.be_sought("oware")
            return self.ask()
        if self.name == "openRematch":
            self.match = self.client.open_match()
            return self.ask()
        if self.name == "acceptInvitation":
            path = f"/v1/matches/{self.match['id']}/players"
            self.client.post(path, {"kind": "ai", "level": 1})
            return self.ask()
        if self.name == "createKey":
            with patch("services.tenants.MOST_KEYS", 1):
                return self.ask()
        if self.name == "createEndpoint":
            for _ in range(10):
                self.ask()
        elif self.name == "rotateKey":
            self.client.call("DELETE", f"/v1/keys/{self.places['key_id']}")
        elif self.name == "renewSeatToken":
            seats = {"south": {"kind": "ai", "level": 1}}
            self.match = self.client.open_match(seats=seats)
        elif self.name in (
            "forkMatch",
            "analyseMatch",
        ):  # there is no position before the guess
            self.match = self.client.open_match(starter="fist")
        else:
            self.match = self.client.open_match()
            path = f"/v1/matches/{self.match['id']}/resignation"
            self.client.post(path, {"seat": "north"})
        return self.ask()

    def get_410(self) -> TestResponse:
        services = self.client.flask.application.extensions[EXTENSION]
        Projector(services.event_log, services.tenant_feed).begin()
        services.tenant_feed.trim(lambda *_: True)
        return self.ask(query="?cursor=1")

    def get_412(self) -> TestResponse:
        if self.method == "GET":
            return self.ask(If_Match='"1"')
        self.ask(body={**MOVE, "move": "C"})
        return self.ask()

    def get_413(self) -> TestResponse:
        if self.name == "importMatch":
            return self.raw(b" " * 4_200_000, "application/x-ndjson")
        return self.raw(b" " * 70_000, "application/json")

    def get_415(self) -> TestResponse:
        return self.raw(b"x", "text/plain")

    def get_422(self) -> TestResponse:
        if self.name == "renewSeatToken":
            return self.ask(places={"seat": "east"})
        return self.ask(body={"unknown": 1})

    def get_428(self) -> TestResponse:
        return self.ask(body={"move": "A", "seat": "south"})

    def get_429(self) -> TestResponse:
        if self.name in ("openGuestMatch", "seekAsGuest"):
            for _ in range(3):
                self.ask()
            return self.ask()
        services = self.client.flask.application.extensions[EXTENSION]
        app = create_app(connect(replace(services.settings, rate_per_address=1)))
        hurried = Client(app.test_client(), self.client.token)
        self.ask(client=hurried)
        return self.ask(client=hurried)

    def get_503(self) -> TestResponse:
        away = connect(
            Settings(
                redis_url="redis://127.0.0.1:1/0",
                secret="test secret",
                signing_key="none" if self.name == "listSigningKeys" else PRIVATE,
            )
        )
        flask_client = create_app(away).test_client()
        return self.ask(client=Client(flask_client, self.client.token))


def answers() -> list[Any]:
    return [
        pytest.param(method, path, name, status, id=f"{name}-{status}")
        for (method, path), operation in operations().items()
        for status in operation["responses"]
        if (name := operation["operationId"]) and status != "default"
    ]


@pytest.mark.parametrize(("method", "path", "name", "status"), answers())
def test_the_answer_is_given(
    client: Client, method: str, path: str, name: str, status: str
) -> None:
    """The client itself holds the answer against its description."""
    asker = Asker(client, method, path, name)
    ask: Callable[[], TestResponse] = getattr(asker, f"get_{status}")

    assert ask().status_code == int(status)
