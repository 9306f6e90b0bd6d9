"""Sandboxes: a tenant beside the tenant, which its id and its keys show."""

import pytest

from services.bootstrap import Services
from services.names import SANDBOX, is_name, is_sandbox, sandbox_of
from tests.support.app import Client
from tests.support.commands import seedlog


@pytest.mark.parametrize(
    "tenant", ["ten_local", "ten_3f2a", "acme", "Acme", "ten_" + "a" * 60, "a" * 64]
)
def test_a_tenant_has_one_sandbox_and_no_other_has_it(tenant: str) -> None:
    sandbox = sandbox_of(tenant)
    assert is_sandbox(sandbox)
    assert is_name(sandbox)
    assert not is_sandbox(tenant)
    assert sandbox_of(sandbox) == sandbox
    assert sandbox_of(f"ten_{tenant}") != sandbox


def test_keys_of_a_sandbox_show_that_they_are(
    client: Client, services: Services
) -> None:
    made = client.post("/v1/keys", {"sandbox": True, "role": "admin"}).get_json()
    assert made["key"].startswith("sk_test_")
    assert made["sandbox"]
    sandbox = client.holding(made["key"])
    inner = sandbox.post("/v1/keys", {}).get_json()
    assert inner["key"].startswith("sk_test_")
    rotated = client.post(f"/v1/keys/{made['id']}/rotations", {}).get_json()
    assert rotated["key"].startswith("sk_test_")
    known = services.tenants.find_key(rotated["key"])
    assert known is not None
    assert known.tenant.startswith(SANDBOX)
    usual = client.post("/v1/keys", {"sandbox": False}).get_json()
    assert (usual["sandbox"], usual["key"].startswith("sk_test_")) == (False, False)


def test_a_tenant_and_its_sandbox_are_strangers(client: Client) -> None:
    key = client.post("/v1/keys", {"sandbox": True}).get_json()["key"]
    sandbox = client.holding(key)
    real, trial = client.open_match(), sandbox.open_match()
    assert sandbox.get(f"/v1/matches/{real['id']}").status_code == 404
    assert client.get(f"/v1/matches/{trial['id']}").status_code == 404


def test_an_admin_decides_about_the_keys_of_the_sandbox_and_not_back(
    client: Client, stranger: Client
) -> None:
    made = client.post("/v1/keys", {"sandbox": True, "role": "admin"}).get_json()
    own = client.post("/v1/keys", {}).get_json()
    sandbox = client.holding(made["key"])
    listed = [key["id"] for key in sandbox.get("/v1/keys").get_json()["data"]]
    assert listed == [made["id"]]
    assert made["id"] in client.get("/v1/keys").text
    assert sandbox.call("DELETE", f"/v1/keys/{own['id']}").status_code == 404
    assert stranger.call("DELETE", f"/v1/keys/{made['id']}").status_code == 404
    assert client.call("DELETE", f"/v1/keys/{made['id']}").status_code == 204


def test_a_repeated_request_makes_one_key_and_another_is_refused(
    client: Client,
) -> None:
    first, again = (
        client.post("/v1/keys", {"sandbox": True}, Idempotency_Key="a")
        for _ in range(2)
    )
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.get_json()["key"] == again.get_json()["key"]
    other = client.post("/v1/keys", {"sandbox": False}, Idempotency_Key="a")
    assert other.get_json()["type"] == "/problems/idempotency-key-reused"


def test_the_operator_makes_keys_of_sandboxes(
    services: Services, redis_url: str
) -> None:
    usual = seedlog("keys", "create", "--tenant", "Acme", REDIS_URL=redis_url)
    trial = seedlog(
        *("keys", "create", "--tenant", "Acme", "--sandbox"), REDIS_URL=redis_url
    )
    keys = [services.tenants.find_key(ran.output.split()[0]) for ran in (usual, trial)]
    assert keys[0] is not None
    assert keys[1] is not None
    assert keys[1].tenant == sandbox_of(keys[0].tenant)
    assert keys[1].tenant_name == "Acme"
    assert trial.output.startswith("sk_test_")
