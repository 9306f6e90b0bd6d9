"""Audit, export and import over HTTP, between two installations."""

import io
import json
from dataclasses import replace
from typing import Any

import pytest
from werkzeug.test import create_environ, run_wsgi_app

from services.api import create_app
from services.audit import verify
from services.audit.page import export_of_page
from services.audit.public_keys import read_keys
from services.bootstrap import Services
from services.eventlog import MemoryEventLog, StoredEvent, chain_all, genesis
from services.match import MatchService
from services.views import Projector
from tests.support.app import Client, client_of
from tests.support.tables import OTHER_PRIVATE, played_table, signing_key

HUMAN = {"kind": "human"}
PUBLISHED = "/.well-known/seedlog-keys.json"


def play(client: Client, match: dict[str, Any], *moves: str) -> None:
    """Play moves as whoever is to move."""
    path = f"/v1/matches/{match['id']}"
    for move in moves:
        now = client.get(path).get_json()
        body = {
            "move": move,
            "seat": now["to_move"],
            "expected_version": now["version"],
        }
        assert client.post(f"{path}/moves", body).status_code == 201


@pytest.fixture
def match(client: Client) -> dict[str, Any]:
    """Return a match that is under way, with the name of one player."""
    seats = {"south": HUMAN | {"name": "Amara"}, "north": HUMAN}
    opened = client.open_match(seats=seats)
    play(client, opened, "C", "A", "b")
    return opened


def export(client: Client, match: dict[str, Any]) -> bytes:
    answer = client.get(f"/v1/matches/{match['id']}/export")
    assert answer.status_code == 200
    return answer.data


def trust(home: Services, away: Services) -> None:
    """Let the operator list the keys of one installation at the other."""
    published = client_of(home).get("/.well-known/seedlog-keys.json").text
    (away.settings.data / "trusted_keys.json").write_text(published)


# -- export and audit


def test_an_export_verifies_with_the_published_keys(
    client: Client, match: dict[str, Any]
) -> None:
    answer = client.get(f"/v1/matches/{match['id']}/export")
    published = client.holding("").get("/.well-known/seedlog-keys.json")

    assert verify(answer.data, read_keys(published.data)).is_ok
    assert answer.mimetype == "application/x-ndjson"
    assert f"{match['id']}.jsonl" in answer.headers["Content-Disposition"]
    header = json.loads(answer.data.splitlines()[0])
    names = [who["name"] for who in header["players"].values()]
    assert sorted(names, key=str) == ["Amara", None]


def test_the_events_are_in_it_verbatim(
    client: Client, match: dict[str, Any], home: Services
) -> None:
    told = [
        json.loads(line)["hash"] for line in export(client, match).splitlines()[1:-1]
    ]
    listed = client.get(f"/v1/matches/{match['id']}/events").get_json()["data"]

    assert told == [event["hash"] for event in listed]


def test_the_log_as_it_was_at_a_version_proves_itself(
    client: Client, match: dict[str, Any]
) -> None:
    """Though the match went on; what was not yet then is not in it."""
    path = f"/v1/matches/{match['id']}"
    latest = client.get(path).get_json()["version"]
    whole = export(client, match).splitlines()

    then = client.get(f"{path}/export?version={latest - 1}").data
    page = client.get(f"{path}/export?version={latest - 1}&format=html").data
    audit = client.get(f"{path}/audit?version={latest - 1}").get_json()

    for told in (then, export_of_page(page)):
        assert told is not None
        assert verify(told).is_ok
        assert told.splitlines()[1:-1] == whole[1:-2]
    assert (audit["ok"], audit["events"]) == (True, latest - 1)
    assert audit["hash"] == json.loads(then.splitlines()[-1])["head"]["hash"]
    for what in ("export", "audit"):
        unknown = client.get(f"{path}/{what}?version={latest + 1}")
        assert unknown.status_code == 404
        assert unknown.get_json()["type"].endswith("no-such-version")
        assert client.get(f"{path}/{what}?version=0").status_code == 400


def test_half_an_act_is_no_export(client: Client, match: dict[str, Any]) -> None:
    """A resignation and the end of the match were recorded together."""
    path = f"/v1/matches/{match['id']}"
    client.post(f"{path}/resignation", {"seat": "south"})
    latest = client.get(path).get_json()["version"]

    for what in ("export", "audit"):
        refused = client.get(f"{path}/{what}?version={latest - 1}")
        assert refused.status_code == 400
        why = f"event {latest - 1} goes on in event {latest}, as one act"
        assert why in refused.get_json()["detail"]
        assert client.get(f"{path}/{what}?version={latest}").status_code == 200
        assert client.get(f"{path}/{what}?version={latest - 2}").status_code == 200


def test_a_page_is_to_keep_and_not_to_run_here(
    client: Client, match: dict[str, Any]
) -> None:
    answer = client.get(f"/v1/matches/{match['id']}/export?format=html")

    assert answer.mimetype == "text/html"
    assert f'filename="{match["id"]}.html"' in answer.headers["Content-Disposition"]
    assert answer.headers["Content-Security-Policy"] == "sandbox"
    held = export_of_page(answer.data)
    assert held is not None
    assert verify(held).is_ok


def test_an_erased_name_is_gone_from_exports_and_said_to_be(
    client: Client, match: dict[str, Any], home: Services
) -> None:
    before = json.loads(export(client, match).splitlines()[0])["players"]
    [reference] = [r for r, who in before.items() if who["name"]]
    home.players.erase(reference, "ten_a", 1)

    after = json.loads(export(client, match).splitlines()[0])["players"]

    assert after[reference] == {"name": None, "name_erased": True}
    assert verify(export(client, match)).is_ok


def test_players_may_audit_and_export_their_match_and_nobody_elses(
    client: Client, match: dict[str, Any], home: Services
) -> None:
    south = client.holding(match["seat_tokens"]["south"])
    stranger = client_of(home, "ten_x")

    for what in ("audit", "export"):
        path = f"/v1/matches/{match['id']}/{what}"
        assert south.get(path).status_code == 200
        assert stranger.get(path).status_code == 404
        assert client.get(f"{path}?format=pdf").status_code == 400


def test_the_audit_counts_and_signs(client: Client, match: dict[str, Any]) -> None:
    audit = client.get(f"/v1/matches/{match['id']}/audit").get_json()

    assert (audit["ok"], audit["events"], audit["findings"]) == (True, 6, [])
    assert audit["counts"]["match.move_played"] == 3
    assert audit["head"]["head"]["hash"] == audit["hash"]


def test_the_audit_names_an_event_that_was_changed_in_the_log(
    client: Client, match: dict[str, Any], home: Services
) -> None:
    """Whoever can write to Redis can change an event; not without being found."""
    log = MemoryEventLog()
    events = home.event_log.read(match["id"])
    state = home.event_log.load(match["id"])
    assert state is not None
    changed = events[3].data_text.replace('"move":"C"', '"move":"B"')
    forged = StoredEvent(4, events[3].type, events[3].at_ms, events[3].by, changed)
    log._streams = {
        match["id"]: type(
            "Stream", (), {"events": [*events[:3], forged, *events[4:]], "state": state}
        )()
    }
    tampered = replace(home, event_log=log, matches=MatchService(log, lambda: 0))
    app = create_app(tampered).test_client()

    audit = Client(app, client.token).get(f"/v1/matches/{match['id']}/audit").get_json()

    assert [finding["place"] for finding in audit["findings"]] == ["event 4", "head"]
    assert (audit["ok"], audit["head"]) == (False, None)


# -- import


def test_a_match_goes_on_elsewhere(
    client: Client,
    abroad: Client,
    match: dict[str, Any],
    home: Services,
    away: Services,
) -> None:
    """Same id, same hashes; one event says that it was taken over; then play."""
    trust(home, away)
    told = export(client, match)

    answer = abroad.upload("/v1/imports", told)

    body = answer.get_json()
    assert answer.status_code == 201, answer.text
    assert (body["id"], body["version"], body["to_move"]) == (match["id"], 7, "south")
    assert body["seats"]["south"]["name"] == "Amara"
    events = away.event_log.read(match["id"])
    assert events[:-1] == home.event_log.read(match["id"])
    head = json.loads(told.splitlines()[-1])["head"]
    said = {"tenant": "ten_b", "head": head["hash"], "key": head["key"]}
    assert events[-1].data == said
    state = away.event_log.load(match["id"])
    assert state is not None
    assert state.head.hash == chain_all(genesis(match["id"]), events)
    # Tokens of there are void here; new ones are in the answer, and can be renewed.
    assert (
        abroad.holding(match["seat_tokens"]["south"])
        .get(f"/v1/matches/{match['id']}")
        .status_code
        == 401
    )
    south = abroad.holding(body["seat_tokens"]["south"])
    moves = f"/v1/matches/{match['id']}/moves"
    assert south.post(moves, {"move": "D"}, If_Match='"7"').status_code == 201
    token = f"/v1/matches/{match['id']}/players/north/token"
    assert abroad.post(token).status_code == 201
    audit = abroad.get(f"/v1/matches/{match['id']}/audit").get_json()
    assert audit["ok"], audit["findings"]
    assert verify(export(abroad, match)).is_ok


def test_what_comes_back_has_been_in_two_logs(
    client: Client,
    abroad: Client,
    match: dict[str, Any],
    home: Services,
    away: Services,
    redis_url: str,
) -> None:
    """A third installation takes over what was taken over: all of it still fits."""
    trust(home, away)
    abroad.upload("/v1/imports", export(client, match))
    play(abroad, match, "D")
    third = replace(away, event_log=MemoryEventLog())
    third = replace(third, matches=MatchService(third.event_log, lambda: 0))
    elsewhere = client_of(third, "ten_c")

    answer = elsewhere.upload("/v1/imports", export(abroad, match))

    assert answer.status_code == 201
    types = [event.type for event in third.event_log.read(match["id"])]
    assert types.count("match.imported") == 2
    assert elsewhere.get(f"/v1/matches/{match['id']}/audit").get_json()["ok"]


def test_a_finished_match_is_taken_over_and_listed(
    client: Client,
    abroad: Client,
    match: dict[str, Any],
    home: Services,
    away: Services,
) -> None:
    trust(home, away)
    path = f"/v1/matches/{match['id']}"
    client.post(f"{path}/resignation", {"seat": "south"})

    body = abroad.upload("/v1/imports", export(client, match)).get_json()

    assert (body["status"], body["outcome"]["winner"]) == ("finished", "north")
    projector = Projector(away.event_log, away.match_list)
    projector.begin()
    projector.run_once()
    [row] = abroad.get("/v1/matches").get_json()["data"]
    assert (row["id"], row["status"]) == (match["id"], "finished")
    other = client_of(away, "ten_c")
    assert other.get("/v1/matches").get_json()["data"] == []
    assert other.get(path).status_code == 404


def test_an_ai_that_is_to_move_is_asked_here(
    client: Client, abroad: Client, home: Services, away: Services
) -> None:
    trust(home, away)
    seats = {"south": {"kind": "ai", "level": 2}, "north": HUMAN}
    told = export(client, client.open_match(seats=seats))

    abroad.upload("/v1/imports", told)

    [entry] = away.event_log.follow({})
    assert (entry.awaits, entry.tenant, entry.first, entry.last) == (
        "ai",
        "ten_b",
        1,
        4,
    )
    assert away.event_log.overdue(2**53) == [entry.stream]


def test_a_match_that_waits_for_a_fist_of_another_server_is_refused(
    client: Client, abroad: Client, home: Services, away: Services
) -> None:
    """It could never begin here; once the fist is guessed, it goes on here."""
    trust(home, away)
    match = client.open_match(
        seats={"south": HUMAN | {"name": "Amara"}, "north": HUMAN}, starter="fist"
    )
    path = f"/v1/matches/{match['id']}"

    refused = abroad.upload("/v1/imports", export(client, match))
    client.post(f"{path}/guess", {"seat": "north", "fist": "left"})
    taken = abroad.upload("/v1/imports", export(client, match))

    problem = refused.get_json()
    assert (refused.status_code, problem["type"]) == (422, "/problems/foreign-fist")
    assert (problem["match"], problem["seats"]) == (match["id"], ["north"])
    assert "guess it there, export the match again" in problem["detail"]
    assert taken.status_code == 201
    play(abroad, match, taken.get_json()["legal_moves"][0])
    assert abroad.get(f"{path}/audit").get_json()["ok"]


def test_nothing_of_a_refused_match_is_kept(
    client: Client, abroad: Client, home: Services, away: Services
) -> None:
    trust(home, away)
    seats = {"south": HUMAN | {"name": "Amara"}, "north": HUMAN}
    match = client.open_match(seats=seats, starter="fist")

    assert abroad.upload("/v1/imports", export(client, match)).status_code == 422

    assert abroad.get(f"/v1/matches/{match['id']}").status_code == 404
    assert away.players.names([match["seats"]["south"]["player"]]) == {}


def test_a_fist_of_this_server_can_still_be_guessed_after_an_import(
    client: Client, home: Services
) -> None:
    """As when the log was lost, and the secret was not."""
    match = client.open_match(starter="fist")
    told = export(client, match)
    empty = replace(home, event_log=MemoryEventLog())
    empty = replace(empty, matches=MatchService(empty.event_log, lambda: 2**42))
    again = client_of(empty)

    assert again.upload("/v1/imports", told).status_code == 201

    path = f"/v1/matches/{match['id']}/guess"
    assert again.post(path, {"seat": "north", "fist": "left"}).status_code == 201


def test_a_match_that_was_called_off_before_its_fist_is_taken_over(
    client: Client, abroad: Client, home: Services, away: Services
) -> None:
    trust(home, away)
    match = client.open_match(starter="fist")
    client.post(f"/v1/matches/{match['id']}/cancellation")

    taken = abroad.upload("/v1/imports", export(client, match))

    assert taken.status_code == 201
    assert taken.get_json()["status"] == "aborted"


def test_a_match_that_is_known_is_refused(
    client: Client, match: dict[str, Any], home: Services
) -> None:
    told = export(client, match)
    other = client_of(home, "ten_x")

    own = client.upload("/v1/imports", told)
    foreign = other.upload("/v1/imports", told)

    assert (own.status_code, foreign.status_code) == (409, 409)
    assert own.get_json()["type"] == "/problems/known-match"
    assert own.get_json()["match"] == match["id"]
    assert "match" not in foreign.get_json()


def test_a_retried_import_is_answered_as_the_first_time(
    client: Client,
    abroad: Client,
    match: dict[str, Any],
    home: Services,
    away: Services,
) -> None:
    trust(home, away)
    told = export(client, match)

    first = abroad.upload("/v1/imports", told, Idempotency_Key="k")
    play(abroad, match, "D")
    again = abroad.upload("/v1/imports", told, Idempotency_Key="k")

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.get_json() == again.get_json()


def test_an_erased_name_does_not_come_back(
    client: Client,
    abroad: Client,
    match: dict[str, Any],
    home: Services,
    away: Services,
) -> None:
    trust(home, away)
    told = export(client, match)
    players = json.loads(told.splitlines()[0])["players"]
    [reference] = [r for r, who in players.items() if who["name"]]
    away.players.register(reference, "ten_b", "Amara")
    away.players.erase(reference, "ten_b", 1)

    body = abroad.upload("/v1/imports", told).get_json()

    assert body["seats"]["south"]["name"] is None


def test_an_export_signed_by_a_stranger_is_refused(
    client: Client, abroad: Client, match: dict[str, Any]
) -> None:
    problem = abroad.upload("/v1/imports", export(client, match)).get_json()

    assert problem["type"] == "/problems/invalid-import"
    [finding] = problem["findings"]
    assert (finding["place"], finding["check"]) == ("head", "key")
    assert "no key you trust" in problem["detail"]


@pytest.mark.parametrize(
    ("change", "place", "check"),
    [
        ((b'"move":"b"', b'"move":"c"'), "event 6", "chain"),
        ((b'"hash":"', b'"hash":"0'), "event 1", "form"),
        ((b'"match.opened"', b'"match.opening"'), "event 1", "chain"),
        ((b"Amara", b"Asaro"), "header", "signature"),
        ((b"Amara", b"Am\xffra"), "header", "form"),
        ((b'"head"', b'"tail"'), "head", "form"),
        ((b"\n", b"\r\n"), "header", "form"),
    ],
)
def test_an_import_that_does_not_hold_is_refused_by_place_and_check(
    client: Client,
    match: dict[str, Any],
    change: tuple[bytes, bytes],
    place: str,
    check: str,
) -> None:
    told = export(client, match).replace(*change, 1)

    answer = client.upload("/v1/imports", told)

    problem = answer.get_json()
    assert answer.status_code == 422
    assert problem["type"] == "/problems/invalid-import"
    assert problem["findings"][0]["place"] == place
    assert problem["findings"][0]["check"] == check
    assert problem["detail"].startswith(f"{place}: ")


def test_rules_are_played_before_anything_is_recorded(abroad: Client) -> None:
    """Signed by a key of here, and still impossible: the match does not begin."""
    table = played_table()
    events = table.log._streams[table.id].events
    changed = events[3].data_text.replace('"move":"C"', '"move":"B"')
    events[3] = StoredEvent(4, events[3].type, events[3].at_ms, "seat", changed)

    problem = abroad.upload(
        "/v1/imports", table.export(signing_key(OTHER_PRIVATE))
    ).get_json()

    assert problem["findings"][0]["check"] == "rules"
    assert abroad.get(f"/v1/matches/{table.id}").status_code == 404


@pytest.mark.parametrize("data", [b"", b"\n", b"{}", b"\xff\xfe\x00", b"[" * 90_000])
def test_what_is_no_export_is_refused(client: Client, data: bytes) -> None:
    assert client.upload("/v1/imports", data).status_code == 422


def test_a_seat_token_imports_nothing(client: Client, match: dict[str, Any]) -> None:
    south = client.holding(match["seat_tokens"]["south"])

    assert south.upload("/v1/imports", export(client, match)).status_code == 403


class Endless(io.RawIOBase):
    """An upload without end, which counts how much of it is read."""

    taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self.taken += len(buffer)
        return len(buffer)


@pytest.mark.parametrize("is_announced", [True, False])
def test_a_large_upload_is_refused_without_reading_it(
    client: Client, is_announced: bool
) -> None:
    upload = Endless()
    environ = create_environ("/v1/imports", method="POST")
    environ |= {
        "HTTP_AUTHORIZATION": f"Bearer {client.token}",
        "CONTENT_TYPE": "application/x-ndjson",
        "wsgi.input": upload,
        "wsgi.input_terminated": True,
    }
    if is_announced:
        environ["CONTENT_LENGTH"] = "100000000"

    _, status, _ = run_wsgi_app(client.flask.application, environ)

    assert status.startswith("413 ")
    assert upload.taken <= (0 if is_announced else 400_000)


@pytest.mark.parametrize("game", ["kalah", "congkak"])
def test_a_whole_match_with_a_swap_is_exported_and_verified(
    client: Client, game: str
) -> None:
    """The log names the option; the page that the export can be has the same rules."""
    opened = client.open_match(
        game,
        options={"pie": True},
        seats={"south": HUMAN, "north": HUMAN},
    )
    path = f"/v1/matches/{opened['id']}"
    assert opened["options"]["pie"] is True
    while (now := client.get(path).get_json())["to_move"]:
        legal = now["legal_moves"]
        play(client, opened, "swap" if "swap" in legal else legal[len(legal) // 2])

    data = export(client, opened)
    verdict = verify(data, read_keys(client.get(PUBLISHED).data))
    page = export_of_page(client.get(f"{path}/export?format=html").data)

    assert now["outcome"] is not None
    assert verdict.is_ok, verdict.findings
    assert data.count(b'"move":"swap"') == 1
    assert page is not None
    assert verify(page, read_keys(client.get(PUBLISHED).data)).head == verdict.head


def test_a_log_without_the_option_does_not_name_it(client: Client) -> None:
    """So a match that is played as before is recorded as before."""
    told = [client.open_match(options=options) for options in ({}, {"pie": False})]
    for match in told:
        assert match["options"] == {"pits": 6, "seeds": 4, "empty_capture": False}
        assert b"pie" not in export(client, match)
