"""Following an analysis: what was found, as it is found, once and in order."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from rules_core import start
from services.analysis import HINT, POSITION, Analysis, Question
from services.analysis.analysis import DEPTH
from services.match import RenewSeatToken
from tests.stream.streams import NDJSON, Heard, Reader, Running, Streams
from tests.support.contract import check_schema

START = start("kalah", {})
WORKER = "w"


def ask(streams: Streams, number: int = 0, **given: Any) -> Analysis:
    """Ask something that nobody has asked before, and let a worker begin."""
    asked = Question(
        kind=POSITION,
        game="kalah",
        rules="kalah/1",
        options=dict(START.options),
        snapshot=START.snapshot,
        nodes=number + 1,
    ).but(**given)
    analyses = streams.services.analyses
    analysis = analyses.ask("ten_a", asked, limit=None)
    assert analyses.begin(analysis.id, WORKER) is not None
    return analysis


def find(streams: Streams, analysis: Analysis, *depths: int) -> None:
    for depth in depths:
        line = {"moves": ["C"], "value": 1.0, "exact": False, "depth": depth}
        found = {"depth": depth, "nodes": depth, "time_ms": depth, "lines": [line]}
        assert streams.services.analyses.tell(analysis, WORKER, DEPTH, found)


def follow(streams: Streams, analysis: Analysis, query: str = "", **how: Any) -> Reader:
    return streams.get(f"/v1/analyses/{analysis.id}/stream{query}", **how)


def told(frames: list[Heard]) -> list[tuple[str, int | None]]:
    return [(frame.event, frame.id) for frame in frames]


def heard(reader: Reader) -> Iterator[Heard]:
    """Yield what is told, without the heartbeats between."""
    return (frame for frame in reader.frames() if frame.event != "heartbeat")


def test_what_is_found_is_told_as_it_is(streams: Streams) -> None:
    analysis = ask(streams, 1)
    find(streams, analysis, 1, 2)

    reader = follow(streams, analysis)

    frames = heard(reader)
    first = next(frames)
    assert (first.event, first.id) == ("snapshot", 2)
    assert first.data.pop("type") == "snapshot"
    assert (first.data["status"], first.data["depth"]) == ("running", 2)
    check_schema(
        {"$ref": "#/components/schemas/Analysis"},
        {**first.data, "stream_url": "http://127.0.0.1:1/"},
    )
    find(streams, analysis, 3)
    streams.services.analyses.finish(analysis, WORKER)
    rest = list(frames)
    assert told(rest) == [(DEPTH, 3), ("analysis.finished", 4), ("end", None)]
    for frame in rest[:-1]:
        check_schema({"$ref": "#/components/schemas/FoundEvent"}, frame.data)
    assert rest[0].data["data"]["depth"] == 3


def test_whoever_comes_back_hears_what_was_missed(streams: Streams) -> None:
    """However much that is, and from wherever it is read."""
    analysis = ask(streams, 2)
    find(streams, analysis, *range(1, 60))
    frames = heard(follow(streams, analysis, Last_Event_ID="5"))
    assert told(list(islice(frames, 54))) == [(DEPTH, n) for n in range(6, 60)]
    lines = follow(streams, analysis, "?after=58", Accept=NDJSON).lines()
    assert next(lines)["version"] == 59
    streams.services.analyses.cancel(analysis)
    assert told(list(frames)) == [("analysis.canceled", 60), ("end", None)]
    assert [line["type"] for line in lines] == ["analysis.canceled", "end"]


def test_who_has_seen_the_end_needs_not_come_back(streams: Streams) -> None:
    analysis = ask(streams, 3)
    streams.services.analyses.fail(analysis, "error")
    assert follow(streams, analysis, Last_Event_ID="1").status == 204
    frames = list(heard(follow(streams, analysis, "?after=0")))
    assert told(frames) == [("analysis.failed", 1), ("end", None)]
    assert frames[0].data["data"] == {"reason": "error"}
    refused = follow(streams, analysis, "?after=2")
    assert (refused.status, refused.body()["type"]) == (
        404,
        "/problems/no-such-version",
    )


def test_a_hint_is_told_to_its_seat_alone(streams: Streams) -> None:
    match, other = streams.open_match(), streams.open_match()
    given = {"kind": HINT, "match": match.id, "version": 3, "seat": "south"}
    analysis = ask(streams, 4, **given)
    issue = streams.services.seat_tokens.issue
    mine = issue(match.id, "south", 1)
    for token in (issue(match.id, "north", 1), issue(other.id, "south", 1)):
        refused = follow(streams, analysis, token=token)
        problem = refused.body()
        assert (refused.status, problem["type"]) == (
            404,
            "/problems/no-such-analysis",
        )
    frames = heard(follow(streams, analysis, token=mine))
    assert next(frames).event == "snapshot"
    find(streams, analysis, 1)
    assert next(frames).id == 1


def test_a_token_that_is_replaced_follows_no_longer(streams: Streams) -> None:
    match = streams.open_match()
    given = {"kind": HINT, "match": match.id, "version": 3, "seat": "south"}
    analysis = ask(streams, 5, **given)
    token = streams.services.seat_tokens.issue(match.id, "south", 1)
    frames = heard(follow(streams, analysis, token=token))
    next(frames)
    renew = RenewSeatToken(seat="south")
    streams.services.matches.handle(match.id, renew, by="key:k")
    assert next(frames).event == "revoked"


def test_another_tenant_learns_of_nothing(streams: Streams) -> None:
    analysis = ask(streams, 6)
    other = streams.services.tenants.create_key("ten_b")[0]
    shown = []
    for path in (analysis.id, "ana_000000000000000000000000"):
        refused = streams.get(f"/v1/analyses/{path}/stream", token=other)
        told_of = refused.body()
        del told_of["request_id"]
        told_of["detail"] = told_of["detail"].replace(path, "X")
        shown.append((refused.status, told_of))
    assert shown[0] == shown[1]
    assert shown[0][0] == 404


def test_streams_of_analyses_count_as_streams_do(
    running: Running, real_redis: str
) -> None:
    streams = running(real_redis, SEEDLOG_FOLLOWERS="1")
    analysis = ask(streams, 7)
    assert follow(streams, analysis).status == 200
    refused = follow(streams, analysis)
    assert (refused.status, refused.body()["quota"]) == (409, "followers")
