"""Requests that succeed, and the matches on which they make sense."""

from typing import Any

from tests.support.app import Client
from tests.support.samples import RECORDED

HUMAN = {"kind": "human"}
MOVE = {"move": "A", "seat": "south", "expected_version": 3}

# For each operation a request that succeeds on the match that `prepare` makes.
GOOD: dict[str, Any] = {
    "openMatch": {"game": "kalah"},
    "takeSeat": HUMAN,
    "renewSeatToken": {},
    "playMove": MOVE,
    "resign": {"seat": "south"},
    "offerDraw": {"seat": "south"},
    "answerDrawOffer": {"seat": "north", "accept": False},
    "requestTakeback": {"seat": "south", "to_version": 3},
    "answerTakeback": {"seat": "north", "accept": True},
    "guessFist": {"seat": "north", "fist": "left"},
    "abortMatch": {},
    "forkMatch": {"version": 3},
    "importMatch": (RECORDED / "oware-1.jsonl").read_bytes(),
    "openGuestMatch": {"game": "kalah", "level": 1},
    "computePosition": {"game": "kalah", "moves": ["C"], "move": "A"},
    "analysePosition": {"game": "kalah", "moves": ["C"], "lines": 2},
    "analyseMatch": {"time_ms": 50},
    "takeHint": {"seat": "south", "lines": 2},
    "createEndpoint": {"url": "https://93.184.215.14/", "events": ["*"]},
    "changeEndpoint": {"events": ["match.ended"]},
    "issueSpectatorToken": {"expires_in_s": 3600},
    "openRematch": {},
    "issueInvitation": {"seat": "north", "player": "u-7"},
    "acceptInvitation": {"name": "Beth"},
    "seekOpponent": {"game": "kalah", "player": "u-42"},
    "seekAsGuest": {"game": "kalah"},
    "createKey": {"label": "statistics", "role": "read", "expires_in_s": 3600},
    "rotateKey": {"overlap_s": 60},
}
QUERIES = {"compareVersions": "?from=1&to=3"}
PLACES = {
    "key": "kalah",
    "game": "kalah",
    "clock_class": "untimed",
    "other": "ai:3",
    "seat": "south",
    "name": "illegal-move",
}


def prepare(client: Client, operation: str) -> dict[str, Any]:
    """Return a match on which the example of an operation makes sense."""
    human = {"kind": "human"}
    seats = {"south": human | {"name": "Amara"}, "north": human}
    if operation in ("takeSeat", "issueInvitation", "acceptInvitation"):
        seats.pop("north")
    starter = {"starter": "fist"} if operation == "guessFist" else {}
    hints = {"hints": True} if operation == "takeHint" else {}
    match = client.open_match(seats=seats, **starter, **hints)
    path = f"/v1/matches/{match['id']}"
    if operation in ("requestTakeback", "answerTakeback"):
        move = {"move": "A", "seat": "south", "expected_version": 3}
        client.post(f"{path}/moves", move)
    if operation == "answerTakeback":
        client.post(f"{path}/takebacks", {"seat": "south", "to_version": 3})
    if operation == "openRematch":
        client.post(f"{path}/resignation", {"seat": "south"})
    if operation == "answerDrawOffer":
        client.post(f"{path}/draw-offers", {"seat": "south"})
    return match


def holder(client: Client, operation: str, match: dict[str, Any]) -> Client:
    """Return who may do that: an app, but for what only the invited may."""
    if operation != "acceptInvitation":
        return client
    invited = client.post(f"/v1/matches/{match['id']}/invitations")
    return client.holding(invited.get_json()["token"])


def own_places(client: Client, path: str) -> dict[str, str]:
    """Return a key, or an endpoint and a delivery, where a path has places for them."""
    if "{key_id}" in path:
        return {"key_id": client.post("/v1/keys", {}).get_json()["id"]}
    if "{analysis_id}" in path:
        asked = client.post("/v1/positions/analyses", {"game": "oware"})
        return {"analysis_id": asked.get_json()["id"]}
    if "{seek_id}" in path:
        return {"seek_id": client.post("/v1/seeks", {"game": "oware"}).get_json()["id"]}
    if "{endpoint_id}" not in path:
        return {}
    made = {"url": "https://93.184.215.14/", "events": ["*"]}
    endpoint = client.post("/v1/webhook-endpoints", made).get_json()["id"]
    ping = client.post(f"/v1/webhook-endpoints/{endpoint}/ping").get_json()
    return {"endpoint_id": endpoint, "delivery_id": ping["id"]}
