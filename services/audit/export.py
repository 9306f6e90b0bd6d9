"""Writes a match down, signed, so that anyone can verify it with this file alone."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from services.audit.format import CHAIN, FORMAT, FORMAT_VERSION, SIGNATURES
from services.audit.signing_keys import SigningKey
from services.audit.statements import HeadStatement, event_statement
from services.eventlog.event import StoredEvent, canonical_text, chain, genesis


@dataclass(frozen=True, slots=True)
class PlayerName:
    """The name behind a reference as it is known now, if it is, or if it was erased."""

    name: str | None = None
    is_erased: bool = False


def export_lines(
    match_id: str,
    rules: str,
    events: Sequence[StoredEvent],
    players: Mapping[str, PlayerName],
    key: SigningKey,
    at: str,
) -> Iterator[str]:
    """Yield the lines of an export, each with its line feed."""
    sign = key.signer()
    written = hashlib.sha256()
    head = genesis(match_id)
    header = canonical_text(_header(match_id, rules, players, key, at)) + "\n"
    written.update(header.encode())
    yield header
    for event in events:
        text = event.text
        head = chain(head, text)
        signature = sign(event_statement(match_id, event.version, head))
        line = f'{{"event":{text},"hash":"{head}","signature":"{signature}"}}\n'
        written.update(line.encode())
        yield line
    statement = HeadStatement(
        match=match_id,
        events=len(events),
        hash=head,
        at=at,
        key=key.public.id,
        file=written.hexdigest(),
    )
    signature = sign(statement.text.encode())
    yield f'{{"head":{statement.text},"signature":"{signature}"}}\n'


def _header(
    match_id: str,
    rules: str,
    players: Mapping[str, PlayerName],
    key: SigningKey,
    at: str,
) -> dict[str, Any]:
    return {
        "chain": CHAIN,
        "exported_at": at,
        "exporter": f"seedlog {version('seedlog')}",
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "key": key.public.as_json(),
        "match": match_id,
        "players": {
            reference: {"name": who.name, "name_erased": who.is_erased}
            for reference, who in players.items()
        },
        "rules": rules,
        "signatures": SIGNATURES,
    }
