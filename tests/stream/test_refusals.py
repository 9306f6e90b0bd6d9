"""Who may follow what, and how a stream has to be asked for."""

from typing import Any

import pytest

from services.match import RenewSeatToken, Resign
from tests.stream.streams import Running, Streams
from tests.support.contract import check_schema


def refusal(streams: Streams, path: str, **options: Any) -> tuple[int, str]:
    """Return status and type of a problem, held against the contract."""
    reader = streams.get(path, **options)
    assert reader.headers["Content-Type"] == "application/problem+json"
    problem = reader.body()
    check_schema({"$ref": "#/components/schemas/Problem"}, problem)
    assert problem["status"] == reader.status
    return reader.status, problem["type"].removeprefix("/problems/")


def test_another_tenant_learns_of_nothing(streams: Streams) -> None:
    match = streams.open_match(tenant="ten_b")

    path = f"/v1/matches/{match.id}/events"

    assert refusal(streams, path) == (404, "no-such-match")
    assert refusal(streams, "/v1/matches/mat_none/events") == (404, "no-such-match")


def test_tokens_that_are_not_valid_are_refused(streams: Streams) -> None:
    match, other = streams.open_match(), streams.open_match()
    path = f"/v1/matches/{match.id}/events"
    secret, key = streams.services.tenants.create_key("ten_a")
    streams.services.tenants.revoke_key(key.id)
    issue = streams.services.seat_tokens.issue
    renew = RenewSeatToken(seat="south")
    streams.services.matches.handle(match.id, renew, by="key:k")

    for token in ("", "sk_wrong", secret, "st_wrong", issue(match.id, "south", 1)):
        assert refusal(streams, path, token=token) == (401, "unauthenticated")
    foreign = issue(other.id, "south", 1)
    assert refusal(streams, path, token=foreign) == (403, "forbidden")


@pytest.mark.parametrize(
    ("query", "headers", "expected"),
    [
        ("?after=x", {}, (400, "invalid-parameter")),
        ("?limit=5", {}, (400, "invalid-parameter")),
        ("?after=99", {}, (404, "no-such-version")),
        ("", {"Last_Event_ID": "99"}, (404, "no-such-version")),
        ("", {"Last_Event_ID": "abc"}, (400, "invalid-header")),
        ("", {"Accept": "application/json"}, (406, "not-acceptable")),
        ("", {"method": "POST"}, (405, "method-not-allowed")),
    ],
)
def test_what_cannot_be_answered_is_a_problem(
    streams: Streams, query: str, headers: dict[str, str], expected: tuple[int, str]
) -> None:
    match = streams.open_match()

    path = f"/v1/matches/{match.id}/events{query}"

    assert refusal(streams, path, **headers) == expected


def test_what_is_not_there_is_a_problem(streams: Streams) -> None:
    assert refusal(streams, "/v1/games") == (404, "not-found")


def test_head_is_answered_without_a_stream(streams: Streams) -> None:
    match = streams.open_match()

    reader = streams.get(f"/v1/matches/{match.id}/events", method="HEAD")

    assert reader.status == 200
    assert reader.headers["Content-Type"] == "text/event-stream"
    assert reader.body() is None


def test_what_is_not_http_is_refused(streams: Streams) -> None:
    path = "/v1/matches/mat_none/events"
    malformed = (400, "malformed-request")

    assert refusal(streams, f"{path} and more") == malformed
    assert refusal(streams, path, Bad="\x01") == malformed
    assert refusal(streams, "elsewhere/") == malformed
    assert refusal(streams, "ftp://elsewhere/") == malformed
    assert refusal(streams, path, Content_Length="x") == malformed
    assert refusal(streams, path, Long="x" * 20_000) == (431, "head-too-large")
    assert refusal(streams, path + "x" * 9_000) == (414, "target-too-long")
    packed = refusal(streams, path, Transfer_Encoding="gzip, chunked")
    assert packed == (501, "unsupported-transfer-coding")


def test_an_absolute_target_is_taken_and_its_host_is_the_one_that_counts(
    redis_url: str, running: Running
) -> None:
    """A server has to take what is sent to proxies (RFC 9112, section 3.2.2)."""
    streams = running(redis_url, SEEDLOG_HOSTS="games.example")
    path = f"/v1/matches/{streams.open_match().id}/events"
    ours, other = "http://games.example", "http://elsewhere.example"

    for target in (f"{ours}{path}", f"HTTP://games.example:80{path}?after=0"):
        assert streams.get(target, Host="elsewhere.example").status == 200
    for target in (
        f"{other}{path}",
        f"http://me@games.example{path}",
        f"http://{path}",
    ):
        served = refusal(streams, target, Host="games.example")
        assert served == (421, "unknown-host")
    assert refusal(streams, ours, Host="games.example") == (404, "not-found")
    assert streams.get(f"{ours}/health/live", token="").status == 200


def test_pages_of_the_same_host_may_follow(streams: Streams) -> None:
    """Our page lives on another port; others need the setting."""
    path = f"/v1/matches/{streams.open_match().id}/events"
    allow = "Access-Control-Allow-Origin"

    ours = streams.get(path, Origin="http://127.0.0.1:8000")
    asked = streams.get(
        path,
        token="",
        method="OPTIONS",
        Origin="http://127.0.0.1:8000",
        Access_Control_Request_Method="GET",
        Access_Control_Request_Headers="authorization",
    )
    foreign = streams.get(path, Origin="http://elsewhere.example")

    assert ours.headers[allow] == "http://127.0.0.1:8000"
    assert (asked.status, asked.headers[allow]) == (200, "http://127.0.0.1:8000")
    assert "Authorization" in asked.headers["Access-Control-Allow-Headers"]
    assert allow not in foreign.headers
    assert all("Origin" in r.headers["Vary"] for r in (ours, asked, foreign))


def test_a_refusal_is_told_in_the_language_of_the_follower(streams: Streams) -> None:
    refused = streams.get("/v1/matches/mat_none/stream", Accept_Language="tr, en;q=0.5")

    assert refused.headers["Content-Language"] == "tr"
    assert "Accept-Language" in refused.headers["Vary"]
    assert refused.body()["title"] == "Böyle bir maç yok"


def test_a_snapshot_tells_reasons_in_the_language_of_the_follower(
    streams: Streams,
) -> None:
    match = streams.open_match()
    streams.services.matches.handle(match.id, Resign(seat="south"), by="key:k")

    path = f"/v1/matches/{match.id}/stream"
    snapshot = next(streams.get(path, Accept_Language="ja").frames())

    outcome = snapshot.data["outcome"]
    assert (outcome["reason"], outcome["reason_text"]) == (
        "resignation",
        "一方が投了した",
    )
