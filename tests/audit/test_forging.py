"""Random forgeries by whoever holds the key: what passes is what nothing else binds.

``SEEDLOG_TAMPER`` says how many are tried: a quarter of it.
"""

import os
import random
from typing import Any

from services.audit import verify
from tests.audit.binding import MEMBERS, NONE
from tests.audit.exports import Export
from tests.support.tables import random_table, signing_key

FORGERIES = int(os.environ.get("SEEDLOG_TAMPER", "1400")) // 4
EACH = 40
FREE = {
    (member.line, member.name.split(".")[-1])
    for member in MEMBERS
    if member.free is not NONE
}
CHOICES = {
    ("match.opened", "commitment"),  # of a fist that nobody has guessed yet
    ("match.seat_taken", "level"),  # of an AI that has not moved yet
    ("match.takeback_requested", "to_version"),  # that was declined, or the same board
}
"""What can be said otherwise, as long as nothing has followed from it."""

KEYS = {signing_key().public.id: signing_key().public}


def places(export: Export) -> list[tuple[str, dict[str, Any], str]]:
    """Return every member that is there: its line, where it is, and its name."""
    members: list[tuple[str, dict[str, Any], str]] = []
    for line in export.lines:
        event = line["event"]
        members += [("event", event, name) for name in event]
        members += [(event["type"], event["data"], name) for name in event["data"]]
    ends = [("head", export.head["head"]), ("header", export.header)]
    ends.append(("header", export.header["key"]))
    ends += [("header", who) for who in export.header["players"].values()]
    members += [(line, place, name) for line, place in ends * 5 for name in place]
    return members


def forge(value: Any, others: list[Any], chance: random.Random) -> Any:
    """Return something else, more or less like it."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.choice([-1, 1, 2, 1000])
    if isinstance(value, str) and value and chance.random() < 0.5:
        at = chance.randrange(len(value))
        return value[:at] + chance.choice("0a1bZ:-_ ") + value[at + 1 :]
    return chance.choice([*others, "", "x", 0, 7, None, [], {}, True])


def test_what_passes_with_the_key_is_what_the_signature_alone_binds() -> None:
    passed = set()
    for seed in range(max(FORGERIES // EACH, 1)):
        chance = random.Random(f"forged {seed}")
        data = random_table(chance).export()
        for _ in range(EACH):
            export = Export.of(data)
            there = places(export)
            line, place, name = chance.choice(there)
            others = [at[n] for where, at, n in there if (where, n) == (line, name)]
            before = place[name]
            place[name] = forge(before, others, chance)
            if place[name] == before and type(place[name]) is type(before):
                continue
            is_own = line == "head" and name in ("hash", "file")

            verdict = verify(export.signed("own" if is_own else "form"), KEYS)

            if verdict.is_ok:
                passed.add((line, name))
                told = f"{line} {name}: {before!r}, then {place[name]!r}"
                assert (line, name) in FREE | CHOICES, told
    assert passed
