"""A log is played on in bulk as it is one by one, to the last member of the match."""

import random

import pytest

import rules_core.replay
from rules_core import GAMES, Game
from services.eventlog import StoredEvent
from services.match import (
    DigestMismatch,
    Match,
    UnknownEvent,
    evolve,
    from_log,
    replay,
)
from tests.support.tables import random_table


def one_by_one(name: str, events: list[StoredEvent]) -> list[Match]:
    """Return the match before the first event, and after each."""
    matches = [Match(name)]
    for event in events:
        matches.append(evolve(matches[-1], from_log(event), event.at_ms))
    return matches


@pytest.mark.parametrize("is_compiled", [True, False])
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_acts_of_all_kinds_are_played_alike(
    game: Game, is_compiled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the first event on, and from any other."""
    if not is_compiled:
        monkeypatch.setattr(rules_core.replay, "find_compiled", lambda _: None)
    for seed in range(8):
        chance = random.Random(f"replay {game.key} {seed}")
        table = random_table(chance, game)
        events = table.log.read(table.id)
        due = one_by_one(table.id, events)

        first = chance.randrange(len(due))
        last = chance.randrange(first, len(due))

        assert replay(due[first], events[first:last]) == due[last]
        whole = replay(due[0], events)
        assert whole == due[-1]
        if whole.position and due[-1].position:
            assert whole.position.mover == due[-1].position.mover
            assert whole.position.legal_moves == due[-1].position.legal_moves


def test_the_first_event_against_the_rules_is_named() -> None:
    table = random_table(random.Random(5), GAMES[0])
    events = table.log.read(table.id)
    moves = [e for e in events if e.type == "match.move_played"]
    wrong = moves[len(moves) // 2]
    text = wrong.data_text.replace(wrong.data["digest"], "0" * 12)
    spoilt = StoredEvent(wrong.version, wrong.type, wrong.at_ms, wrong.by, text)
    strange = StoredEvent(wrong.version, "match.danced", wrong.at_ms, wrong.by, "{}")

    for event, refusal in ((spoilt, DigestMismatch), (strange, UnknownEvent)):
        told = [event if e is wrong else e for e in events]
        with pytest.raises(refusal, match=f"event {wrong.version}"):
            replay(Match(table.id), told)
