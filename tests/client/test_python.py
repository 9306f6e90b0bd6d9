"""The Python client: what it sends and takes, refusals, patience, signatures."""

import base64
import json
import random
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_type_hints, is_typeddict

import httpx
import pytest
from standardwebhooks.webhooks import Webhook

from services.client import (
    FollowingEnded,
    InvalidExport,
    InvalidSignature,
    Problem,
    Seedlog,
    Unreachable,
    shapes,
    verify_export,
    verify_webhook,
)
from tests.client.contract import members, schema_at
from tests.client.world import AGAINST_AI, HUMANS, SHORT, World
from tests.support.receiver import receiving

ROOT = Path(__file__).parents[2]
SCHEMA_OF = {
    shapes.MatchSummary: "MatchSummary",
    shapes.Match: "Match",
    shapes.EventBody: "Event",
    shapes.Endpoint: "Endpoint",
    shapes.Level: "Game/properties/levels/items",
    shapes.PlayedMove: "MoveList/properties/data/items",
    shapes.Fist: "MatchBody/allOf/1/properties/fist/oneOf/1",
    shapes.Origin: "MatchBody/allOf/1/properties/origin/oneOf/1",
    shapes.Offer: "MatchBody/allOf/1/properties/offer/oneOf/1",
    shapes.Outcome: "Outcome/oneOf/1",
    shapes.Standing: "StandingBody",
}
Handler = Callable[[httpx.Request], httpx.Response]


@pytest.fixture
def client(world: World) -> Iterator[Seedlog]:
    with world.client() as client:
        yield client


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Let no time pass; return how long would have been waited."""
    passed: list[float] = []
    monkeypatch.setattr(time, "sleep", passed.append)
    monkeypatch.setattr(time, "monotonic", lambda: sum(passed))
    return passed


def answering(handler: Handler, **given: Any) -> Seedlog:
    http = httpx.Client(transport=httpx.MockTransport(handler))
    return Seedlog("http://seedlog.test", "sk_x", http=http, **given)


SHAPES = {shape for shape in vars(shapes).values() if is_typeddict(shape)}
SHAPES -= {shapes.Score}  # it stands in its operation alone


@pytest.mark.parametrize(
    "shape", sorted(SHAPES, key=str), ids=lambda shape: shape.__name__
)
def test_the_types_are_those_of_the_contract(shape: Any) -> None:
    if shape is shapes.Seated:
        human, ai = (members(schema_at(f"Seat/oneOf/{place}")) for place in (1, 2))
        named, required = human[0] | ai[0], human[1] & ai[1]
    else:
        named, required = members(schema_at(SCHEMA_OF.get(shape, shape.__name__)))

    assert set(get_type_hints(shape)) == named
    assert set(shape.__required_keys__) == required


def test_a_match_is_opened_joined_played_and_read(client: Seedlog) -> None:
    assert "kalah" in [game["key"] for game in client.games()]
    assert client.game("reversi")["seats"] == ["black", "white"]
    shown = client.position("kalah", moves=["C"])
    match = client.open_match(
        "kalah", {"south": {"kind": "human", "name": "Amara"}}, options={"seeds": 4}
    )
    assert match["status"] == "open"
    seat = client.sit(match["id"], name="Ümit")
    south = client.holding(match["seat_tokens"]["south"])
    north = client.holding(seat["seat_token"])

    played = south.play(match["id"], "C", version=seat["match"]["version"])

    assert played["match"]["position"] == shown["position"]
    assert south.wait_for_turn(match["id"], "south")["version"] == 4
    north.request_takeback(match["id"], 3)
    assert south.answer_takeback(match["id"], True)["match"]["to_move"] == "south"
    north.offer_draw(match["id"])
    south.answer_draw(match["id"], False)
    assert [move["move"] for move in client.moves(match["id"])] == []
    assert north.resign(match["id"])["match"]["outcome"] is not None
    assert client.wait_for_end(match["id"])["status"] == "finished"
    assert client.match(match["id"], version=3)["ply"] == 0
    assert client.match(match["id"], layout=True)["layout"]["kind"] == "two-row"
    assert [m["id"] for m in client.matches_by_id([match["id"]])] == [match["id"]]
    assert client.fork(match["id"], version=3)["origin"]
    watching = client.issue_spectator_token(match["id"], expires_in_s=60)
    assert client.holding(watching["token"]).match(match["id"])["ply"] == 0
    client.revoke_spectator_tokens(match["id"])
    assert "key" in [rate["policy"] for rate in client.limits()["rates"]]
    assert client.audit(match["id"])["ok"]


def test_players_whom_the_app_has_named_are_found_and_rated(client: Seedlog) -> None:
    ids = ("u-1:amara", "u-2@bola")
    seats = {
        seat: {"kind": "human", "player": player}
        for seat, player in zip(("south", "north"), ids, strict=True)
    }
    match = client.open_match("kalah", seats, options=SHORT)
    for move, seat in (("A", "south"), ("a", "north")):
        version = client.match(match["id"])["version"]
        client.play(match["id"], move, version=version, seat=seat)
    client.resign(match["id"], "north")
    fun = client.open_match("kalah", seats, rated=False)
    for _ in range(400):
        if ratings := client.players.ratings(ids[0]):
            break

    assert not fun["rated"]
    assert [each["game"] for each in ratings] == ["kalah"]
    assert client.players.read(ids[0])["player"] == ids[0]
    [counted] = client.players.rated_games(ids[1], "kalah")
    assert counted["match"] == match["id"]
    ranked = client.players.leaderboard("kalah")
    assert set(ids) <= {each["player"].get("player") for each in ranked}
    assert client.players.score(*ids)["score"][0]["won"] == 1
    client.players.erase(ids[1])


def test_a_fist_is_guessed_and_a_match_called_off(client: Seedlog) -> None:
    match = client.open_match("oware", HUMANS, starter="fist")
    assert match["fist"]
    guesser = match["fist"]["guesser"]

    begun = client.guess_fist(match["id"], "left", guesser)

    assert begun["match"]["to_move"] is not None
    assert client.call_off(match["id"])["match"]["status"] == "aborted"


def test_a_move_brings_the_reply(client: Seedlog) -> None:
    match = client.open_match(
        "reversi", {"black": {"kind": "human"}, "white": {"kind": "ai", "level": 1}}
    )

    played = client.play(
        match["id"], "d3", version=match["version"], seat="black", wait_for_reply_s=10
    )

    assert played["match"]["to_move"] == "black"
    assert played["reply"][0]["by"] == "ai:1"


def test_a_refusal_says_what_would_have_been_right(client: Seedlog) -> None:
    match = client.open_match("kalah", HUMANS)
    with pytest.raises(Problem) as refused:
        client.play(match["id"], "f", version=3, seat="south")

    assert (refused.value.status, refused.value.type) == (422, "illegal-move")
    assert refused.value.facts["legal_moves"] == list("ABCDEF")


def test_a_part_of_a_path_stays_one(client: Seedlog) -> None:
    """An id that was made up leads to no other resource."""
    with pytest.raises(Problem) as refused:
        client.match("../games/kalah?x=")
    assert refused.value.status == 404
    with pytest.raises(Problem) as refused:
        client.webhooks.read("../keys")
    assert refused.value.status == 404
    for text in ("", ".", ".."):
        with pytest.raises(ValueError, match="is no id"):
            client.keys.revoke(text)


def test_every_post_has_a_key_and_every_retry_the_same(pauses: list[float]) -> None:
    """Of other requests it is the method that makes them safe to repeat."""
    seen: list[tuple[str, str | None]] = []

    def lose_two(request: httpx.Request) -> httpx.Response:
        seen.append((request.method, request.headers.get("Idempotency-Key")))
        if len(seen) % 3:
            raise httpx.ReadTimeout("no answer", request=request)
        return httpx.Response(200, json={"data": []})

    client = answering(lose_two)
    client.open_match("kalah")
    client.open_match("kalah")
    client.games()

    keys = [key for method, key in seen if method == "POST"]
    assert len(keys) == 6
    assert keys[0] == keys[1] == keys[2] != keys[3] == keys[4] == keys[5]
    assert [key for method, key in seen if method == "GET"] == [None] * 3


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_what_passes_is_waited_for(pauses: list[float], status: int) -> None:
    """Not before the time that is told, and a little after it by chance."""
    answers = iter([status, status, 200])

    def refuse_twice(_: httpx.Request) -> httpx.Response:
        code = next(answers)
        return httpx.Response(code, headers={"Retry-After": "2"}, json={"data": []})

    assert answering(refuse_twice).games() == []
    assert len(pauses) == 2
    assert all(2.0 <= pause <= 2.6 for pause in pauses)


@pytest.mark.parametrize("status", [400, 401, 404, 409, 412, 422, 500])
def test_what_does_not_pass_is_told_at_once(pauses: list[float], status: int) -> None:
    client = answering(lambda _: httpx.Response(status, json={"type": "/problems/x"}))
    with pytest.raises(Problem) as refused:
        client.open_match("kalah")
    assert (refused.value.status, refused.value.type, pauses) == (status, "x", [])


def test_patience_ends(pauses: list[float]) -> None:
    """With the last reason; and at once, if it would not last for what is asked."""

    def never(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    with pytest.raises(Unreachable):
        answering(never, retry_for_s=20).games()
    assert 10 < sum(pauses) <= 20
    later = httpx.Response(429, headers={"Retry-After": "1200"}, json={})
    pauses.clear()
    with pytest.raises(Problem) as refused:
        answering(lambda _: later).games()
    assert (refused.value.retry_after_s, pauses) == (1200, [])


def test_it_is_not_more_patient_than_the_memory_of_the_server() -> None:
    with pytest.raises(ValueError, match="retry_for_s has to be 0 to 3000"):
        Seedlog("http://seedlog.test", retry_for_s=3600)


def test_half_an_answer_is_none(pauses: list[float]) -> None:
    answers = iter([b'{"data": [', b'{"data": []}'])
    kind = {"Content-Type": "application/json"}

    def halve(_: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers=kind, content=next(answers))

    assert answering(halve).games() == []
    assert len(pauses) == 1


def test_a_deletion_whose_answer_was_lost_is_one(pauses: list[float]) -> None:
    """What is gone the second time was deleted the first; otherwise it never was."""
    seen: list[str] = []

    def lose_first(request: httpx.Request) -> httpx.Response:
        seen.append(request.method)
        if len(seen) == 1:
            raise httpx.ReadError("cut", request=request)
        return httpx.Response(404, json={"type": "/problems/no-such-endpoint"})

    client = answering(lose_first)
    client.webhooks.delete("whe_1")
    with pytest.raises(Problem):
        client.webhooks.delete("whe_1")


def lines(*frames: dict[str, Any]) -> httpx.Response:
    content = "".join(json.dumps(frame) + "\n" for frame in frames)
    return httpx.Response(200, content=content)


def streaming(*answers: httpx.Response, page: httpx.Response | None = None) -> Handler:
    """Return what tells where streams are, and answers them one after the other."""
    left = iter(answers)
    url = "http://streams.test/v1/stream"
    told = {"type": "/problems/use-stream", "stream_url": url}
    empty = {"data": [], "next_cursor": None}

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.host == "streams.test":
            return next(left)
        if request.headers["Accept"] == "application/x-ndjson":
            return httpx.Response(406, json=told)
        return page or httpx.Response(200, json=empty)

    return handle


def entry(seq: int) -> dict[str, Any]:
    return {"type": "match.move_played", "seq": seq, "match": "mat_1"}


FAILED = {"type": "failed", "last": 7, "detail": "log and rules disagree"}


def test_a_stream_is_taken_up_after_its_last_whole_line(pauses: list[float]) -> None:
    """What was told again is not told again; half a line is none, whatever it says."""
    half = httpx.Response(200, content=json.dumps(entry(6)) + '\n{"seq": 7}')
    client = answering(
        streaming(
            lines({"type": "snapshot", "seq": 4}, {"type": "heartbeat"}, entry(5)),
            httpx.Response(503, headers={"Retry-After": "1"}),
            half,
            lines(entry(5), entry(6), entry(7), {"type": "shutdown", "last": 7}),
            lines(entry(7), entry(8), FAILED),
        )
    )

    entries = client.follow_all()

    assert [next(entries)["seq"] for _ in range(4)] == [5, 6, 7, 8]
    with pytest.raises(FollowingEnded, match="log and rules disagree"):
        next(entries)


def test_what_may_not_be_followed_is_refused(pauses: list[float]) -> None:
    """A stream that ends since its token does, is not tried for ever."""
    refused = httpx.Response(401, json={"type": "/problems/unauthenticated"})
    revoked = lines(entry(5), {"type": "revoked", "last": 5})
    entries = answering(streaming(revoked, page=refused)).follow_all(4)

    assert next(entries)["seq"] == 5
    with pytest.raises(Problem, match="401 unauthenticated"):
        next(entries)
    with pytest.raises(Problem, match="401 unauthenticated"):
        next(answering(streaming(refused)).follow_all())


def test_a_token_of_https_is_not_sent_in_the_clear(pauses: list[float]) -> None:
    """Streams that are told as http:// are left alone, and the log is read instead."""
    page = httpx.Response(200, json={"data": [entry(5)], "next_cursor": None})
    http = httpx.Client(transport=httpx.MockTransport(streaming(page=page)))

    entries = Seedlog("https://seedlog.test", "sk_x", http=http).follow_all(4)

    assert next(entries)["seq"] == 5


def test_a_redirect_is_not_followed(pauses: list[float]) -> None:
    """It could lead the key to somebody else."""
    hosts = []

    def redirect(request: httpx.Request) -> httpx.Response:
        hosts.append(request.url.host)
        return httpx.Response(302, headers={"Location": "http://elsewhere.test/"})

    with pytest.raises(Problem):
        answering(redirect).games()
    assert hosts == ["seedlog.test"]


def test_endpoints_are_made_told_and_verified(client: Seedlog) -> None:
    """By the client itself, and by the library of Standard Webhooks."""
    with receiving() as receiver:
        made = client.webhooks.create(receiver.url, ["match.your_turn"])
        match = client.open_match("kalah", AGAINST_AI)
        ping = client.webhooks.ping(made["id"])
        for _ in range(400):
            if len(receiver.messages) == 2:
                break
            client.webhooks.read(made["id"])
        said = {}
        for message in receiver.messages:
            payload = verify_webhook(made["secret"], message.headers, message.body)
            assert payload == message.verified(made["secret"])
            said[payload["type"]] = payload["data"]
        again = client.webhooks.rotate_secret(made["id"])["secret"]
        with pytest.raises(InvalidSignature):
            verify_webhook(again, message.headers, message.body)

    assert said["match.your_turn"]["match"] == match["id"]
    assert said["ping"] == {"endpoint": made["id"]}
    assert ping["id"] in [each["id"] for each in client.webhooks.deliveries(made["id"])]
    assert client.webhooks.change(made["id"], status="disabled")["status"] == "disabled"
    assert made["id"] in [each["id"] for each in client.webhooks.list()]
    client.webhooks.delete(made["id"])
    assert made["id"] not in [each["id"] for each in client.webhooks.list()]


SECRET = "whsec_" + base64.b64encode(b"k" * 32).decode()
BODY = json.dumps({"type": "ping", "data": {}}).encode()
AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def signed() -> dict[str, str]:
    return {
        "Webhook-Id": "dlv_1",
        "Webhook-Timestamp": str(int(AT.timestamp())),
        "Webhook-Signature": "v1,bm9uZQ== "
        + Webhook(SECRET).sign("dlv_1", AT, BODY.decode()),
    }


def test_a_signature_of_somebody_elses_library_holds() -> None:
    now = AT.timestamp()
    said = verify_webhook(SECRET, signed(), BODY, now_s=now + 299)
    assert said["type"] == "ping"


@pytest.mark.parametrize(
    ("changes", "body", "later_s"),
    [
        ({}, BODY + b" ", 0),
        ({"Webhook-Id": "dlv_2"}, BODY, 0),
        ({"Webhook-Timestamp": "1767323046"}, BODY, 0),
        ({"Webhook-Timestamp": "soon"}, BODY, 0),
        ({"Webhook-Signature": "v1,"}, BODY, 0),
        ({"Webhook-Signature": "v1,ä"}, BODY, 0),
        ({"Webhook-Signature": ""}, BODY, 0),
        ({}, BODY, 301),
        ({}, BODY, -301),
    ],
)
def test_what_was_changed_or_kept_back_does_not(
    changes: dict[str, str], body: bytes, later_s: int
) -> None:
    with pytest.raises(InvalidSignature):
        verify_webhook(SECRET, signed() | changes, body, now_s=AT.timestamp() + later_s)


def test_keys_are_made_rotated_and_revoked(client: Seedlog) -> None:
    made = client.keys.create("statistics", role="read", expires_in_s=3600)
    reader = client.holding(made["key"])
    assert isinstance(list(reader.matches()), list)
    with pytest.raises(Problem) as refused:
        reader.open_match("kalah")
    assert refused.value.status == 403

    rotated = client.keys.rotate(made["id"], overlap_s=60)
    client.keys.revoke(made["id"])

    assert rotated["previous"] == made["id"]
    status = {key["id"]: key["status"] for key in client.keys.list()}
    assert status[made["id"]] == "revoked"
    assert status[rotated["id"]] == "valid"


def test_an_export_is_verified_and_any_change_to_it_found(client: Seedlog) -> None:
    match = client.open_match("kalah", AGAINST_AI)
    client.resign(match["id"], "south")
    export = client.export(match["id"])

    held = verify_export(export, client.signing_keys())

    assert (held.match, held.is_key_trusted) == (match["id"], True)
    assert [e["type"] for e in held.events][-1] == "match.ended"
    assert held.hash == client.audit(match["id"])["hash"]
    assert not verify_export(export).is_key_trusted
    with pytest.raises(InvalidExport, match="its key is not trusted"):
        verify_export(export, {"keys": []})
    chance = random.Random(1)
    for _ in range(300):
        place = chance.randrange(len(export))
        other = bytes([export[place] ^ (1 << chance.randrange(7))])
        with pytest.raises(InvalidExport):
            verify_export(export[:place] + other + export[place + 1 :])
    for line in range(export.count(b"\n")):
        lines = export.splitlines(keepends=True)
        with pytest.raises(InvalidExport):
            verify_export(b"".join(lines[:line] + lines[line + 1 :]))


def test_it_needs_nothing_of_the_server() -> None:
    """Whoever takes the folder has a package; httpx is all it imports."""
    for path in (ROOT / "services/client").glob("*.py"):
        for name in re.findall(r"^from services\.(\w+)", path.read_text("utf-8"), re.M):
            assert name == "client", path
