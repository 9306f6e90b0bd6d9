"""A log on a Redis that is emptied for it, and each view of it in turn."""

import pytest

from services.views import MatchList, Ratings, TenantFeed, View
from tests.views.world import World


@pytest.fixture
def world(redis_url: str) -> World:
    return World(redis_url)


@pytest.fixture(params=(MatchList, TenantFeed, Ratings), ids=lambda kind: kind.name)
def view(world: World, request: pytest.FixtureRequest) -> View:
    kind: type[View] = request.param
    return kind(world.url)
