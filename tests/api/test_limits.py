"""Limits of requests and of what a tenant has: told, refused, and given back."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from redis import Redis

from services.api import create_app
from services.bootstrap import Services, connect
from services.http.limits import counted_address
from services.http.wire.later import LATER, Later
from services.settings import Settings
from services.tenants import NoSuchTenant
from services.views import Overtaken, Projector
from tests.support.app import Client, client_of
from tests.support.samples import RECORDED

HUMANS = {"south": {"kind": "human"}, "north": {"kind": "human"}}
TOO_MANY_TURNS = "/problems/too-many-turns"
ITEM = re.compile(r'"([a-z-]+)";([a-z]+)=(\d+);([a-z]+)=(\d+)')


def limited(services: Services, token: str = "", **settings: int) -> Client:
    """Return a client of an app with other limits."""
    given: Any = settings
    app = create_app(connect(replace(services.settings, **given)))
    return Client(app.test_client(), token)


def project(services: Services) -> None:
    projector = Projector(services.event_log, services.match_list)
    try:
        projector.begin()
        projector.run_once()
    except Overtaken:  # another one builds it at the same time
        project(services)


def test_answers_tell_what_applies_and_what_is_left(client: Client) -> None:
    answers = [client.get("/v1/matches") for _ in range(2)]
    told = [ITEM.findall(answer.headers["RateLimit"]) for answer in answers]
    policies = ITEM.findall(answers[0].headers["RateLimit-Policy"])
    assert [name for name, *_ in policies] == ["address", "key"]
    assert [facts for _, *facts in policies] == [
        ["q", "60000", "w", "60"],
        ["q", "30000", "w", "60"],
    ]
    first, second = ({name: int(left) for name, _, left, *_ in told_} for told_ in told)
    assert second["key"] == first["key"] - 1
    assert second["address"] == first["address"] - 1


def test_what_needs_no_token_counts_for_the_address(client: Client) -> None:
    answer = client.holding("").get("/v1/games")
    assert answer.headers["RateLimit"].startswith('"address";r=')
    assert "RateLimit" not in client.get("/health/live").headers
    assert "RateLimit" not in client.get("/openapi.yaml").headers


def test_a_key_has_a_limit_of_its_own(client: Client, services: Services) -> None:
    app = limited(services, client.token, rate_per_key=2)
    other = app.holding(services.tenants.create_key("ten_a")[0])
    assert [app.get("/v1/matches").status_code for _ in range(3)] == [200, 200, 429]
    refused = app.get("/v1/matches")
    problem = refused.get_json()
    assert problem["type"] == "/problems/too-many-requests"
    assert (problem["policy"], problem["limit"], problem["window_s"]) == ("key", 2, 60)
    assert problem["retry_after_s"] == int(refused.headers["Retry-After"])
    assert '"key";r=0;t=' in refused.headers["RateLimit"]
    assert str(problem["retry_after_s"]) in problem["detail"]
    assert other.get("/v1/matches").status_code == 200


def test_a_seat_has_a_limit_of_its_own(client: Client, services: Services) -> None:
    match = client.open_match()
    tokens = match["seat_tokens"]
    south = limited(services, tokens["south"], rate_per_token=1)
    path = f"/v1/matches/{match['id']}"
    assert [south.get(path).status_code for _ in range(2)] == [200, 429]
    assert south.get(path).get_json()["policy"] == "token"
    assert south.holding(tokens["north"]).get(path).status_code == 200


def test_0_switches_a_limit_off(client: Client, services: Services) -> None:
    off = {"rate_per_key": 0, "rate_per_address": 0, "rate_guesses": 0}
    app = limited(services, client.token, **off)
    answer = app.get("/v1/matches")
    assert (answer.status_code, "RateLimit" in answer.headers) == (200, False)
    assert [rate["policy"] for rate in app.get("/v1/limits").get_json()["rates"]] == [
        "analyses"
    ]


def test_an_address_is_limited_whatever_it_holds(services: Services) -> None:
    app = limited(services, rate_per_address=3)
    keys = [services.tenants.create_key(f"ten_{n}")[0] for n in range(4)]
    statuses = [app.holding(key).get("/v1/matches").status_code for key in keys]
    assert statuses == [200, 200, 200, 429]


def test_the_address_behind_a_trusted_proxy_counts(services: Services) -> None:
    app = limited(services, rate_per_address=1, trusted_proxies=1)

    def ask(forwarded: str) -> int:
        return app.get("/v1/games", X_Forwarded_For=forwarded).status_code

    assert ask("203.0.113.1") == 200
    assert ask("203.0.113.2") == 200
    assert ask("198.51.100.9, 203.0.113.2") == 429  # the first was said by the client
    untrusting = limited(services, rate_per_address=1)
    assert untrusting.get("/v1/games", X_Forwarded_For="a").status_code == 200
    assert untrusting.get("/v1/games", X_Forwarded_For="b").status_code == 429


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("unix:", "unix:"),
        ("x" * 500, "x" * 100),
    ],
)
def test_an_ipv6_address_counts_as_its_network(address: str, counted: str) -> None:
    """Whoever has one address has all the others of the network."""
    assert counted_address(address) == counted


def test_who_guesses_keys_is_held_up_and_no_one_beside(
    client: Client, services: Services
) -> None:
    """A key that was used here goes on; one that was never seen is not looked for."""
    match = client.open_match()
    app = limited(services, client.token, rate_guesses=3)
    assert app.get("/v1/matches").status_code == 200
    guesses = ["sk_1", "st_mat_x.south.1.x", "sk_2", "sk_3", "sk_4", "st_y.z.1.x"]
    statuses = [app.holding(g).get("/v1/matches").status_code for g in guesses]
    assert statuses == [401, 401, 401, 429, 429, 429]
    assert app.holding("sk_1").get("/v1/matches").get_json()["policy"] == "guesses"
    unseen = app.holding(services.tenants.create_key("ten_b")[0])
    assert unseen.get("/v1/matches").status_code == 429
    assert app.get("/v1/matches").status_code == 200
    player = app.holding(match["seat_tokens"]["south"])
    assert player.get(f"/v1/matches/{match['id']}").status_code == 200


def test_positions_have_a_limit_for_the_tenant(
    client: Client, services: Services
) -> None:
    app = limited(services, client.token, rate_analyses=2)
    other_key = app.holding(services.tenants.create_key("ten_a")[0])
    body = {"game": "kalah"}
    asked = [client_.post("/v1/positions", body) for client_ in (app, other_key, app)]
    assert [answer.status_code for answer in asked] == [200, 200, 429]
    assert asked[-1].get_json()["policy"] == "analyses"


def test_a_move_that_waits_is_counted_once(client: Client) -> None:
    """The request is put to the app a second time when the reply is there."""
    later = Later(None, b"")

    def ask() -> str:
        answer = client.flask.get(
            "/v1/matches",
            headers=client.authorization(),
            environ_overrides={LATER: later},
        )
        return answer.headers["RateLimit"]

    first = ask()
    later.kept = object()
    again = client.flask.get("/v1/games", environ_overrides={LATER: later})
    assert again.headers["RateLimit"] == first


def test_limits_are_shown(client: Client, services: Services) -> None:
    match = client.open_match()
    endpoint = {"url": "https://93.184.215.14/", "events": ["*"]}
    client.post("/v1/webhook-endpoints", endpoint)
    client.post("/v1/positions/analyses", {"game": "kalah"})
    shown = client.get("/v1/limits").get_json()
    assert [rate["policy"] for rate in shown["rates"]] == [
        *("key", "address", "guesses", "analyses")
    ]
    assert shown["quotas"] == [
        {"quota": "open_matches", "limit": 100_000, "used": 1},
        {"quota": "followers", "limit": 10_000, "used": 0},
        {"quota": "webhook_endpoints", "limit": 10, "used": 1},
        {"quota": "seeks", "limit": 1_000, "used": 0},
        {"quota": "open_analyses", "limit": 100, "used": 1},
    ]
    seat = client.holding(match["seat_tokens"]["south"])
    told = seat.get("/v1/limits").get_json()
    assert [rate["policy"] for rate in told["rates"]] == ["token", "address", "guesses"]
    assert told["quotas"] == []


def test_open_matches_are_counted_until_they_are_over(
    client: Client, services: Services
) -> None:
    services.tenants.limits.give("ten_a", {"open_matches": 2})
    first, second = client.open_match(), client.open_match()
    refused = client.post("/v1/matches", {"game": "kalah"})
    problem = refused.get_json()
    assert (refused.status_code, problem["type"]) == (409, "/problems/quota-exceeded")
    assert (problem["quota"], problem["limit"], problem["used"]) == (
        *("open_matches", 2, 2),
    )
    fork = client.post(f"/v1/matches/{first['id']}/forks", {"seats": HUMANS})
    assert fork.status_code == 409
    project(services)
    assert client.post("/v1/matches", {"game": "kalah"}).status_code == 409
    client.post(f"/v1/matches/{second['id']}/resignation", {"seat": "south"})
    project(services)
    assert client.get("/v1/limits").get_json()["quotas"][0]["used"] == 1
    assert client.post("/v1/matches", {"game": "kalah"}).status_code == 201
    assert client.post("/v1/matches", {"game": "kalah"}).status_code == 409


def test_a_retry_finds_its_match_where_there_is_no_room_for_another(
    client: Client, services: Services
) -> None:
    services.tenants.limits.give("ten_a", {"open_matches": 1})
    body = {"game": "kalah"}
    made = client.post("/v1/matches", body, Idempotency_Key="a")
    for _ in range(2):
        again = client.post("/v1/matches", body, Idempotency_Key="a")
        assert (again.status_code, again.get_json()["id"]) == (
            *(200, made.get_json()["id"]),
        )
        assert client.post("/v1/matches", body, Idempotency_Key="b").status_code == 409
        project(services)


def test_a_match_that_is_not_opened_takes_no_place(
    client: Client, services: Services
) -> None:
    services.tenants.limits.give("ten_a", {"open_matches": 1})
    for _ in range(3):
        assert client.post("/v1/matches", {"game": "chess"}).status_code == 422
    assert client.post("/v1/matches", {"game": "kalah"}).status_code == 201


def test_an_import_that_is_over_needs_no_place(
    client: Client, services: Services
) -> None:
    services.tenants.limits.give("ten_a", {"open_matches": 1})
    client.open_match()
    export = (RECORDED / "oware-1.jsonl").read_bytes()
    answer = client.upload("/v1/imports", export)
    expected = 201 if b"match.ended" in export else 409
    assert answer.status_code == expected


def test_tenants_do_not_fill_each_others_places(
    client: Client, stranger: Client, services: Services
) -> None:
    services.tenants.limits.give("ten_a", {"open_matches": 1})
    for _ in range(3):
        stranger.open_match()
    client.open_match()
    guest = {"game": "kalah", "level": 1}
    assert client.holding("").post("/v1/guest-matches", guest).status_code == 201


def test_endpoints_have_the_limit_of_their_tenant(
    client: Client, services: Services
) -> None:
    body = {"url": "https://93.184.215.14/", "events": ["*"]}
    services.tenants.limits.give("ten_a", {"webhook_endpoints": 1})
    answers = [client.post("/v1/webhook-endpoints", body) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 409]
    assert answers[1].get_json()["used"] == 1
    services.tenants.limits.give("ten_a", {"webhook_endpoints": 0})
    assert client.post("/v1/webhook-endpoints", body).status_code == 409


def test_a_tenant_can_have_a_rate_of_its_own(
    client: Client, services: Services
) -> None:
    services.tenants.limits.give("ten_a", {"requests": 1, "analyses": 0})
    app = limited(services, client.token)
    assert app.get("/v1/limits").get_json()["rates"][0]["limit"] == 1
    assert app.get("/v1/limits").status_code == 429
    services.tenants.limits.give("ten_a", {"requests": 0})
    assert limited(services, client.token).get("/v1/matches").status_code == 200


def test_limits_are_given_to_tenants_that_there_are(services: Services) -> None:
    services.tenants.create_key("Acme")
    with pytest.raises(NoSuchTenant):
        services.tenants.limits.give("acme", {"open_matches": 1})
    kept = services.tenants.limits.give("Acme", {"open_matches": 1, "requests": 5})
    assert kept == {"open_matches": 1, "requests": 5}
    assert services.tenants.limits.give("Acme", {"open_matches": None}) == {
        "requests": 5
    }
    assert services.tenants.limits.give("Acme", {"requests": None}) == {}


@pytest.fixture
def real_services(real_redis: str, tmp_path: Path) -> Iterator[Services]:
    Redis.from_url(real_redis).flushall()  # what others left is none of ours
    given = Settings(redis_url=real_redis, secret="test secret", data=tmp_path)
    services = connect(given)
    yield services
    services.tenants.limits.give("ten_race", {"open_matches": None})


def test_many_that_open_at_once_get_the_last_places_and_no_more(
    real_services: Services,
) -> None:
    """While the list is built from behind, and beside it."""
    clients = [client_of(real_services, "ten_race") for _ in range(8)]
    real_services.tenants.limits.give("ten_race", {"open_matches": 20})

    def open_some(client: Client) -> list[int]:
        return [
            client.post("/v1/matches", {"game": "kalah"}).status_code for _ in range(5)
        ]

    with ThreadPoolExecutor(9) as pool:
        opened = pool.map(open_some, clients)
        projected = [pool.submit(project, real_services) for _ in range(2)]
        statuses = [status for some in opened for status in some]
        for done in projected:
            done.result()
    assert statuses.count(201) == 20
    assert set(statuses) == {201, 409}
    assert real_services.places.used("ten_race") == 20


AI = {"kind": "ai", "level": 1}
AI_BEGINS = {"game": "kalah", "seats": {"south": AI, "north": {"kind": "human"}}}


def test_no_match_with_an_ai_begins_while_too_many_turns_wait(
    client: Client, services: Services
) -> None:
    """What has begun goes on, and a request that was answered is answered again."""
    first = client.post("/v1/matches", AI_BEGINS, Idempotency_Key="first")
    assert first.status_code == 201

    busy = limited(services, client.token, waiting_turns=1)
    refused = busy.post("/v1/matches", AI_BEGINS)
    problem = refused.get_json()
    assert (refused.status_code, problem["type"]) == (503, TOO_MANY_TURNS)
    assert refused.headers["Retry-After"] == "1"
    assert (problem["used"], problem["limit"]) == (1, 1)
    again = busy.post("/v1/matches", AI_BEGINS, Idempotency_Key="first")
    assert (again.status_code, again.get_json()["id"]) == (200, first.get_json()["id"])

    seat = f"/v1/matches/{busy.open_match(seats={})['id']}/players"
    assert busy.post(seat, AI).get_json()["type"] == TOO_MANY_TURNS
    assert busy.post(seat, {"kind": "human"}).status_code == 201
    anybody = limited(services, client.token, waiting_turns=0)
    assert anybody.post(seat, AI).status_code == 201


def test_an_ai_that_sat_down_is_told_again_while_too_many_turns_wait(
    client: Client, services: Services
) -> None:
    seat = f"/v1/matches/{client.open_match(seats={})['id']}/players"
    assert client.post(seat, AI, Idempotency_Key="sit").status_code == 201
    client.post("/v1/matches", AI_BEGINS)

    busy = limited(services, client.token, waiting_turns=1)
    assert busy.post(seat, AI).status_code == 503
    assert busy.post(seat, AI, Idempotency_Key="sit").status_code == 200
