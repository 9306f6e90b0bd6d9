"""From the feed to jobs: planned once, and asked for until it is sent."""

from typing import Any

import pytest
from redis.lock import Lock

from services.match import OfferDraw, Player, TakeSeat
from services.webhooks import follower
from services.webhooks.endpoint import NoSuchEndpoint
from services.webhooks.follower import Follower
from tests.support.receiver import receiving
from tests.webhooks.world import OTHER, World
from workers.jobs import SENDING
from workers.queues import connect_queues, lease_key
from workers.webhooks import WebhookDispatcher
from workers.worker import WORKER_TTL_S, WebhookWorker

NOWHERE = "http://127.0.0.1:1/"


def test_an_entry_that_comes_again_is_planned_once(world: World) -> None:
    """As after a follower that was held up for longer than its lease."""
    endpoint = world.endpoint(NOWHERE)
    world.open()
    world.plan()
    planned = world.deliveries(endpoint)
    world.redis.delete("{webhooks}:cursors")

    world.plan()

    assert world.deliveries(endpoint) == planned
    assert len(planned) == 4


def test_a_place_is_kept_with_what_was_planned(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A follower that dies before that has planned nothing, and misses nothing."""
    endpoint = world.endpoint(NOWHERE)
    world.open()

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    deliveries = world.services.webhooks.deliveries
    with monkeypatch.context() as patch:
        patch.setattr(type(deliveries), "plan", die)
        with pytest.raises(KeyboardInterrupt):
            world.plan()
    assert world.deliveries(endpoint) == []

    after = world.services
    Follower(after.event_log, after.folds, after.webhooks, world.clock).run_once()

    assert len(world.deliveries(endpoint)) == 4


def test_what_is_planned_at_once_is_bounded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an absence all of it was one transaction, and Redis served nobody else."""
    monkeypatch.setattr("services.webhooks.deliveries.PLANNED_AT_ONCE", 3)
    endpoint = world.endpoint(NOWHERE)
    for number in range(7):
        world.open(f"mat_{number}")
    sizes = _executed(world, monkeypatch)

    world.plan()

    assert sizes == [3, 3, 2]  # the last one has the place in the feed
    assert len(world.deliveries(endpoint)) == 7 * 4
    assert len(world.services.webhooks.deliveries.cursors()) > 1


def test_a_follower_that_dies_as_it_plans_notes_no_place(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was planned by then is not planned again."""
    monkeypatch.setattr("services.webhooks.deliveries.PLANNED_AT_ONCE", 3)
    endpoint = world.endpoint(NOWHERE)
    for number in range(7):
        world.open(f"mat_{number}")
    with monkeypatch.context() as patch:
        _executed(world, patch, most=2)
        with pytest.raises(KeyboardInterrupt):
            world.plan()
    assert len(world.deliveries(endpoint)) == 6 * 4
    assert world.services.webhooks.deliveries.cursors() == {}

    world.plan()

    assert len(world.deliveries(endpoint)) == 7 * 4


def _executed(
    world: World, patch: pytest.MonkeyPatch, most: int | None = None
) -> list[int]:
    """Return how many commands each transaction has that plans, as it is executed.

    After so many as there may be, the process dies.
    """
    kind, sizes = (
        type(world.services.webhooks.deliveries._redis.pipeline()),
        list[int](),
    )
    execute = kind.execute

    def note(self: Any, *given: Any) -> Any:
        if any(command[0][0] in ("EVAL", "EVALSHA") for command in self.command_stack):
            if len(sizes) == most:
                raise KeyboardInterrupt
            sizes.append(len(self))
        return execute(self, *given)

    patch.setattr(kind, "execute", note)
    return sizes


def test_what_is_read_at_once_of_the_feed_is_bounded(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And until all is read, nobody says that all is planned."""
    monkeypatch.setattr(follower, "BATCH", 2)
    monkeypatch.setattr(follower, "NOTE_EVERY_S", 0.0)
    endpoint = world.endpoint(NOWHERE, ["match.move_played"])
    world.open()
    world.play(moves=3)
    noted: list[int] = []
    monkeypatch.setattr(world.services.webhooks, "note_planned", noted.append)

    assert world.dispatcher.run_once() == 2
    assert noted == []

    world.plan()
    assert len(world.deliveries(endpoint)) == 3
    assert noted


def test_what_is_due_is_asked_for_once_until_its_job_is_lost(world: World) -> None:
    endpoint = world.endpoint(NOWHERE)
    world.open()
    world.plan()

    assert SENDING.waiting(world.queue) == {endpoint.id}
    assert world.dispatcher.ask_again() == 0

    world.redis.lpop(world.queue.key)  # a worker took it, and was killed
    assert world.dispatcher.ask_again() == 1
    assert world.queue.count == 1


def test_an_endpoint_waits_for_those_of_other_tenants_in_turn(world: World) -> None:
    """However many one tenant has that let every worker wait."""
    for number in range(4):
        world.endpoint(f"{NOWHERE}{number}")
    other = world.endpoint(NOWHERE, tenant="ten_b")
    world.open()
    world.plan()
    world.open("mat_2", tenant="ten_b")
    world.plan()

    assert other.id in str(world.queue.job_ids[1])
    assert world.queue.count == 5


def test_who_sends_is_not_disturbed(world: World) -> None:
    endpoint = world.endpoint(NOWHERE)
    world.open()
    world.plan()
    world.queue.empty()
    lease = Lock(world.redis, lease_key(endpoint.id), timeout=5)
    assert lease.acquire(blocking=False)

    assert world.dispatcher.ask_again() == 0
    assert world.send(endpoint) == 0
    lease.release()

    assert world.dispatcher.ask_again() == 1


def test_one_dispatcher_follows_at_a_time(world: World) -> None:
    other = WebhookDispatcher(world.services, world.queue)

    assert world.dispatcher._duty.take()
    assert not other._duty.take()
    assert world.dispatcher._duty.take()
    world.dispatcher._duty.give_back()

    assert other._duty.take()


def test_a_job_of_the_queue_is_carried_out(
    world: World, monkeypatch: pytest.MonkeyPatch, real_redis: str
) -> None:
    """By RQ's worker and the settings of the environment."""
    for name, value in {
        "REDIS_URL": real_redis,
        "QUEUE_URL": real_redis,
        "SEEDLOG_SECRET": world.services.settings.secret,
        "SEEDLOG_DATA": str(world.services.settings.data),
        "SEEDLOG_WEBHOOK_PRIVATE": "1",
    }.items():
        monkeypatch.setenv(name, value)
    with receiving() as receiver:
        endpoint = world.endpoint(receiver.url)
        world.open()
        world.plan()
        worker = WebhookWorker(
            [world.queue],
            connection=connect_queues(real_redis),
            serializer="json",
            worker_ttl=WORKER_TTL_S,
        )
        worker.work(burst=True, logging_level="WARNING")

    assert [message.said[1] for message in receiver.messages] == [1, 2, 3, 3]
    assert {d.status for d in world.deliveries(endpoint)} == {"delivered"}


def test_a_deleted_endpoint_leaves_nothing(world: World) -> None:
    endpoint = world.endpoint(NOWHERE)
    world.open()
    world.plan()
    world.services.webhooks.deliveries.ping(endpoint, world.clock())

    world.services.webhooks.endpoints.delete(endpoint, world.clock())

    assert not list(world.redis.scan_iter(match=f"*{endpoint.id}*:*"))
    assert not list(world.redis.scan_iter(match="{webhooks}:e:*"))
    assert world.send(endpoint) == 0
    with pytest.raises(NoSuchEndpoint):
        world.look(endpoint)


def test_a_turn_is_told_of_when_it_begins(world: World) -> None:
    """When the last seat is taken, after a move, and not after an offer."""
    endpoint = world.endpoint(NOWHERE, ["match.your_turn"])
    match = world.open(seats={"south": OTHER})
    world.plan()
    assert world.deliveries(endpoint) == []

    human = Player(kind="human", player="ply_c")
    world.services.matches.handle(match.id, TakeSeat(who=human, seat=None), by="key:k")
    world.play()
    world.services.matches.handle(match.id, OfferDraw(seat="south"), by="seat")
    world.plan()

    assert [d.version for d in world.deliveries(endpoint)] == [3, 4]
