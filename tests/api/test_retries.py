"""Every POST sent twice, thrice and at once has one effect and one answer.

The operations are those of the contract: one that is added without a case fails here.
What a request has done is read from Redis, all of it (`traces`).
"""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from werkzeug.test import TestResponse

from tests.api.examples import GOOD, PLACES, holder, own_places, prepare
from tests.support.app import Client
from tests.support.contract import operations
from tests.support.samples import RECORDED
from tests.support.traces import difference, kinds, traces

AT_ONCE = 8
POSTS = {key: told for key, told in operations().items() if key[0] == "POST"}
EVE = {"kind": "human", "player": "u-eve", "name": "Eve"}

OTHERS: dict[str, Any] = {
    "openMatch": {"game": "kalah", "seats": {"south": EVE}},
    "takeSeat": EVE,
    "playMove": {"move": "C", "seat": "south", "expected_version": 3},
    "resign": {"seat": "north"},
    "offerDraw": {"seat": "north"},
    "answerDrawOffer": {"seat": "north", "accept": True},
    "requestTakeback": {"seat": "north", "to_version": 3},
    "answerTakeback": {"seat": "north", "accept": False},
    "guessFist": {"seat": "north", "fist": "right"},
    "forkMatch": {"version": 3, "seats": {"south": EVE}},
    "importMatch": (RECORDED / "kalah-1.jsonl").read_bytes(),
    "openGuestMatch": {"game": "kalah", "level": 2},
    "analysePosition": {"game": "kalah", "moves": ["D"]},
    "analyseMatch": {"time_ms": 60},
    "takeHint": {"seat": "north"},
    "createEndpoint": {"url": "https://93.184.215.14/other", "events": ["*"]},
    "issueSpectatorToken": {"expires_in_s": 60},
    "issueInvitation": {"seat": "north", "player": "u-eve"},
    "seekOpponent": {"game": "kalah", "player": "u-eve", "name": "Eve"},
    "seekAsGuest": {"game": "oware"},
    "acceptInvitation": {"name": "Eve"},
    "createKey": {"label": "other", "role": "admin"},
    "rotateKey": {"overlap_s": 0},
}
"""Other requests that would succeed, too, but for a key that came before."""

SAYS_NOTHING = {
    *("renewSeatToken", "abortMatch", "rotateSecret", "pingEndpoint", "deliverAgain")
}
"""What they do says their path alone; so no other body could come with the same key."""

WITHOUT_KEY = {"openRematch", "computePosition"}
"""Twice is once by what they are about, or nothing is recorded."""

PASSING = ("lasts_until",)
"""Members of an answer that say when it was given."""


class Sender:
    """Sends one request of an operation, as often as is wanted."""

    def __init__(self, client: Client, path: str, name: str) -> None:
        match = prepare(client, name)
        places = PLACES | own_places(client, path)
        self.name = name
        self.path = path.format(match_id=match["id"], **places)
        self.token = holder(client, name, match).token
        self.app = client.flask.application
        self.headers = {} if name in WITHOUT_KEY else {"Idempotency-Key": "one"}

    def send(self, body: Any = None) -> TestResponse:
        client = Client(self.app.test_client(), self.token)
        body = GOOD.get(self.name, {}) if body is None else body
        named = {name.replace("-", "_"): text for name, text in self.headers.items()}
        if self.name == "importMatch":
            return client.upload(self.path, body, **named)
        return client.call("POST", self.path, body, **named)

    def send_at_once(self, count: int) -> list[TestResponse]:
        answers: list[TestResponse] = []
        ready = threading.Barrier(count)

        def send() -> None:
            ready.wait()
            answers.append(self.send())

        threads = [threading.Thread(target=send) for _ in range(count)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(answers) == count
        return answers


def told(answer: TestResponse) -> Any:
    body = answer.get_json()
    shown = {name: body[name] for name in body if name not in PASSING}
    return shown, answer.headers.get("Location"), answer.headers.get("ETag")


def posts(*, but: set[str] = frozenset()) -> Any:  # type: ignore[assignment]
    return pytest.mark.parametrize(
        ("path", "name"),
        [
            pytest.param(path, operation["operationId"], id=operation["operationId"])
            for (_, path), operation in POSTS.items()
            if operation["operationId"] not in but
        ],
    )


def statuses(name: str) -> tuple[int, int]:
    """Return what the first request is answered by, and what all others are."""
    known = next(o for o in POSTS.values() if o["operationId"] == name)["responses"]
    if "202" in known:  # what was asked for goes on, and is told as it is
        return 202, 202
    return (201, 200) if "201" in known else (200, 200)


def test_every_post_is_safe_to_repeat_by_a_key_or_by_itself() -> None:
    for (_, path), operation in POSTS.items():
        refs = [given.get("$ref", "") for given in operation.get("parameters", [])]
        name = operation["operationId"]
        has_key = any(ref.endswith("IdempotencyKey") for ref in refs)
        assert has_key != (name in WITHOUT_KEY), path
        assert (name in OTHERS) != (name in SAYS_NOTHING | WITHOUT_KEY), path


@posts()
def test_twice_and_thrice_is_once(
    begin: Callable[..., Client], real_redis: str, path: str, name: str
) -> None:
    sender = Sender(begin(), path, name)

    first = sender.send()
    done = traces(real_redis)
    again = [sender.send(), sender.send()]

    assert (first.status_code, again[0].status_code) == statuses(name)
    assert again[1].status_code == again[0].status_code
    assert [told(answer) for answer in again] == [told(first)] * 2
    assert not difference(done, traces(real_redis))


@posts()
def test_many_at_once_are_one(
    begin: Callable[..., Client], real_redis: str, path: str, name: str
) -> None:
    """As much of everything stays behind as if one alone had been sent."""
    Sender(begin(), path, name).send()
    alone = kinds(traces(real_redis))
    sender = Sender(begin(), path, name)

    answers = sender.send_at_once(AT_ONCE)

    assert kinds(traces(real_redis)) == alone
    first, others = statuses(name)
    given = sorted(answer.status_code for answer in answers)
    assert given == sorted([first, *[others] * (AT_ONCE - 1)])
    assert all(told(answer) == told(answers[0]) for answer in answers)


@posts(but=SAYS_NOTHING | WITHOUT_KEY)
def test_another_request_with_the_same_key_is_refused_and_leaves_no_trace(
    begin: Callable[..., Client], real_redis: str, path: str, name: str
) -> None:
    sender = Sender(begin(), path, name)
    first = sender.send()
    done = traces(real_redis)

    other = sender.send(OTHERS[name])

    assert other.status_code == 422, other.text
    assert other.get_json()["type"] == "/problems/idempotency-key-reused"
    assert not difference(done, traces(real_redis))
    assert told(sender.send()) == told(first)


def test_a_seek_that_finds_somebody_at_once_finds_one(
    begin: Callable[..., Client], real_redis: str
) -> None:
    client = begin()
    first = client.post("/v1/seeks", {"game": "kalah", "player": "u-7"}).get_json()
    sender = Sender(client, "/v1/seeks", "seekOpponent")

    answers = sender.send_at_once(AT_ONCE)

    assert {answer.status_code for answer in answers} <= {200, 201}
    assert all(told(answer) == told(answers[0]) for answer in answers)
    other = client.get(f"/v1/seeks/{first['id']}").get_json()
    assert other["match"]["id"] == answers[0].get_json()["match"]["id"]
    assert kinds(traces(real_redis))["m:{#}:#:ev"] == 2  # one is that of `Sender`


def test_who_asks_for_an_invitation_again_gets_it_when_the_seat_is_taken(
    begin: Callable[..., Client],
) -> None:
    client = begin()
    match = client.open_match(seats={"south": {"kind": "human"}})
    path = f"/v1/matches/{match['id']}/invitations"
    first = client.post(path, Idempotency_Key="k")
    client.post(f"/v1/matches/{match['id']}/players", {"kind": "ai", "level": 1})

    again = client.post(path, Idempotency_Key="k")

    assert (again.status_code, told(again)) == (200, told(first))


@pytest.mark.parametrize("way", ["again", "other"])
def test_a_repeated_request_gives_no_place_back(
    begin: Callable[..., Client], way: str
) -> None:
    """Or a tenant could open more matches than it may."""
    client = begin(open_matches=1)
    client.post("/v1/matches", GOOD["openMatch"], Idempotency_Key="k")
    body = GOOD["openMatch"] if way == "again" else OTHERS["openMatch"]
    client.post("/v1/matches", body, Idempotency_Key="k")

    assert client.post("/v1/matches", GOOD["openMatch"]).status_code == 409
