"""Pages to keep, and their verifier, in a real browser: for the tests."""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from playwright.sync_api import Page

from rules_core.game import Variant
from services.audit import verify
from services.audit.export import PlayerName, export_lines
from services.audit.page import page_parts, verifier_script
from services.eventlog import StoredEvent
from services.web.kept import kept_page
from tests.audit.forgeries import Event, Forge, sign_again
from tests.support.tables import AT, Table, signing_key

NAME = "Amara </script><b>&"
Findings = list[tuple[str, str]]

VERIFY = """
const all = [];
for (const text of exports) {
  const { findings, isSigned, stood } = await verify(
    { export: text, shown, shown_signature: "" },
  );
  const last = stood.at(-1)?.position?.snapshot ?? null;
  all.push([findings.filter(([place]) => place !== "this page"), isSigned, last]);
}
return all;
"""


def verified(
    window: Page, variant: Variant, exports: Sequence[bytes]
) -> list[tuple[Findings, str | None]]:
    """Return what the verifier of a page finds in exports, and where they end."""
    given = [[data.decode() for data in exports], json.dumps({"today": {}})]
    script = verifier_script(variant)
    body = f"{script}\nconst [exports, shown] = given;\n{VERIFY}"
    told = window.evaluate(f"async (given) => {{ {body} }}", given)
    unread = ["header or head", "cannot be read"]
    assert all(is_signed or reasons == [unread] for reasons, is_signed, _ in told)
    return [([(p, r) for p, r in reasons], last) for reasons, _, last in told]


def due_findings(data: bytes) -> Findings:
    """Return what the offline verifier finds; some reasons name an event themselves."""
    findings = [(finding.place, finding.reason) for finding in verify(data).findings]
    named = [re.match(r"event \d+(?=: )", reason) for _, reason in findings]
    return [
        (at[0] if at else place, reason)
        for at, (place, reason) in zip(named, findings, strict=True)
    ]


def variant_of(table: Table) -> Variant:
    """Return the game of a table with its options."""
    return table.game.variant(table.match.options)


def page_of(table: Table) -> str:
    """Return the page of the match at a table."""
    return page_of_events(table, table.log.read(table.id))


def page_of_events(table: Table, events: Sequence[StoredEvent]) -> str:
    """Return the page of a match with other events."""
    match = table.match
    who = [s.player for s in match.seats.values() if s and s.player]
    players = dict.fromkeys(who, PlayerName(NAME))
    key = signing_key()
    lines = list(export_lines(match.id, match.rules, events, players, key, AT))
    return kept_page(page_parts(match.id, lines, events, key))


def opened(page: Page, folder: Path, text: str) -> Page:
    """Open a page from a file, and wait for what it says of itself."""
    file = folder / "match.html"
    file.write_text(text, "utf-8")
    requested: list[str] = []
    complaints: list[str] = []
    listeners = {
        "request": lambda request: requested.append(request.url),
        "console": lambda said: complaints.append(said.text),
        "pageerror": lambda error: complaints.append(str(error)),
    }
    for name, listen in listeners.items():
        page.on(name, listen)  # type: ignore[call-overload]
    page.goto(file.as_uri())
    page.wait_for_selector("#verdict:not([data-state=checking])")
    for name, listen in listeners.items():
        page.remove_listener(name, listen)
    assert requested == [file.as_uri()]
    assert not complaints
    return page


def verdict(page: Page) -> str:
    """Return what an opened page says of itself."""
    return page.locator("#verdict").inner_text()


def embedded(text: str) -> dict[str, str]:
    """Return the data of a page."""
    script = re.search(r'id="data">(.*?)</script>', text, re.S)
    assert script is not None
    data: dict[str, str] = json.loads(script[1])
    return data


def with_data(text: str, **changed: str) -> str:
    """Return a page with other data."""
    before = re.search(r'id="data">(.*?)</script>', text, re.S)
    assert before is not None
    data = json.dumps({**embedded(text), **changed}).replace("<", "\\u003c")
    return text.replace(before[1], data)


def forged_page(table: Table, forge: Forge) -> str:
    """Return the page of a match with other events, signed again."""
    told = [json.loads(event.text) for event in table.log.read(table.id)]
    forge(told)
    return with_data(page_of(table), export=sign_again(table, told).decode())


def passed(told: list[Event]) -> int:
    """Return the index of the first pass."""
    return [event["type"] for event in told].index("match.turn_passed")
