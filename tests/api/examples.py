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
