"""A tenant sees what is its own, whatever names anybody has thought of."""

import orjson
import pytest

from services.bootstrap import Services
from services.eventlog.connection import Connections
from services.names import InvalidName, redis_key
from services.tenants import ApiKey
from tests.support.app import Client

WRONG_NAMES = ["acme:eu", "", "../x y", "a{b}", "*", "ä", "-", "a" * 65, "a\n", "a b"]


@pytest.mark.parametrize("name", WRONG_NAMES)
def test_a_tenant_has_a_name_of_plain_characters(services: Services, name: str) -> None:
    with pytest.raises(InvalidName, match="1 to 64 of"):
        services.tenants.create_key(name)
    assert services.tenants.list_keys() == []


def test_a_separator_in_a_name_leads_nowhere(
    client: Client, services: Services
) -> None:
    """Not even where such a tenant was made before names had an alphabet."""
    former = ApiKey("key_former", "acme:eu", "", 1)
    services.match_list.delete()
    match = client.open_match(seats={"south": {"kind": "human", "name": "Amara"}})
    known = services.matches.load(match["id"]).but(tenant=former.tenant)
    services.match_list.write([known], {})
    acme = client.holding(services.tenants.create_key("ten_acme")[0])

    of_former = services.match_list.page("acme:eu").rows
    for query in ("player=eu:*", "player=*", "game=*", "player=eu:*:*", "game=a:b"):
        answer = acme.get(f"/v1/matches?{query}")
        assert answer.status_code == 400
        assert "1 to 64 of" in answer.get_json()["detail"]
    reached = services.match_list.page("acme", player="eu:*").rows

    assert [row["id"] for row in of_former] == [match["id"]]
    assert reached == []


def test_no_name_can_end_its_part_of_a_key() -> None:
    assert redis_key("player", "ply_aZ-9") == "player:ply_aZ-9"
    assert redis_key("x", "a:b", "c") != redis_key("x", "a", "b:c")
    assert redis_key("x", "*") != redis_key("x", None)
    assert ":" not in redis_key("", "a:{b}*?[c]\n").removeprefix(":")


def test_players_see_no_name_of_the_tenant_nor_its_key(
    client: Client, services: Services
) -> None:
    secret, key = services.tenants.create_key("Acme-Games-Ltd", "shop")
    app = client.holding(secret)
    match = app.open_match()
    player = client.holding(match["seat_tokens"]["south"])

    seen = player.get(f"/v1/matches/{match['id']}/events").text
    seen += player.get(f"/v1/matches/{match['id']}/export").text

    assert key.tenant_name == "Acme-Games-Ltd"
    assert "Acme" not in seen
    assert key.id.removeprefix("key_") not in seen


def test_a_name_is_one_tenant_and_an_id_is_itself(services: Services) -> None:
    first = services.tenants.create_key("acme")[1]
    second = services.tenants.create_key("acme")[1]
    other = services.tenants.create_key("Acme")[1]

    assert first.tenant == second.tenant != other.tenant
    assert first.tenant.startswith("ten_")
    assert services.tenants.create_key(first.tenant)[1].tenant == first.tenant


def test_a_tenant_from_before_there_were_ids_keeps_its_matches(
    services: Services,
) -> None:
    """Its events hold the name, which is therefore its id for ever."""
    kept = {
        "id": "key_1",
        "tenant": "acme",
        "label": "",
        "created_at_ms": 1,
        "revoked": False,
    }
    redis = Connections(services.settings.redis_url)
    redis.call("HSET", "tenants:keys", "digest", orjson.dumps(kept))

    assert services.tenants.create_key("acme")[1].tenant == "acme"
    assert [key.tenant for key in services.tenants.list_keys()] == ["acme", "acme"]
