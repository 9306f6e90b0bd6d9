"""Pages of the feed: entries like the frames of their matches, for bounded work."""

from collections.abc import Callable
from typing import Any

import pytest

from services.bootstrap import Services
from services.eventlog import NewEvent, Note, with_versions
from services.eventlog.connection import Connections
from services.eventlog.keys import keys_of
from services.http import feed
from services.views import Place, Projector, TenantFeed
from tests.support.app import Client
from tests.support.contract import check_schema
from tests.support.harming import Entry, garble, put_another_kind, rewrite


def project(services: Services) -> None:
    """Let the feed know of everything that happened."""
    projector = Projector(services.event_log, services.tenant_feed)
    projector.begin()
    while projector.run_once():
        pass


def logged(client: Client, match_id: str) -> dict[int, dict[str, Any]]:
    """Return the events of a match by version, with their boards."""
    path = f"/v1/matches/{match_id}/events?include=position"
    return {e["version"]: e for e in client.get(path).get_json()["data"]}


def test_an_entry_is_the_event_as_its_match_tells_it(
    client: Client, services: Services
) -> None:
    """Asked again, the page is the same, though the match is remembered now."""
    match = client.open_match()
    for move, version in (("C", 3), ("D", 4), ("a", 5)):
        path = f"/v1/matches/{match['id']}/moves"
        seat = "north" if move == "a" else "south"
        body = {"move": move, "seat": seat, "expected_version": version}
        assert client.post(path, body).status_code == 201
    project(services)

    page = client.get("/v1/events").get_json()["data"]

    frames = logged(client, match["id"])
    assert page == [
        {"seq": seq, "match": match["id"], **frames[seq]} for seq in range(1, 7)
    ]
    assert page[3]["steps"]
    assert client.get("/v1/events").get_json()["data"] == page
    assert client.get("/v1/events?cursor=4").get_json()["data"] == page[4:]


def test_a_page_ends_where_it_would_take_too_long(
    client: Client, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its cursor leads on; one entry is told in any case."""
    for _ in range(4):
        client.open_match()
    project(services)
    whole = client.get("/v1/events").get_json()
    assert len(whole["data"]) == 12
    lengths = {}
    for steps in (0, 7):
        monkeypatch.setattr(feed, "MAX_STEPS", steps)
        monkeypatch.setattr(services.folds, "steps_to", lambda _, version: version)

        told, cursor, pages = [], "0", 0
        while cursor is not None:
            page = client.get(f"/v1/events?cursor={cursor}").get_json()
            told += page["data"]
            cursor, pages = page["next_cursor"], pages + 1

        assert told == whole["data"]
        lengths[steps] = pages
    assert lengths[0] > lengths[7] > 1


def test_a_match_that_contradicts_the_rules_holds_up_no_other(
    client: Client, services: Services, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its event is told as it stands in the log, with its hash and without a board."""
    match = client.open_match()
    spoil(services, match["id"])
    other = client.open_match()
    project(services)

    page = client.get("/v1/events").get_json()["data"]

    told = {(entry["match"], entry["version"]): entry for entry in page}
    assert len(told) == 7
    poison = told[match["id"], 4]
    state = services.event_log.load(match["id"])
    assert state is not None
    assert poison["hash"] == state.head.hash
    assert poison["data"]["move"] == "C"
    assert not {"position", "board", "to_move", "legal_moves", "steps"} & set(poison)
    assert told[match["id"], 3]["position"]
    assert told[other["id"], 3]["position"]
    assert "event cannot be replayed" in "".join(capsys.readouterr())


def another_kind(redis: Connections, match_id: str) -> None:
    put_another_kind(redis, keys_of(match_id).events)


def no_json(redis: Connections, match_id: str) -> None:
    def spoilt(entries: list[Entry]) -> list[Entry]:
        for _, fields in entries:
            fields[fields.index("d") + 1] = "{{{"
        return entries

    rewrite(redis, match_id, spoilt)


@pytest.mark.parametrize("harm", [garble, another_kind, no_json])
def test_a_match_that_is_damaged_holds_up_no_other(
    client: Client,
    services: Services,
    redis_url: str,
    capsys: pytest.CaptureFixture[str],
    harm: Callable[[Connections, str], None],
) -> None:
    """It is left out, of pages that ask for a type too, and named in the log."""
    damaged, other = client.open_match()["id"], client.open_match()["id"]
    project(services)
    harm(Connections(redis_url), damaged)

    for asked in ("", "?type=match.opened"):
        page = client.get(f"/v1/events{asked}")
        assert page.status_code == 200
        assert {entry["match"] for entry in page.get_json()["data"]} == {other}
        assert page.get_json()["read_to"] == 6
        said = "".join(capsys.readouterr())
        assert "match of the feed cannot be read" in said
        assert damaged in said


def spoil(services: Services, match_id: str) -> None:
    """Record a move whose digest the rules do not give."""
    state = services.event_log.load(match_id)
    assert state is not None
    data = {"digest": "0" * 12, "move": "C", "seat": "south"}
    move = NewEvent("match.move_played", "seat", data)
    at_ms = 4_000_000_000_000
    events = with_versions([move], state.head.version, at_ms)
    note = Note(state.snapshot, state.tenant)
    services.event_log.append(match_id, state.head, events, note)


def test_a_feed_that_was_trimmed_says_so(client: Client, services: Services) -> None:
    """To who comes back from before that; who begins is told where it begins."""
    for _ in range(2):
        client.open_match()
    project(services)
    matches = [entry["match"] for entry in client.get("/v1/events").get_json()["data"]]
    services.tenant_feed.trim(lambda match_id, _: match_id == matches[0])

    begun = client.get("/v1/events")
    late = client.get("/v1/events?cursor=2")
    present = client.get("/v1/events?cursor=3")

    check_schema({"$ref": "#/components/schemas/Feed"}, begun.get_json())
    assert begun.get_json()["trimmed_to"] == 3
    assert [entry["seq"] for entry in begun.get_json()["data"]] == [4, 5, 6]
    assert late.status_code == 410
    check_schema({"$ref": "#/components/schemas/Problem"}, late.get_json())
    assert late.get_json()["type"] == "/problems/feed-trimmed"
    assert late.get_json()["oldest"] == "3"
    assert "trimmed_to" not in present.get_json()
    assert present.get_json()["data"] == begun.get_json()["data"]
    assert client.get(f"/v1/matches/{matches[0]}").status_code == 200


def test_what_is_trimmed_just_before_it_is_read_leaves_no_silent_hole(
    client: Client, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        client.open_match()
    project(services)
    matches = [entry["match"] for entry in client.get("/v1/events").get_json()["data"]]
    read = TenantFeed.page

    def trim_first(
        self: TenantFeed, tenant: str, after: int, limit: int
    ) -> list[Place]:
        monkeypatch.undo()
        self.trim(lambda match_id, _: match_id == matches[0])
        return read(self, tenant, after, limit)

    monkeypatch.setattr(TenantFeed, "page", trim_first)
    late = client.get("/v1/events?cursor=2")

    assert late.status_code == 410
    assert late.get_json()["oldest"] == "3"


def test_a_cursor_beyond_the_end_is_refused(client: Client, services: Services) -> None:
    """An empty page would hide that what was followed until then is not this feed."""
    client.open_match()
    project(services)

    assert client.get("/v1/events?cursor=3").get_json()["data"] == []
    refused = client.get("/v1/events?cursor=4")

    assert refused.status_code == 404
    check_schema({"$ref": "#/components/schemas/Problem"}, refused.get_json())
    assert refused.get_json()["type"] == "/problems/no-such-entry"
    assert refused.get_json()["newest"] == "3"
