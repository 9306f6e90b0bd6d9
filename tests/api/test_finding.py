"""Finding one's way: filters, matches by their ids, answers in part."""

from typing import Any

import pytest

from services.api import feed
from services.api.fields import ENTRY_FIELDS
from services.bootstrap import Services
from services.match import EVENTS
from services.match.refusals import Quarantined
from services.views import Projector
from tests.support.app import Client
from tests.support.contract import load_contract

HUMAN = {"kind": "human"}


def project(services: Services) -> None:
    """Let the views know of everything that happened."""
    for view in services.views:
        projector = Projector(services.event_log, view)
        projector.begin()
        while projector.run_once():
            pass


def play(client: Client, match: dict[str, Any], *moves: str) -> None:
    for version, move in enumerate(moves, match["version"]):
        body = {"move": move, "seat": "south", "expected_version": version}
        answer = client.post(f"/v1/matches/{match['id']}/moves", body)
        assert answer.status_code == 201, answer.text


def refusal(client: Client, path: str) -> str:
    answer = client.get(path)
    assert answer.status_code == 400, answer.text
    assert answer.get_json()["type"] == "/problems/invalid-parameter"
    return str(answer.get_json()["detail"])


# -- lists


def test_matches_are_found_by_all_filters_at_once(
    client: Client, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Since when they were opened, too; a page goes on where the one before ended."""
    clock = iter(range(1_700_000_000_000, 1_800_000_000_000, 1_000))
    monkeypatch.setattr(services.matches, "_now_ms", lambda: next(clock))
    opened = [client.open_match(g) for g in ("kalah", "oware", "kalah") * 3]
    client.post(f"/v1/matches/{opened[6]['id']}/resignation", {"seat": "south"})
    project(services)
    since = opened[2]["created_at"]
    player = opened[5]["seats"]["north"]["player"]

    def found(query: str) -> list[str]:
        told, cursor = [], ""
        while cursor is not None:
            more = f"&cursor={cursor}" if cursor else ""
            page = client.get(f"/v1/matches?limit=2&{query}{more}").get_json()
            told += [row["id"] for row in page["data"]]
            cursor = page["next_cursor"]
        return told

    ids = [match["id"] for match in opened]
    assert found(f"since={since}") == ids[:1:-1]
    assert found(f"since={since}&game=kalah") == [ids[n] for n in (8, 6, 5, 3, 2)]
    running = f"since={since}&game=kalah&status=running"
    assert found(running) == [ids[n] for n in (8, 5, 3, 2)]
    assert found(f"{running}&player={player}") == [ids[5]]
    assert found("since=2100-01-01T00:00:00%2B05:30") == []
    assert found("since=1970-01-01T00:00:00Z") == ids[::-1]


@pytest.mark.parametrize(
    "wrong",
    ["", "yesterday", "2026-11-22", "2026-11-22T10:00:00", "1700000000", "9999-12-31Z"],
)
def test_a_time_says_its_zone(client: Client, wrong: str) -> None:
    told = refusal(client, f"/v1/matches?since={wrong}")

    assert told == "since should be a time such as 2026-11-22T10:00:00Z"


# -- matches that are named


def test_matches_that_are_named_are_shown_as_alone(client: Client) -> None:
    """In the order they are named in, each once, however new they are."""
    opened = [client.open_match(g)["id"] for g in ("kalah", "reversi", "oware")]
    asked = [opened[2], opened[0], "mat_none", opened[2]]

    body = client.get(f"/v1/matches?ids={','.join(asked)}").get_json()

    alone = [client.get(f"/v1/matches/{i}").get_json() for i in asked[:2]]
    assert body == {"data": alone, "next_cursor": None, "missing": ["mat_none"]}


def test_nothing_shows_the_matches_of_another_tenant(
    client: Client, stranger: Client, services: Services
) -> None:
    """Whoever names one hears what is heard of one that there is not."""
    match = client.open_match()
    player = match["seats"]["south"]["player"]
    mine = stranger.open_match()["id"]
    project(services)

    named = stranger.get(f"/v1/matches?ids={match['id']},{mine}").get_json()
    assert named["missing"] == [match["id"]]
    assert [shown["id"] for shown in named["data"]] == [mine]
    for query in (
        f"player={player}",
        f"player={player}&fields=id,position",
        "since=1970-01-01T00:00:00Z&fields=id,legal_moves",
        "game=kalah&status=running&fields=id",
    ):
        rows = stranger.get(f"/v1/matches?{query}").get_json()["data"]
        assert match["id"] not in [row["id"] for row in rows]
    for query in ("", "?type=match.opened", "?fields=match"):
        entries = stranger.get(f"/v1/events{query}").get_json()["data"]
        assert {entry["match"] for entry in entries} == {mine}
    seat = client.holding(match["seat_tokens"]["south"])
    assert seat.get(f"/v1/matches?ids={match['id']}").status_code == 403


def test_a_match_that_contradicts_the_rules_hides_no_other(
    client: Client, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, bad = client.open_match()["id"], client.open_match()["id"]
    project(services)
    load = services.matches.load

    def quarantine(match_id: str) -> Any:
        if match_id == bad:
            raise Quarantined(bad, "the digest differs")
        return load(match_id)

    monkeypatch.setattr(type(services.matches), "load", lambda _, i: quarantine(i))

    named = client.get(f"/v1/matches?ids={bad},{good}").get_json()
    assert named["missing"] == [bad]
    listed = client.get("/v1/matches?fields=id,position").get_json()["data"]
    assert [sorted(row) for row in listed] == [["id"], ["id", "position"]]


@pytest.mark.parametrize(
    "query",
    [
        "ids=",
        "ids=mat_a,",
        "ids=x",
        "ids=mat_a b",
        "ids=" + ",".join(f"mat_{n}" for n in range(101)),
    ],
)
def test_only_so_many_ids_are_read_at_once(client: Client, query: str) -> None:
    told = refusal(client, f"/v1/matches?{query}")

    assert told == "ids should be 1 to 100 ids of matches, with commas between them"


def test_who_names_matches_filters_none(client: Client) -> None:
    told = refusal(client, "/v1/matches?ids=mat_a&status=running&limit=3")

    assert told == "ids should be sent without limit and status"


# -- parts


def test_a_list_shows_what_a_phone_needs_in_one_request(
    client: Client, services: Services
) -> None:
    """The board comes from the log; what the list knows itself costs nothing more."""
    match = client.open_match()
    project(services)
    play(client, match, "C", "A")

    [row] = client.get("/v1/matches?fields=id,legal_moves,version").get_json()["data"]
    [listed] = client.get("/v1/matches?fields=id,version").get_json()["data"]

    assert list(row) == ["id", "legal_moves", "version"]
    assert (row["version"], row["legal_moves"]) == (5, [*"abcdef"])
    assert listed == {"id": match["id"], "version": 3}


def test_every_member_can_be_asked_for_alone(
    client: Client, services: Services
) -> None:
    """Of a match, listed or alone; of an event; of an entry of the feed."""
    match = client.open_match()
    play(client, match, "C")
    project(services)
    path = f"/v1/matches/{match['id']}"
    events = f"{path}/events?include=position&after=3"
    whole = client.get(path).get_json()
    [event] = client.get(events).get_json()["data"]
    [entry] = client.get("/v1/events?cursor=3").get_json()["data"]
    described = load_contract()["components"]["schemas"]

    assert {*described["MatchMember"]["enum"]} == {*whole}
    assert {*described["EventMember"]["enum"]} == {*event}
    assert {*entry} == {*event, "seq", "match"} == {*ENTRY_FIELDS}
    for name, value in whole.items():
        part = {name: value}
        assert client.get(f"{path}?fields={name}").get_json() == part
        for query in ("", f"ids={match['id']}&"):
            shown = client.get(f"/v1/matches?{query}fields={name}").get_json()
            assert shown["data"] == [part]
    for name, value in event.items():
        shown = client.get(f"{events}&fields={name}").get_json()
        assert shown["data"] == [{name: value}]
    for name, value in entry.items():
        shown = client.get(f"/v1/events?cursor=3&fields={name}").get_json()
        assert shown == {"data": [{name: value}], "next_cursor": None, "read_to": 4}


def test_a_part_has_an_etag_of_its_own(client: Client) -> None:
    path = f"/v1/matches/{client.open_match()['id']}"
    part = client.get(f"{path}?fields=id,status")

    again = {"If_None_Match": part.headers["ETag"]}

    assert client.get(f"{path}?fields=id,status", **again).status_code == 304
    assert client.get(path, **again).status_code == 200
    assert client.get(f"{path}?fields=id&include=layout").get_json().keys() == {
        "id",
        "layout",
    }


@pytest.mark.parametrize("names", ["", "id,", "winner", "id,seq", "ID"])
def test_an_unknown_member_is_refused_with_those_that_there_are(
    client: Client, names: str
) -> None:
    match = client.open_match()["id"]
    for path in (f"/v1/matches/{match}", "/v1/matches"):
        told = refusal(client, f"{path}?fields={names}")
        assert told.startswith("fields should be members of a match, with commas")
        assert "known: id, game, options," in told
    for path in (f"/v1/matches/{match}/events", "/v1/events"):
        assert "hash, position" in refusal(client, f"{path}?fields={names}")


# -- the feed by type


def test_the_feed_tells_the_types_that_are_wanted(
    client: Client, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Page by page, each after so much work; nothing is left out, whatever is cut."""
    matches = [client.open_match() for _ in range(3)]
    for match in matches:
        play(client, match, "C", "A")
    client.post(f"/v1/matches/{matches[1]['id']}/resignation", {"seat": "south"})
    project(services)
    everything = client.get("/v1/events").get_json()

    def told(types: str, limit: int) -> list[dict[str, Any]]:
        found, cursor = [], 0
        while True:
            path = f"/v1/events?type={types}&limit={limit}&cursor={cursor}"
            page = client.get(path).get_json()
            found += page["data"]
            assert page["read_to"] >= cursor
            cursor = page["read_to"]
            if page["next_cursor"] is None:
                assert cursor == everything["read_to"]
                return found
            assert page["next_cursor"] == str(cursor)

    for looked_at in (1, 2, 5, 500):
        monkeypatch.setattr(feed, "LOOKED_AT", looked_at)
        for types in ("match.ended", "match.opened,match.move_played", "match.aborted"):
            wanted = [e for e in everything["data"] if e["type"] in types.split(",")]
            for limit in (1, 2, 200):
                assert told(types, limit) == wanted


def test_an_unknown_type_is_refused_with_those_that_there_are(client: Client) -> None:
    for wrong in ("", "match.moved", "match.opened,", "opened"):
        told = refusal(client, f"/v1/events?type={wrong}")
        assert all(kind.type in told for kind in EVENTS)
