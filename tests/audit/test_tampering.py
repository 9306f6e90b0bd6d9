"""Every change to an export is found, at its place; an honest one never is accused.

``SEEDLOG_TAMPER`` says how many changes are tried; what *at its place* means for each
kind of change is said in `tampering`.
"""

import os
import random
import sys

import pytest

import rules_core.replay
from rules_core import GAMES, Game
from services.audit import verify
from services.audit.verify import verify_fully
from tests.audit.tampering import KINDS, change_move
from tests.support.tables import random_table, signing_key

CHANGES = int(os.environ.get("SEEDLOG_TAMPER", "1400"))
CHANGES_EACH = 20
TABLES = max(CHANGES // CHANGES_EACH // len(GAMES), 1)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_every_single_change_is_found_and_the_event_named(game: Game) -> None:
    key = signing_key().public
    for seed in range(TABLES):
        chance = random.Random(f"{game.key} {seed}")
        data = random_table(chance, game).export()
        for number in range(CHANGES_EACH):
            kind = chance.choice(KINDS)
            change = kind(data, chance)
            if change is None or change[0] == data:
                continue
            tampered, named = change
            keys = chance.choice([None, {key.id: key}])

            verdict = verify(tampered, keys)

            told = f"{kind.__name__} {seed}/{number}: {verdict.findings[:3]}"
            assert not verdict.is_ok, told
            assert verdict.findings[0].place in named, f"{told}, not {named}"


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_the_verdict_is_the_same_without_compiled_rules(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the same again, where no move is taken for a plain one."""
    for seed in range(6):
        chance = random.Random(f"twice {game.key} {seed}")
        honest = random_table(chance, game).export()
        changed = change_move(honest, chance)
        for data in [honest, changed[0]] if changed else [honest]:
            told = verify_fully(data)
            with monkeypatch.context() as patch:
                patch.setattr(rules_core.replay, "find_compiled", lambda _: None)
                without = verify_fully(data)
                in_bulk = sys.modules["services.match.replay"]
                patch.setattr(in_bulk, "play_recorded", lambda first, _: (first, 0))
                slowly = verify_fully(data)

            assert told.verdict == without.verdict == slowly.verdict
            assert told.match == without.match == slowly.match


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_an_honest_export_is_never_accused(game: Game) -> None:
    """And what the verifier played is the match that the service shows."""
    key = signing_key().public
    for seed in range(max(CHANGES // 40 // len(GAMES), 10)):
        table = random_table(random.Random(f"honest {game.key} {seed}"), game)

        verified = verify_fully(table.export(), {key.id: key})

        assert verified.verdict.is_ok, (seed, verified.verdict.findings)
        assert verified.match == table.match
