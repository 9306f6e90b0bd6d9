"""Refusing an export costs little, whatever is in it; what is said of it is right."""

import random
import re
from typing import Any

import pytest

from rules_core import GAMES, Game
from services.api import audit
from services.audit.effort import BOUNDED, Effort
from services.audit.public_keys import PublicKey
from services.audit.verify import Verified, verify, verify_fully
from tests.audit.hostile import HOSTILE, LARGEST, event_line, exported, filled, table_of
from tests.audit.tampering import KINDS
from tests.support.app import Client
from tests.support.tables import OTHER_PRIVATE, random_table, signing_key

KEY = signing_key().public
KEYS = {KEY.id: KEY}
HEADER_AND_HEAD = 2


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list that every signature that is checked is written to."""
    checked: list[str] = []
    check = PublicKey.verify

    def verify_and_count(key: PublicKey, statement: bytes, signature: str) -> bool:
        checked.append(signature)
        return check(key, statement, signature)

    monkeypatch.setattr(PublicKey, "verify", verify_and_count)
    return checked


@pytest.mark.parametrize("kind", HOSTILE)
def test_no_export_has_more_signatures_checked_than_the_effort(
    kind: str, checks: list[str]
) -> None:
    """A check is a tenth of a millisecond: they are nearly all that a search costs."""
    data = filled(HOSTILE[kind]())
    assert LARGEST - 3_000 < len(data) <= LARGEST

    verdict = verify_fully(data, KEYS, BOUNDED).verdict

    assert verdict.findings
    assert verdict.has_more
    assert len(checks) <= BOUNDED.checks + HEADER_AND_HEAD


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_one_change_is_named_as_rightly_as_with_all_effort(game: Game) -> None:
    for seed in range(3):
        chance = random.Random(f"bounded {game.key} {seed}")
        data = random_table(chance, game).export()
        for kind in KINDS:
            change = kind(data, chance)
            if change is None or change[0] == data:
                continue
            tampered, named = change

            verdict = verify_fully(tampered, KEYS, BOUNDED).verdict

            told = f"{kind.__name__} {seed}: {verdict.findings[:3]}, not {named}"
            assert verdict.findings[0].place in named, told


def changed(lines: list[bytes], event: int) -> bytes:
    """Change the signature of an event."""
    line = lines[event]
    lines[event] = line[:-5] + (b"00" if line[-5:-3] != b"00" else b"11") + line[-3:]
    return b"".join(lines)


@pytest.mark.parametrize("effort", [{"lines": 30}, {"checks": 30}])
def test_a_change_beyond_the_effort_is_said_to_be_there_but_not_where(
    effort: dict[str, int], checks: list[str]
) -> None:
    """Nothing is said of events that were not looked at, such as that they miss."""
    bounded = Effort(**effort)
    within = verify_fully(changed(exported(), 12), KEYS, bounded).verdict
    beyond = verify_fully(changed(exported(), 50), KEYS, bounded).verdict

    assert [f.place for f in within.findings] == ["event 12"]
    [finding] = beyond.findings
    assert finding.place == "head"
    assert re.search("its first (29|30) events do hold", finding.reason)
    assert within.has_more
    assert beyond.has_more
    assert len(checks) < 2 * 35


def test_many_events_are_not_played_to_refuse_what_follows() -> None:
    """Of a few it is said, too, if the rules did not allow them."""
    data = changed(exported(), 50)

    few = verify_fully(data, KEYS, Effort(events=49)).verdict
    many = verify_fully(data, KEYS, Effort(events=48)).verdict

    assert few.findings == many.findings
    assert (few.has_more, many.has_more) == (False, True)


def test_the_file_of_a_stranger_is_not_searched(checks: list[str]) -> None:
    """Whoever signs it could make it as costly as they like."""
    lines = table_of().export(signing_key(OTHER_PRIVATE)).splitlines(keepends=True)

    def told(effort: Effort) -> Verified:
        checks.clear()
        return verify_fully(changed(lines[:], 12), KEYS, effort)

    [finding] = told(BOUNDED).verdict.findings
    assert (finding.place, finding.check) == ("head", "key")
    assert len(checks) <= HEADER_AND_HEAD
    assert "event 12" in [f.place for f in told(Effort()).verdict.findings]


@pytest.mark.parametrize("version", [999_999_999, 10**12])
def test_a_version_beyond_measure_takes_no_memory(version: int) -> None:
    """A line without header and head is believed, as far as it goes."""
    verdict = verify(event_line(1, b'{"version":%d}' % version))

    assert len(verdict.findings) < 10


def test_an_import_says_that_there_may_be_more(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    match: dict[str, Any] = client.open_match()
    export = client.get(f"/v1/matches/{match['id']}/export").data
    told = changed(export.splitlines(keepends=True), 1)

    whole = client.upload("/v1/imports", told).get_json()
    monkeypatch.setattr(audit, "BOUNDED", Effort(checks=3))
    part = client.upload("/v1/imports", told).get_json()

    assert [p["findings"][0]["place"] for p in (whole, part)] == ["event 1"] * 2
    assert (whole["more"], part["more"]) == (False, True)
    assert part["detail"].endswith("`seedlog verify` looks at all of it")
