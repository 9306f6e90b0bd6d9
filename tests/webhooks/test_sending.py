"""Sending to receivers that take, fail, hang, redirect, are gone, and move."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from typing import Any

import pytest
import trustme

from services.archive.segment import ColdStream
from services.eventlog import LogUnavailable
from services.languages import Message as Said
from services.match import Folds
from services.webhooks import sender
from services.webhooks.addresses import NotPublic, parse_url
from services.webhooks.schedule import ATTEMPTS, JITTER, RETRIES_MS
from tests.support.receiver import Answer, Message, Receiver, receiving
from tests.webhooks.world import AI, HUMAN, World
from workers import send_webhooks
from workers.send_webhooks import AWAY_MS, QUARANTINE_MS


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with receiving() as receiver:
        yield receiver


def statuses(*codes: int) -> "Behaviour":
    return Behaviour([Answer(code) for code in codes])


class Behaviour:
    """Gives one answer after the other, the last one for ever."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self.answers = list(answers)

    def __call__(self, _: Message) -> Answer:
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


# -- what is told


def test_what_happens_in_a_match_is_told_in_order_and_verifies(
    world: World, receiver: Receiver
) -> None:
    endpoint = world.endpoint(receiver.url)
    world.open()
    world.play()

    world.deliver(endpoint)

    payloads = [m.verified(world.secret(endpoint)) for m in receiver.messages]
    assert [(p["type"], p["data"]["version"]) for p in payloads] == [
        ("match.opened", 1),
        ("match.seat_taken", 2),
        ("match.seat_taken", 3),
        ("match.your_turn", 3),
        ("match.move_played", 4),
        ("match.your_turn", 4),
    ]
    assert [p["data"]["sequence"] for p in payloads] == [1, 2, 3, 4, 5, 6]
    assert payloads[3]["data"]["player"] == "ply_a"
    assert payloads[3]["data"]["legal_moves"] == ["A", "B", "C", "D", "E", "F"]
    assert world.redis.zcard("{webhooks}:due") == 0


def test_an_endpoint_hears_of_the_types_it_asked_for(
    world: World, receiver: Receiver
) -> None:
    """Its sequence numbers have no gaps, for what it did not ask for is not missing."""
    endpoint = world.endpoint(receiver.url, ["match.your_turn", "match.ended"])
    world.open(seats={"south": HUMAN, "north": AI})
    world.play()

    world.deliver(endpoint)

    told = [(m.payload["type"], m.payload["data"]["sequence"])
            for m in receiver.messages]  # fmt: skip
    assert told[0] == ("match.your_turn", 1)
    assert {type_ for type_, _ in told} == {"match.your_turn"}


def test_nothing_of_before_the_endpoint_or_of_others_is_told(
    world: World, receiver: Receiver
) -> None:
    world.open("mat_before")
    endpoint = world.endpoint(receiver.url)
    world.open("mat_foreign", tenant="ten_b")
    world.play("mat_before")

    world.deliver(endpoint)

    assert [m.said for m in receiver.messages] == [("mat_before", 4)] * 2


def test_an_endpoint_made_before_any_follower_ran_misses_nothing(
    world: World, receiver: Receiver
) -> None:
    """Not even if the feed is trimmed meanwhile by those who have read it."""
    world.open()
    world.services.event_log.keep_from("view:other", {})
    endpoint = world.endpoint(receiver.url)
    world.play()
    log = world.services.event_log
    log.keep_from("view:other", log.feed_ends())
    log.trim()

    world.deliver(endpoint)

    assert [m.said for m in receiver.messages] == [("mat_1", 4)] * 2


def test_no_name_of_a_player_is_in_a_webhook(world: World, receiver: Receiver) -> None:
    """So none that was erased can be told by a redelivery."""
    endpoint = world.endpoint(receiver.url)
    world.services.players.register("ply_a", "ten_a", "Amara")
    world.open()

    world.deliver(endpoint)

    assert receiver.messages
    assert all(b"Amara" not in message.body for message in receiver.messages)


def test_an_archived_match_is_delivered_again_from_the_archive(
    world: World, receiver: Receiver
) -> None:
    endpoint = world.endpoint(receiver.url, ["match.opened"])
    match = world.open()
    world.deliver(endpoint)
    log, services = world.services.event_log, world.services
    state = log.load(match.id)
    assert state is not None
    cold = ColdStream(match.id, state.tenant, state.head, log.read(match.id))
    assert services.archive.put([cold]) == 1
    object.__setattr__(services, "folds", Folds(log))
    [delivery] = world.deliveries(endpoint)

    services.webhooks.deliveries.deliver_again(delivery, world.clock())
    world.send(endpoint)

    first, again = receiver.messages
    assert first.body == again.body
    assert first.id == again.id


# -- order, and attempts


def test_a_match_waits_for_its_event_and_no_other_match_does(world: World) -> None:
    def refuse_the_first(message: Message) -> Answer:
        return Answer(500 if message.said[0] == "mat_1" else 204)

    with receiving(refuse_the_first) as receiver:
        endpoint = world.endpoint(receiver.url)
        world.open("mat_1")
        world.open("mat_2")
        world.deliver(endpoint)

        told = [message.said for message in receiver.messages]
        assert [said for said in told if said[0] == "mat_1"] == [("mat_1", 1)]
        assert [said[1] for said in told if said[0] == "mat_2"] == [1, 2, 3, 3]

        receiver.behave = statuses(204)
        world.later(6 + 6 * JITTER)
        world.send(endpoint)

    told = [message.said for message in receiver.messages]
    of_first = [said[1] for said in told if said[0] == "mat_1"]
    assert of_first == [1, 1, 2, 3, 3]
    first, again = [m for m in receiver.messages if m.said == ("mat_1", 1)]
    assert first.id == again.id
    assert world.look(endpoint).failing_since_ms == 0


@pytest.mark.parametrize(
    ("error", "wait_ms"),
    [
        (LogUnavailable(Said("the archive cannot be used")), AWAY_MS),
        (TypeError("unhashable type: 'list'"), QUARANTINE_MS),
    ],
    ids=["away", "damaged"],
)
def test_a_match_that_cannot_be_read_holds_up_no_other(
    world: World, monkeypatch: pytest.MonkeyPatch, error: Exception, wait_ms: int
) -> None:
    """It ended the round, and what was on its way then was sent again and again."""
    log = type(world.services.event_log)
    read = log.read

    def fail(self: object, stream: str, *given: object, **named: object) -> object:
        if stream == "mat_0":
            raise error
        return read(self, stream, *given, **named)  # type: ignore[arg-type]

    with receiving(lambda _: Answer(204, after_s=0.05)) as receiver:
        endpoint = world.endpoint(receiver.url, ["match.opened"])
        for number in range(4):
            world.open(f"mat_{number}")
        world.plan()
        with monkeypatch.context() as patch:
            patch.setattr(log, "read", fail)
            assert world.send(endpoint) == 3
            world.later(wait_ms / 1_000 - 0.001)
            assert world.send(endpoint) == 0

        [waiting] = [d for d in world.deliveries(endpoint) if d.match == "mat_0"]
        assert (waiting.status, waiting.attempts) == ("waiting", ())
        due = world.services.webhooks.deliveries.due_endpoints(world.clock())
        assert due == []

        world.later(0.001)
        assert world.send(endpoint) == 1

    told = [message.said[0] for message in receiver.messages]
    assert sorted(told[:3]) == ["mat_1", "mat_2", "mat_3"]
    assert told[3:] == ["mat_0"]


def test_attempts_follow_the_schedule_until_a_delivery_is_given_up(
    world: World,
) -> None:
    """The next event of the match is then told."""
    with receiving(statuses(*[503] * ATTEMPTS, 204)) as receiver:
        endpoint = world.endpoint(receiver.url, ["match.opened", "match.seat_taken"])
        world.open()
        world.plan()
        for wait_ms in (0, *RETRIES_MS):
            world.later(wait_ms / 1_000 - 0.001)
            assert world.send(endpoint) == 0 or wait_ms == 0
            world.later(wait_ms / 1_000 * JITTER + 0.001)
            world.send(endpoint)

    first, *others = world.deliveries(endpoint)
    assert first.status == "failed"
    assert [attempt.http_status for attempt in first.attempts] == [503] * ATTEMPTS
    assert [other.status for other in others] == ["delivered"] * 2
    assert len(receiver.messages) == ATTEMPTS + 2


def test_a_receiver_says_when_to_come_back(world: World) -> None:
    with receiving(statuses(429, 204)) as receiver:
        receiver.behave.answers[0].headers["Retry-After"] = "120"  # type: ignore[attr-defined]
        endpoint = world.endpoint(receiver.url, ["match.opened"])
        world.open()
        world.deliver(endpoint)
        world.later(119)
        assert world.send(endpoint) == 0
        world.later(1 + 120 * JITTER)
        assert world.send(endpoint) == 1


def test_redirects_are_not_followed(world: World, receiver: Receiver) -> None:
    away = Answer(307, {"Location": receiver.url})
    with receiving(lambda _: away) as redirecting:
        endpoint = world.endpoint(redirecting.url, ["match.opened"])
        world.open()
        world.deliver(endpoint)

    [delivery] = world.deliveries(endpoint)
    assert delivery.status == "waiting"
    assert "redirects are not followed" in delivery.attempts[0].error
    assert receiver.messages == []


@pytest.mark.parametrize(
    "slow",
    [Answer(after_s=2), Answer(between_bytes_s=0.1)],
    ids=["hangs", "one byte at a time"],
)
def test_a_receiver_that_hangs_is_hung_up_on(
    world: World, monkeypatch: pytest.MonkeyPatch, slow: Answer
) -> None:
    """The limit is one for all of it. Who lets us wait is left alone for a while."""
    monkeypatch.setattr(sender, "TOTAL_S", 0.3)
    with receiving(lambda _: slow) as receiver:
        endpoint = world.endpoint(receiver.url, ["match.opened"])
        world.open()
        world.deliver(endpoint)
        [delivery] = world.deliveries(endpoint)
        world.open("mat_2")
        world.plan()

        due = world.services.webhooks.deliveries.due_endpoints(world.clock())

    assert delivery.status == "waiting"
    assert delivery.attempts[0].error == "no answer within 0.3 s"
    assert due == []


def test_who_let_us_wait_is_told_of_one_match_first(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And has less time for it: all other endpoints wait meanwhile."""
    monkeypatch.setattr(sender, "TOTAL_S", 0.2)
    monkeypatch.setattr(send_webhooks, "KNOCK_S", 0.1)
    with receiving(lambda _: Answer(after_s=0.3)) as receiver:
        endpoint = world.endpoint(receiver.url, ["match.opened"])
        world.open("mat_0")
        world.deliver(endpoint)
        for number in range(1, 4):
            world.open(f"mat_{number}")
        world.plan()
        world.later(1)

        assert world.send(endpoint) == 1
        errors = {d.attempts[0].error for d in world.deliveries(endpoint) if d.attempts}
        assert errors == {"no answer within 0.2 s", "no answer within 0.1 s"}

        monkeypatch.setattr(sender, "TOTAL_S", 20)  # whoever answers may be busy, too
        monkeypatch.setattr(send_webhooks, "KNOCK_S", 20)
        receiver.behave = statuses(204)
        assert world.send(endpoint) == 2
        world.later(60)
        assert world.send(endpoint) == 2
    assert {d.status for d in world.deliveries(endpoint)} == {"delivered"}


def test_a_receiver_that_is_slow_and_was_silent_once_is_heard_again(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes longer than we wait after a silence, and less than we wait at all."""
    monkeypatch.setattr(sender, "TOTAL_S", 2.0)
    monkeypatch.setattr(send_webhooks, "KNOCK_S", 0.05)
    with receiving(lambda _: Answer(after_s=0.2)) as receiver:
        endpoint = world.endpoint(receiver.url, ["match.opened"])
        world.services.webhooks.deliveries.wait_until(endpoint.id, world.clock())
        world.open()
        world.plan()
        for _ in range(3):
            world.send(endpoint)
            world.later(400)

    [delivery] = world.deliveries(endpoint)
    assert [attempt.http_status for attempt in delivery.attempts] == [None, None, 204]
    assert not world.look(endpoint).is_silent


def test_little_of_an_endless_answer_is_read(world: World) -> None:
    endless = Answer(200, body=b"x" * 5_000_000)
    with receiving(lambda _: endless) as receiver:
        endpoint = world.endpoint(receiver.url, ["match.opened"])
        world.open()
        world.deliver(endpoint)

    [delivery] = world.deliveries(endpoint)
    assert delivery.status == "delivered"


def test_a_connection_is_used_again(world: World, receiver: Receiver) -> None:
    endpoint = world.endpoint(receiver.url)
    world.open()

    world.deliver(endpoint)

    assert len(receiver.messages) == 4
    assert receiver.connections == 1


# -- the end of an endpoint


def test_gone_is_gone(world: World) -> None:
    with receiving(statuses(410)) as receiver:
        endpoint = world.endpoint(receiver.url)
        world.open()
        world.deliver(endpoint)
        world.play()
        world.deliver(endpoint)

    found = world.look(endpoint)
    assert (found.status, found.reason) == ("disabled", "gone")
    first, *others = world.deliveries(endpoint)
    assert first.status == "failed"
    assert {other.status for other in others} == {"canceled"}
    assert len(receiver.messages) == 1


def test_a_week_of_failures_disables_and_says_so(world: World) -> None:
    with receiving(statuses(500)) as receiver:
        endpoint = world.endpoint(receiver.url)
        world.open()
        world.plan()
        days = 0
        while world.look(endpoint).is_enabled:
            world.send(endpoint)
            world.later(12 * 3_600)
            days += 1
            assert days < 20
        asked = len(receiver.messages)
        world.play()
        world.deliver(endpoint)

    found = world.look(endpoint)
    assert (found.status, found.reason) == ("disabled", "failing")
    assert found.disabled_ms - found.failing_since_ms >= 7 * 86_400_000
    assert len(receiver.messages) == asked


def test_enabled_again_it_hears_of_what_happens_from_then_on(
    world: World, receiver: Receiver
) -> None:
    endpoints = world.services.webhooks.endpoints
    endpoint = world.endpoint(receiver.url)
    world.open()
    world.deliver(endpoint)
    disabled = endpoints.change(endpoint, world.clock(), status="disabled")
    world.play()
    world.deliver(endpoint)
    receiver.messages.clear()

    endpoints.change(disabled, world.clock(), status="enabled")
    world.play()
    world.deliver(endpoint)

    assert [message.said[1] for message in receiver.messages] == [5, 5]
    assert [m.payload["data"]["sequence"] for m in receiver.messages] == [5, 6]


def test_more_than_can_be_kept_disables_an_endpoint(world: World) -> None:
    world.services.webhooks.deliveries._most_waiting = 4
    endpoint = world.endpoint("http://127.0.0.1:1/")
    world.open()
    world.plan()
    world.play()
    world.plan()

    found = world.look(endpoint)
    assert (found.status, found.reason) == ("disabled", "backlog")
    assert {delivery.status for delivery in world.deliveries(endpoint)} == {"canceled"}


def test_what_is_settled_is_kept_for_a_time_and_up_to_a_number(
    world: World, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.webhooks.deliveries.KEPT", 3)
    endpoint = world.endpoint(receiver.url)
    world.open()
    world.deliver(endpoint)

    assert [d.sequence for d in world.deliveries(endpoint)] == [2, 3, 4]

    world.later(7 * 86_400 + 1)
    world.services.webhooks.deliveries.trim(endpoint.id, world.clock())

    assert world.deliveries(endpoint) == []


# -- asked for by its owner


def test_a_ping_arrives_also_where_nothing_else_does(
    world: World, receiver: Receiver
) -> None:
    webhooks = world.services.webhooks
    endpoint = world.endpoint(receiver.url)
    disabled = webhooks.endpoints.change(endpoint, world.clock(), status="disabled")

    webhooks.deliveries.ping(disabled, world.clock())
    world.send(endpoint)

    [message] = receiver.messages
    assert message.verified(world.secret(endpoint))["type"] == "ping"


def test_both_secrets_sign_for_a_day_after_a_rotation(
    world: World, receiver: Receiver
) -> None:
    webhooks = world.services.webhooks
    endpoint = world.endpoint(receiver.url)
    before = world.secret(endpoint)
    after = world.secret(webhooks.endpoints.rotate(endpoint, world.clock()).endpoint)
    webhooks.deliveries.ping(endpoint, world.clock())
    world.send(endpoint)
    world.later(24 * 3_600)
    webhooks.deliveries.ping(endpoint, world.clock())
    world.send(endpoint)

    first, second = receiver.messages
    assert before != after
    assert first.verified(before) == first.verified(after)
    assert len(first.headers["webhook-signature"].split()) == 2
    assert len(second.headers["webhook-signature"].split()) == 1


def test_what_waits_can_be_asked_for_at_once(world: World) -> None:
    with receiving(statuses(500, 204)) as receiver:
        endpoint = world.endpoint(receiver.url)
        world.open()
        world.deliver(endpoint)
        *_, last = world.deliveries(endpoint)
        world.services.webhooks.deliveries.deliver_again(last, world.clock())
        world.send(endpoint)

    assert {d.status for d in world.deliveries(endpoint)} == {"delivered"}
    assert [message.said[1] for message in receiver.messages] == [1, 1, 2, 3, 3]


# -- where it goes


def refuse_private(addresses: Sequence[str]) -> None:
    """Judge as where 127.0.0.1 were public, and 127.0.0.2 private."""
    for address in addresses:
        if address != "127.0.0.1":
            raise NotPublic(address)


def test_a_name_that_moves_to_a_private_address_is_followed_no_further(
    world: World, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each attempt looks it up, and connects to what was judged: the name is nothing.

    The second answer is for whoever would ask a second time to connect.
    """
    monkeypatch.setattr(sender, "parse_url", _as_public)
    places = cycle([["127.0.0.1"], ["127.0.0.2"]])

    async def resolve(host: str, port: int) -> Sequence[str]:
        assert host == "hooks.example"
        return next(places)

    with receiving(port=0) as inside:
        world.sender(resolve=resolve, check=refuse_private)
        url = receiver.url.replace("127.0.0.1", "hooks.example")
        endpoint = world.endpoint(url, ["match.opened", "match.seat_taken"])
        world.open()
        world.deliver(endpoint)
        assert inside.messages == []

    [message] = receiver.messages
    assert message.headers["host"] == f"hooks.example:{receiver.port}"
    waiting = world.deliveries(endpoint)[1]
    assert "127.0.0.2 is not an address of the public internet" in (
        waiting.attempts[0].error
    )


def _as_public(url: str, *, allow_private: bool) -> object:
    assert not allow_private
    return parse_url(url, allow_private=True)  # http:// is all that this is for


def let_names_lead(patch: pytest.MonkeyPatch, ask: Callable[[], None]) -> None:
    """Let all names of examples lead nowhere, when it has been asked for them."""
    known = socket.getaddrinfo

    def look(host: str, *given: Any, **named: Any) -> Any:
        if not host.endswith(".example"):
            return known(host, *given, **named)
        ask()
        raise socket.gaierror(-2, "Name or service not known")

    patch.setattr(socket, "getaddrinfo", look)


def test_a_name_whose_server_does_not_answer_holds_no_worker(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system asks for half a minute, and the worker waited for that."""
    monkeypatch.setattr(sender, "TOTAL_S", 0.1)
    released, found = threading.Event(), threading.Event()

    def ask() -> None:
        released.wait(5.0)
        found.set()

    let_names_lead(monkeypatch, ask)
    endpoint = world.endpoint("https://slow.example/", ["match.opened"])
    world.open()
    world.plan()
    try:
        world.send(endpoint)
        assert not found.is_set()
    finally:
        released.set()

    [delivery] = world.deliveries(endpoint)
    assert delivery.attempts[0].error == "no answer within 0.1 s"


def test_a_name_that_leads_nowhere_is_said(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_names_lead(monkeypatch, lambda: None)
    endpoint = world.endpoint("https://none.example/", ["match.opened"])
    world.open()
    world.deliver(endpoint)

    [delivery] = world.deliveries(endpoint)
    assert delivery.attempts[0].error == (
        "the name of the host leads nowhere: Name or service not known"
    )


def test_without_the_setting_no_private_address_is_reached(
    world: World, receiver: Receiver
) -> None:
    world.sender()
    endpoint = world.endpoint(receiver.url.replace("http://", "https://"), ["*"])
    world.services.webhooks.deliveries.ping(endpoint, world.clock())
    world.send(endpoint)

    [delivery] = world.deliveries(endpoint)
    assert "public internet" in delivery.attempts[0].error
    assert receiver.connections == 0


@pytest.mark.parametrize("name", ["hooks.example", "other.example"])
def test_the_certificate_is_that_of_the_name(
    world: World, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Although it is the address that is connected to."""
    authority = trustme.CA()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("hooks.example").configure_cert(tls)
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    monkeypatch.setattr(sender, "_tls", lambda: trust)

    async def resolve(_: str, __: int) -> Sequence[str]:
        return ["127.0.0.1"]

    with receiving(tls=tls) as receiver:
        world.sender(resolve=resolve, check=refuse_private)
        endpoint = world.endpoint(f"https://{name}:{receiver.port}/", ["match.opened"])
        world.open()
        world.deliver(endpoint)

    [delivery] = world.deliveries(endpoint)
    if name == "hooks.example":
        assert delivery.status == "delivered"
    else:
        assert "certificate" in delivery.attempts[0].error
        assert receiver.messages == []
