"""What is asked of an endpoint is done once, also where no key says what was asked."""

from typing import Any

import pytest
from redis.exceptions import WatchError

from services.webhooks import TooManyEndpoints
from tests.webhooks.world import TENANT, World

NOWHERE = "http://127.0.0.1:1/"


def lose_a_reply(world: World, patch: pytest.MonkeyPatch) -> None:
    """Let the next transaction be carried out, and its reply be lost.

    The client cannot tell that from one that was not, and tries again.
    """
    kind, lost = type(world.services.webhooks.endpoints._redis.pipeline()), []
    execute = kind.execute

    def execute_once(self: Any, *given: Any) -> Any:
        replies = execute(self, *given)
        if not lost:
            lost.append(replies)
            raise WatchError
        return replies

    patch.setattr(kind, "execute", execute_once)


def test_a_secret_is_rotated_once_though_the_reply_is_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Twice, and the secret that the receiver knows had been void at once."""
    endpoint = world.endpoint(NOWHERE)
    lose_a_reply(world, monkeypatch)

    rotated = world.services.webhooks.endpoints.rotate(endpoint, world.clock())

    assert rotated.endpoint.generation == 2
    assert world.look(endpoint).generations(world.clock()) == [2, 1]


def test_the_last_endpoint_is_made_though_the_reply_is_lost(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    endpoints = world.services.webhooks.endpoints
    monkeypatch.setattr(endpoints, "_most", lambda _: 1)
    lose_a_reply(world, monkeypatch)

    made = world.endpoint(NOWHERE)

    assert endpoints.of_tenant(TENANT) == [made]
    with pytest.raises(TooManyEndpoints):
        world.endpoint(NOWHERE)


def test_who_rotates_again_gets_another_secret(world: World) -> None:
    endpoint = world.endpoint(NOWHERE)
    rotate = world.services.webhooks.endpoints.rotate

    generations = [rotate(endpoint, world.clock()).endpoint.generation for _ in "ab"]

    assert generations == [2, 3]
