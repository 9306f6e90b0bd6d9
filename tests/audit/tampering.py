"""One change to an export, and what a verifier has to say of it.

A change is found *rightly* when the first finding names the place that was changed:

- a byte changed in a line: the event of that line, the header or the head. The line
  feed belongs to the line that it ends;
- a line left out, or doubled: that event, the header or the head;
- two lines swapped: the first of the two places, or whichever is header or head;
- cut off within a line: the event of that line, or the head; cut off after a line: the
  head, which is then missing; two bytes of a line tell nothing, so either will do;
- a tail forged from an event on, with hashes that fit: that event.
"""

import json
import random
import re
from collections.abc import Callable, Sequence

from services.audit.format import read_event, read_event_line
from services.eventlog.event import canonical_text, chain, genesis
from services.match import Match, evolve, from_log

Tampered = tuple[bytes, set[str]]


def places(data: bytes) -> list[str]:
    """Return the name of every line."""
    count = data.count(b"\n") - 2
    return ["header", *(f"event {n}" for n in range(1, count + 1)), "head"]


def change_byte(data: bytes, chance: random.Random) -> Tampered:
    at = chance.randrange(len(data))
    byte = chance.choice([b for b in _likely(data, at, chance) if b != data[at]])
    line = data.count(b"\n", 0, at)
    return data[:at] + bytes([byte]) + data[at + 1 :], {places(data)[line]}


def _likely(data: bytes, at: int, chance: random.Random) -> Sequence[int]:
    """Return bytes that make a change hard to see, and any other ones."""
    digits = b"0123456789abcdef" if chr(data[at]) in "0123456789abcdef" else b""
    return [*digits, data[at] ^ 0x20, data[at] ^ 1, chance.randrange(256), 10, 32]


def delete_line(data: bytes, chance: random.Random) -> Tampered:
    lines = data.splitlines(keepends=True)
    at = chance.randrange(len(lines))
    return b"".join(lines[:at] + lines[at + 1 :]), {places(data)[at]}


def double_line(data: bytes, chance: random.Random) -> Tampered:
    lines = data.splitlines(keepends=True)
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines) + 1)
    to = chance.choice([at + 1, to])
    return b"".join([*lines[:to], lines[at], *lines[to:]]), {places(data)[at]}


def swap_lines(data: bytes, chance: random.Random) -> Tampered:
    lines = data.splitlines(keepends=True)
    one, other = sorted(chance.sample(range(len(lines)), 2))
    if chance.random() < 0.5:
        one, other = other - 1, other
    lines[one], lines[other] = lines[other], lines[one]
    named = places(data)
    named_ends = {named[at] for at in (one, other)} & {"header", "head"}
    return b"".join(lines), named_ends or {named[one]}


def truncate(data: bytes, chance: random.Random) -> Tampered:
    at = chance.randrange(len(data))
    if chance.random() < 0.3:  # right after a line
        at = chance.choice([n + 1 for n in range(len(data) - 1) if data[n] == 10])
    line = data.count(b"\n", 0, at)
    cut = len(data[:at].rpartition(b"\n")[2])
    named = {places(data)[line]} if cut else set()
    return data[:at], named | ({"head"} if cut < 3 else set())


def forge_tail(data: bytes, chance: random.Random) -> Tampered:
    """Change an event and recompute all hashes after it; no key to sign them."""
    lines = data.decode().splitlines()
    at = chance.randrange(1, len(lines) - 1)
    texts = [read_event_line(line).text for line in lines[1:-1]]
    event = json.loads(texts[at - 1])
    kind = chance.randrange(3)
    if kind == 0:
        event["at"] = event["at"].replace("2026", "2027")
    elif kind == 1:
        event["by"] += "x"
    else:
        event["data"]["seat"] = "nobody"
    texts[at - 1] = canonical_text(event)
    return _rehashed(lines, texts, at, chance), {f"event {at}"}


def change_move(data: bytes, chance: random.Random) -> Tampered | None:
    """Play another legal move instead, with its digest, and recompute all hashes."""
    lines = data.decode().splitlines()
    texts = [read_event_line(line).text for line in lines[1:-1]]
    at = chance.choice(
        [n for n, text in enumerate(texts, 1) if "move_played" in text] or [0]
    )
    if not at:
        return None
    changed = _other_move(texts, at, chance)
    if changed is None:
        return None
    texts[at - 1] = changed
    return _rehashed(lines, texts, at, chance), {f"event {at}"}


def _other_move(texts: Sequence[str], at: int, chance: random.Random) -> str | None:
    match = Match("mat_any")
    for text in texts[: at - 1]:
        event = read_event(text)
        match = evolve(match, from_log(event), event.at_ms)
    event = json.loads(texts[at - 1])
    assert match.position is not None
    others = [m for m in match.position.legal_moves if m != event["data"]["move"]]
    if not others:
        return None
    event["data"]["move"] = move = chance.choice(others)
    event["data"]["digest"] = match.position.play(move).digest
    return canonical_text(event)


def _rehashed(
    lines: list[str], texts: Sequence[str], at: int, chance: random.Random
) -> bytes:
    """Give the events from one on hashes that fit, and the head as well or not."""
    parts = [read_event_line(line) for line in lines[1:-1]]
    previous = parts[at - 2].hash if at > 1 else _genesis(lines[0])
    for n in range(at - 1, len(parts)):
        previous = chain(previous, texts[n])
        lines[n + 1] = (
            f'{{"event":{texts[n]},"hash":"{previous}",'
            f'"signature":"{parts[n].signature}"}}'
        )
    if chance.random() < 0.5:
        lines[-1] = re.sub(r'"hash":"[0-9a-f]{64}"', f'"hash":"{previous}"', lines[-1])
    return "".join(line + "\n" for line in lines).encode()


def _genesis(header: str) -> str:
    return genesis(json.loads(header)["match"])


KINDS: tuple[Callable[[bytes, random.Random], Tampered | None], ...] = (
    change_byte,
    delete_line,
    double_line,
    swap_lines,
    truncate,
    forge_tail,
    change_move,
)
