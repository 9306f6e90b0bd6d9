"""What belongs to one tenant is not there for another, in any operation.

Every operation of the contract is tried with every kind of token that another tenant
has: an operation that is added without a case fails here.
"""

import re
from dataclasses import dataclass
from typing import Any

import pytest
from werkzeug.test import TestResponse

from services.bootstrap import Services
from services.stream.app import create_stream_app
from services.views import Projector
from tests.api.examples import GOOD, QUERIES, own_places, prepare
from tests.support.app import Client
from tests.support.contract import operations

ALL = {**operations(), **operations(streams=True)}
STREAMS = set(operations(streams=True))

NEVER = {
    "match_id": "mat_neverWasAMatchHere12",
    "player": "ply_neverWasOne12",
    "key_id": "key_000000000000",
    "endpoint_id": "whe_000000000000000000000000",
    "analysis_id": "ana_000000000000000000000000",
    "seek_id": "skg_neverWasOneHere12",
    "delivery_id": "dlv_000000000000000000000000_1",
}
"""Objects by how paths call them; in their place, some that never were."""

LISTS = ("/v1/keys", "/v1/webhook-endpoints")
PART_OF = {
    "seat": "south",
    "game": "kalah",
    "clock_class": "untimed",
    "other": "ai:3",
}
OWN_ID = "u-of-the-app"
OWN = {
    "openMatch": [""],
    "listMatches": ["", "?player={player}", "?ids={match_id}", "?limit=200"],
    "listStatistics": [""],
    "readLeaderboard": [""],
    "seekOpponent": [""],
    "listFeed": ["", "?limit=1000", "?type=match.opened"],
    "followFeed": [""],
    "createKey": [""],
    "listKeys": [""],
    "createEndpoint": [""],
    "listEndpoints": [""],
    "computePosition": [""],
    "analysePosition": [""],
    "readLimits": [""],
    "importMatch": [""],
}
"""Operations on what a tenant has itself, and the ways to ask for another's there."""


@dataclass
class Theirs:
    """What one tenant has, as another one would like to have it."""

    client: Client
    match: dict[str, Any]
    places: dict[str, str]

    def named(self) -> set[str]:
        tokens = self.match["seat_tokens"].values()
        return {*self.places.values(), *tokens} - {*PART_OF.values()}


def theirs(client: Client, operation: str) -> Theirs:
    match = prepare(client, operation)
    places = {"match_id": match["id"], **PART_OF}
    places["player"] = match["seats"]["south"]["player"]
    for path in ("{key_id}", "{endpoint_id}", "{seek_id}", "{analysis_id}"):
        places |= own_places(client, path)
    return Theirs(client, match, places)


def holders(stranger: Client) -> dict[str, Client]:
    """Return another tenant's clients: each role, and tokens of a match of its own."""
    found = {"admin": stranger}
    for role in ("read", "play"):
        made = stranger.post("/v1/keys", {"role": role}).get_json()
        found[role] = stranger.holding(made["key"])
    match = stranger.open_match()
    tokens = stranger.post(f"/v1/matches/{match['id']}/spectator-tokens").get_json()
    found["seat"] = stranger.holding(match["seat_tokens"]["south"])
    found["spectator"] = stranger.holding(tokens["token"])
    return found


def ask(
    client: Client, method: str, path: str, name: str, query: str, streams: Client
) -> TestResponse:
    body = GOOD.get(name)
    if (method, path.partition("?")[0]) in STREAMS or "/stream" in path:
        headers = client.authorization()
        return streams.flask.open(path + query, method=method, headers=headers)
    if name == "importMatch":
        return client.upload(path, body)
    return client.call(method, path + query, body, Idempotency_Key="the-same")


def shape(answer: TestResponse, places: dict[str, str], path: str) -> Any:
    """Return what a refusal tells, but for what was asked for and when."""
    problem = answer.get_json(force=True)
    text = problem["detail"]
    for value in (path, *places.values()):
        text = text.replace(value, "X")
    del problem["request_id"], problem["detail"]
    headers = sorted(name for name, _ in answer.headers)
    return answer.status_code, problem, text, headers


@pytest.fixture
def streams(services: Services) -> Client:
    return Client(create_stream_app(services, lambda: False).test_client(), "")


def asked(*, own: bool) -> list[Any]:
    return [
        pytest.param(*key, operation["operationId"], id=operation["operationId"])
        for key, operation in ALL.items()
        if operation.get("security") != []
        and own == (not set(re.findall(r"{(\w+)}", key[1])) & set(NEVER))
    ]


def test_every_operation_has_a_case() -> None:
    """One whose path names something unknown, or nothing, has to be thought of here."""
    for (_, path), operation in ALL.items():
        if operation.get("security") == []:
            continue
        places = set(re.findall(r"{(\w+)}", path))
        assert places <= {*NEVER, *PART_OF}, path
        assert bool(places & set(NEVER)) != (operation["operationId"] in OWN), path


@pytest.mark.parametrize(("method", "path", "name"), asked(own=False))
def test_what_is_somebody_elses_is_as_if_it_never_was(
    client: Client,
    stranger: Client,
    streams: Client,
    method: str,
    path: str,
    name: str,
) -> None:
    """The same status, type, members, words and headers; and nothing happens."""
    other = theirs(client, name)
    before = client.get(f"/v1/matches/{other.match['id']}").get_json()
    listed = [client.get(path).get_json()["data"] for path in LISTS]
    query = QUERIES.get(name, "")
    named = {**other.places, "player": OWN_ID}
    client.open_match(seats={"south": {"kind": "human", "player": OWN_ID}})
    never = {**other.places, **{k: v for k, v in NEVER.items() if k in path}}
    for holder, asking in holders(stranger).items():
        told = []
        for places in (other.places, named, never):
            full = path.format(**places)
            answer = ask(asking, method, full, name, query, streams)
            assert answer.status_code in (403, 404), (holder, answer.text)
            documented = ALL[method, path]["responses"]
            assert str(answer.status_code) in documented, holder
            told.append(shape(answer, places, full))
        assert told[0] == told[1] == told[2], holder
    assert client.get(f"/v1/matches/{other.match['id']}").get_json() == before
    assert [client.get(path).get_json()["data"] for path in LISTS] == listed


@pytest.mark.parametrize(("method", "path", "name"), asked(own=True))
def test_nothing_of_another_is_told_among_ones_own(
    client: Client,
    stranger: Client,
    streams: Client,
    services: Services,
    method: str,
    path: str,
    name: str,
) -> None:
    other = theirs(client, name)
    asking = holders(stranger)
    for view in services.views:
        projector = Projector(services.event_log, view)
        projector.begin()
        projector.run_once()
    for holder, client_ in asking.items():
        for query in OWN[name]:
            filled = query.format(**other.places)
            full = path.format(**PART_OF)
            answer = ask(client_, method, full, name, filled, streams)
            assert answer.status_code < 500, holder
            text = answer.text
            if "?ids=" in query:  # what was asked for is told to be missing
                text = text.replace(f'"missing":["{other.match["id"]}"]', "")
            assert not [named for named in other.named() if named in text], holder
