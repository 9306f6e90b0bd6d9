"""A match has a bound of its own: some rules let one go on for ever."""

import itertools

import pytest

from services.audit import audit_match
from services.eventlog import Head, MemoryEventLog
from services.match import (
    Match,
    MatchService,
    OfferDraw,
    OpenMatch,
    Player,
    PlayMove,
    RenewSeatToken,
    refusals,
)
from services.match.commands import Answer

HUMAN = Player(kind="human", player="ply_a")
MOST = 12


@pytest.fixture
def service() -> MatchService:
    clock = itertools.count(1_000)
    return MatchService(MemoryEventLog(), lambda: next(clock), max_events=MOST)


def open_match(service: MatchService, **seats: Player) -> Match:
    command = OpenMatch(game="oware-nam-nam", tenant="ten_a", seats=seats)
    return service.handle("mat_1", command, by="key:k").match


def audit_findings(service: MatchService, match: Match) -> list[str]:
    events = service.events(match.id)
    head = service.head(match.id)
    assert head == Head(match.version, head.hash)
    return [finding.reason for finding in audit_match(match.id, events, head).findings]


def test_the_move_that_reaches_the_bound_is_the_last(service: MatchService) -> None:
    match = open_match(service, south=HUMAN, north=HUMAN)
    while not match.is_over:
        assert match.position is not None
        move = match.position.legal_moves[0]
        command = PlayMove(seat=str(match.to_move), move=move)
        match = service.handle(match.id, command, by="seat").match

    last = service.events(match.id)[-1]
    assert match.version == MOST + 1
    assert (last.type, last.by) == ("match.ended", "server")
    assert match.outcome is not None
    assert (match.outcome.winner, match.outcome.reason) == (None, "too-long")
    assert match.outcome.score == match.position.score  # type: ignore[union-attr]
    assert audit_findings(service, match) == []
    with pytest.raises(refusals.MatchOver):
        service.handle(match.id, OfferDraw(seat="south"), by="seat")


def test_offers_count_as_well(service: MatchService) -> None:
    """Nobody can make a log grow without end by saying nothing of use."""
    match = open_match(service, south=HUMAN, north=HUMAN)
    match = service.handle(match.id, PlayMove(seat="south", move="A"), by="seat").match
    while not match.is_over:
        offered = service.handle(match.id, OfferDraw(seat="south"), by="seat").match
        if offered.is_over:
            match = offered
            break
        answer = Answer(seat="north", kind="draw", accept=False)
        match = service.handle(match.id, answer, by="seat").match

    assert match.version == MOST + 1
    assert audit_findings(service, match) == []


def test_what_has_not_begun_is_called_off(service: MatchService) -> None:
    match = open_match(service, south=HUMAN)
    while not match.is_over:
        renewed = RenewSeatToken(seat="south")
        match = service.handle(match.id, renewed, by="key:k").match

    assert match.status == "aborted"
    assert service.events(match.id)[-1].by == "server"
    assert audit_findings(service, match) == []
