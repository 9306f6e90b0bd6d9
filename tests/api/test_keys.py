"""API keys: what each may, for how long, and how one succeeds another."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from redis import Redis

from services.bootstrap import Services
from services.tenants import ApiKey, InvalidKey, InvalidLabel, Tenants
from tests.support.app import Client

PLAYS = [("POST", "/v1/matches", {"game": "kalah"})]
DECIDES = [
    ("GET", "/v1/keys", None),
    ("POST", "/v1/keys", {"role": "admin"}),
    ("DELETE", "/v1/keys/key_x", None),
    ("POST", "/v1/keys/key_x/rotations", {}),
    ("POST", "/v1/webhook-endpoints", {"url": "https://93.184.215.14/", "events": []}),
    ("DELETE", "/v1/webhook-endpoints/whe_x", None),
]
READS = [("GET", path, None) for path in ("/v1/matches", "/v1/events")]


def of_role(client: Client, role: str) -> Client:
    made = client.post("/v1/keys", {"role": role})
    assert made.status_code == 201
    assert made.get_json()["role"] == role
    return client.holding(made.get_json()["key"])


@pytest.mark.parametrize("role", ["read", "play"])
def test_a_key_may_do_what_its_role_may(client: Client, role: str) -> None:
    app = of_role(client, role)
    for method, path, _ in READS:
        assert app.call(method, path).status_code == 200, path
    for method, path, body in PLAYS:
        expected = 403 if role == "read" else 201
        assert app.call(method, path, body).status_code == expected, path
    for method, path, body in DECIDES:
        refused = app.call(method, path, body)
        assert refused.status_code == 403, path
        assert role in refused.get_json()["detail"] or "read" in refused.text


def test_a_key_that_may_only_read_moves_nothing(client: Client) -> None:
    """Nor does it learn a seat token by asking twice."""
    match = client.open_match()
    reader = of_role(client, "read")
    path = f"/v1/matches/{match['id']}"

    move = {"move": "A", "seat": "south", "expected_version": match["version"]}
    assert reader.post(f"{path}/moves", move).status_code == 403
    assert reader.post(f"{path}/players/south/token", {}).status_code == 403
    assert reader.get(path).get_json()["version"] == match["version"]
    assert "seat_tokens" not in reader.get(path).get_json()


def test_a_key_expires(
    client: Client, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = client.post("/v1/keys", {"expires_in_s": 3600}).get_json()
    app = client.holding(made["key"])
    assert app.get("/v1/matches").status_code == 200

    status = ApiKey.status
    monkeypatch.setattr(ApiKey, "status", lambda key, ms: status(key, ms + 3_600_001))

    assert app.get("/v1/matches").status_code == 401
    assert client.get("/v1/matches").status_code == 200
    kept = {key["id"]: key for key in client.get("/v1/keys").get_json()["data"]}
    assert kept[made["id"]]["status"] == "expired"


def test_a_successor_takes_over(client: Client, services: Services) -> None:
    """Both are valid for a while; then the former one is not."""
    made = client.post("/v1/keys", {"role": "play", "label": "shop"}).get_json()
    rotate = f"/v1/keys/{made['id']}/rotations"

    successor = client.post(rotate, {"overlap_s": 3600}).get_json()

    assert (successor["role"], successor["label"]) == ("play", "shop")
    assert successor["previous"] == made["id"]
    for key in (made["key"], successor["key"]):
        assert client.holding(key).get("/v1/matches").status_code == 200
    again = f"/v1/keys/{successor['id']}/rotations"
    last = client.post(again, {"overlap_s": 0}).get_json()
    fresh = Tenants(services.settings.redis_url)  # believes nothing yet
    assert fresh.find_key(successor["key"]) is None
    assert fresh.find_key(last["key"]) is not None
    assert client.post(again, {}).status_code == 409


def test_a_request_that_is_repeated_makes_one_key(client: Client) -> None:
    body = {"label": "bot"}
    first = client.post("/v1/keys", body, Idempotency_Key="a")
    second = client.post("/v1/keys", body, Idempotency_Key="a")
    assert (first.status_code, second.status_code) == (201, 200)
    assert first.get_json()["key"] == second.get_json()["key"]
    other = client.post("/v1/keys", {"label": "bots"}, Idempotency_Key="a")
    assert other.status_code == 422
    rotate = f"/v1/keys/{first.get_json()['id']}/rotations"
    answers = [client.post(rotate, {}, Idempotency_Key="a") for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 200]
    assert answers[0].get_json() == answers[1].get_json()
    labels = [key["label"] for key in client.get("/v1/keys").get_json()["data"]]
    assert labels.count("bot") == 2  # the key, and its successor


def test_another_tenants_key_is_not_there(client: Client, services: Services) -> None:
    secret, key = services.tenants.create_key("Other")
    for path in (f"/v1/keys/{key.id}/rotations",):
        assert client.post(path, {}).status_code == 404
    assert client.call("DELETE", f"/v1/keys/{key.id}").status_code == 404
    assert client.holding(secret).get("/v1/matches").status_code == 200
    assert key.id not in client.get("/v1/keys").text


def test_a_revoked_key_is_told_as_such(client: Client, services: Services) -> None:
    made = client.post("/v1/keys", {}).get_json()
    assert client.call("DELETE", f"/v1/keys/{made['id']}").status_code == 204
    kept = {key["id"]: key for key in client.get("/v1/keys").get_json()["data"]}
    assert kept[made["id"]]["status"] == "revoked"
    assert Tenants(services.settings.redis_url).find_key(made["key"]) is None
    assert "key" not in kept[made["id"]]


def test_the_use_of_a_key_is_noted(client: Client) -> None:
    made = client.post("/v1/keys", {}).get_json()
    assert made["last_used_at"] is None
    client.holding(made["key"]).get("/v1/matches")
    kept = {key["id"]: key for key in client.get("/v1/keys").get_json()["data"]}
    assert kept[made["id"]]["last_used_at"] is not None


def test_there_is_an_end_to_keys(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Former ones count: they are kept, so that no backup makes them valid again."""
    monkeypatch.setattr("services.tenants.MOST_KEYS", 3)
    answers = [client.post("/v1/keys", {}) for _ in range(4)]
    assert {answer.status_code for answer in answers} == {201, 409}
    assert answers[-1].get_json()["type"].endswith("/too-many-keys")


def test_the_operator_may_make_more_keys(
    client: Client, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And `seedlog up` registers its own, or nothing would start."""
    monkeypatch.setattr("services.tenants.MOST_KEYS", 1)
    _, key = services.tenants.create_key("ten_a")
    services.tenants.register_key("sk_of_up", "ten_a")
    services.tenants.rotate_key(key.id, 0)
    assert client.post("/v1/keys", {}).status_code == 409


@pytest.mark.parametrize(
    "body",
    [
        {"role": "owner"},
        {"role": None},
        {"label": "x" * 61},
        {"label": "a\nb"},
        {"expires_in_s": 0},
        {"expires_in_s": True},
        {"expires_in_s": 10**12},
        {"tenant": "ten_other"},
        {"key": "sk_mine"},
    ],
)
def test_a_key_that_cannot_be_made_is_refused(
    client: Client, body: dict[str, object]
) -> None:
    before = client.get("/v1/keys").get_json()
    assert client.post("/v1/keys", body).status_code == 422
    assert len(client.get("/v1/keys").get_json()["data"]) == len(before["data"])


def emptied(url: str) -> Tenants:
    """Return the tenants of a server from which all that others left is gone."""
    Redis.from_url(url).flushall()
    return Tenants(url)


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """Do several things as nearly at once as threads can."""
    with ThreadPoolExecutor(len(acts)) as pool:
        return [done.result() for done in [pool.submit(act) for act in acts]]


def test_what_is_revoked_stays_so_whatever_happens_beside_it(real_redis: str) -> None:
    """A rotation at the same time wrote the key back as it had read it."""
    tenants = emptied(real_redis)
    for _ in range(20):
        _, key = tenants.create_key("ten_a")

        def rotate(key_id: str = key.id) -> object:
            try:
                return tenants.rotate_key(key_id, 3_600_000)
            except InvalidKey as over:
                return over

        def revoke(key_id: str = key.id) -> object:
            return tenants.revoke_key(key_id)

        at_once(rotate, revoke, rotate)
        [kept] = [known for known in tenants.list_keys() if known.id == key.id]
        assert kept.revoked


def test_one_of_many_that_ask_at_once_makes_the_key(real_redis: str) -> None:
    """The others are told of the same key, and of the same end of the one before."""
    tenants = emptied(real_redis)
    for number in range(10):
        secret = f"sk_{number}"
        made = at_once(*[lambda s=secret: tenants.register_key(s, "ten_a")] * 4)
        assert [is_made for _, is_made in made].count(True) == 1
        [key] = {key for key, _ in made}

        rotated = at_once(
            *[lambda k=key.id, s=secret: tenants.rotate_key(k, 60_000, secret=f"{s}_")]
            * 4
        )
        assert [one.is_made for one in rotated].count(True) == 1
        assert len({(one.successor, one.former) for one in rotated}) == 1
        assert rotated[0].former.expires_at_ms > 0


@pytest.mark.parametrize("label", ["x" * 61, "a\x1b[31mred", "two\nlines"])
def test_a_label_is_one_line_that_is_seen(services: Services, label: str) -> None:
    with pytest.raises(InvalidLabel, match="at most 60 characters"):
        services.tenants.create_key("ten_a", label)
