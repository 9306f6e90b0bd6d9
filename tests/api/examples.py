"""The matches on which the examples of the contract make sense."""

from typing import Any

from tests.support.app import Client


def prepare(client: Client, operation: str) -> dict[str, Any]:
    """Return a match on which the example of an operation makes sense."""
    human = {"kind": "human"}
    seats = {"south": human | {"name": "Amara"}, "north": human}
    if operation == "takeSeat":
        seats.pop("north")
    starter = {"starter": "fist"} if operation == "guessFist" else {}
    match = client.open_match(seats=seats, **starter)
    path = f"/v1/matches/{match['id']}"
    if operation in ("requestTakeback", "answerTakeback"):
        move = {"move": "A", "seat": "south", "expected_version": 3}
        client.post(f"{path}/moves", move)
    if operation == "answerTakeback":
        client.post(f"{path}/takebacks", {"seat": "south", "to_version": 3})
    if operation == "answerDrawOffer":
        client.post(f"{path}/draw-offers", {"seat": "south"})
    return match


def own_places(client: Client, path: str) -> dict[str, str]:
    """Return a key, or an endpoint and a delivery, where a path has places for them."""
    if "{key_id}" in path:
        return {"key_id": client.post("/v1/keys", {}).get_json()["id"]}
    if "{endpoint_id}" not in path:
        return {}
    made = {"url": "https://93.184.215.14/", "events": ["*"]}
    endpoint = client.post("/v1/webhook-endpoints", made).get_json()["id"]
    ping = client.post(f"/v1/webhook-endpoints/{endpoint}/ping").get_json()
    return {"endpoint_id": endpoint, "delivery_id": ping["id"]}
