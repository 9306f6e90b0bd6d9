"""Fists, offers, takebacks, forks and calling off, over HTTP."""

import hashlib

from tests.support.app import Client

HUMAN = {"kind": "human"}
SEATS = {"south": HUMAN, "north": HUMAN}


def test_a_fist_is_committed_to_guessed_and_revealed(client: Client) -> None:
    match = client.open_match(starter="fist")
    path = f"/v1/matches/{match['id']}"
    assert match["fist"]["guesser"] == "north"
    assert (match["position"], match["starter"], match["status"]) == (
        None,
        None,
        "open",
    )

    move = {"move": "A", "seat": "south", "expected_version": 3}
    assert client.post(f"{path}/moves", move).get_json()["type"].endswith("no-fist")
    for act, body in (("analyses", {}), ("forks", {"seats": SEATS})):
        refused = client.post(f"{path}/{act}", body).get_json()
        assert refused["type"] == "/problems/no-fist"
        assert refused["detail"] == "north has to guess the fist first"
    aborted = f"/v1/matches/{client.open_match(starter='fist')['id']}"
    assert client.post(f"{aborted}/cancellation").status_code == 201
    for act, body in (("analyses", {}), ("forks", {"seats": SEATS})):
        refused = client.post(f"{aborted}/{act}", body).get_json()
        assert refused["type"] == "/problems/match-over"
    north = client.holding(match["seat_tokens"]["north"])
    answer = north.post(f"{path}/guess", {"fist": "left"}).get_json()

    said = answer["events"][0]["data"]
    commitment = hashlib.sha256(f"{said['fist']} {said['secret']}".encode())
    assert commitment.hexdigest() == match["fist"]["commitment"]
    begins = "north" if said["fist"] == "left" else "south"
    assert answer["match"]["to_move"] == answer["match"]["starter"] == begins
    again = north.post(f"{path}/guess", {"fist": "left"})
    assert again.get_json()["type"] == "/problems/no-fist"


def test_a_takeback_is_shown_until_it_is_answered(client: Client) -> None:
    match = client.open_match()
    path = f"/v1/matches/{match['id']}"
    south = client.holding(match["seat_tokens"]["south"])
    north = client.holding(match["seat_tokens"]["north"])
    south.post(f"{path}/moves", {"move": "A", "expected_version": 3})

    asked = south.post(f"{path}/takebacks", {"to_version": 3}).get_json()
    assert asked["match"]["offer"] == {
        "kind": "takeback",
        "seat": "south",
        "to_version": 3,
    }
    own = south.post(f"{path}/takebacks/answer", {"accept": True})
    assert own.get_json()["type"] == "/problems/own-offer"
    answer = north.post(f"{path}/takebacks/answer", {"accept": True}).get_json()

    assert answer["match"]["position"] == match["position"]
    assert answer["match"]["offer"] is None
    future = south.post(f"{path}/takebacks", {"to_version": 50})
    assert future.get_json()["type"] == "/problems/no-such-version"
    nowhere = south.post(f"{path}/takebacks", {"to_version": 6})
    assert nowhere.get_json()["type"] == "/problems/invalid-takeback"


def test_what_is_known_of_a_match_is_enough_for_a_fork(client: Client) -> None:
    """As it was opened, before anybody sat there."""
    match = client.open_match(seats={"south": HUMAN})
    body = {"seats": SEATS, "version": 1}

    forked = client.post(f"/v1/matches/{match['id']}/forks", body)

    assert forked.status_code == 201, forked.text
    assert client.post(f"/v1/matches/{match['id']}/analyses").status_code == 202


def test_a_fork_names_its_origin_and_goes_its_own_way(client: Client) -> None:
    match = client.open_match()
    path = f"/v1/matches/{match['id']}"
    client.post(f"{path}/moves", {"move": "C", "seat": "south", "expected_version": 3})
    events = client.get(f"{path}/events").get_json()["data"]

    seats = {"south": HUMAN, "north": HUMAN}
    fork = client.post(f"{path}/forks", {"version": 4, "seats": seats}).get_json()

    assert fork["origin"] == {
        "match": match["id"],
        "version": 4,
        "hash": events[3]["hash"],
    }
    assert fork["position"] == "4,4,0,5,5,5/4,4,4,4,4,4 1,0 S"
    new = f"/v1/matches/{fork['id']}"
    move = {"move": "A", "seat": "south", "expected_version": fork["version"]}
    assert client.post(f"{new}/moves", move).status_code == 201
    assert client.get(path).get_json()["version"] == 4
    assert client.get(f"{new}?version=3").get_json()["position"] == fork["position"]


def test_a_match_from_a_position_text(client: Client) -> None:
    text = "0,0,0,0,1,0/0,3,2,0,0,1 10,31 S"

    assert client.open_match(position=text)["position"] == text
    wrong = client.post("/v1/matches", {"game": "kalah", "position": "4,4/4,4 0,0 S"})
    assert wrong.get_json()["type"] == "/problems/invalid-position"


def test_a_match_is_called_off_by_a_player_or_the_app(client: Client) -> None:
    match = client.open_match()
    path = f"/v1/matches/{match['id']}/cancellation"

    south = client.holding(match["seat_tokens"]["south"])
    answer = south.send("POST", path, headers=south.authorization())

    assert answer.get_json()["match"]["status"] == "aborted"
    assert client.post(path).get_json()["reason"] == "aborted"


def test_the_moves_that_stand_are_listed_with_their_steps(client: Client) -> None:
    match = client.open_match(
        seats={"south": HUMAN, "north": {"kind": "ai", "level": 1}}
    )
    path = f"/v1/matches/{match['id']}"
    move = {"move": "C", "seat": "south"}
    client.post(f"{path}/moves", {**move, "expected_version": 3})
    client.post(f"{path}/moves", {**move, "move": "A", "expected_version": 4})
    client.post(f"{path}/takebacks", {"seat": "south", "to_version": 4})

    now = client.get(f"{path}/moves").get_json()["data"]
    before = client.get(f"{path}/moves?version=5").get_json()["data"]

    assert [shown["move"] for shown in now] == ["C"]
    assert [shown["move"] for shown in before] == ["C", "A"]
    assert now[0]["position"] == "4,4,0,5,5,5/4,4,4,4,4,4 1,0 S"
    assert (now[0]["ply"], now[0]["version"], now[0]["seat"]) == (1, 4, "south")
    assert [step["kind"] for step in now[0]["steps"]] == ["lift"] + ["sow"] * 4


def test_two_versions_are_compared(client: Client) -> None:
    match = client.open_match()
    path = f"/v1/matches/{match['id']}"
    move = {"move": "C", "seat": "south", "expected_version": 3}
    client.post(f"{path}/moves", move)

    shown = client.get(f"{path}/diff?from=3&to=4").get_json()

    assert shown["board"] == {
        "C": [4, 0],
        "D": [4, 5],
        "E": [4, 5],
        "F": [4, 5],
        "south": [0, 1],
    }
    assert shown["match"]["ply"] == [0, 1]
    assert [event["version"] for event in shown["events"]] == [4]
    assert client.get(f"{path}/diff?from=3&to=3").get_json()["board"] == {}
    back = client.get(f"{path}/diff?from=4&to=3").get_json()
    assert back["match"]["ply"] == [1, 0]
    assert back["events"] == shown["events"]
    assert client.get(f"{path}/diff?from=3").status_code == 400
    assert client.get(f"{path}/diff?from=3&to=9").status_code == 404
