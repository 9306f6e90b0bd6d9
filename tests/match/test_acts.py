"""Acts that are events: draws, takebacks, fists, forks, calling off."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules_core import GAMES, InvalidPosition, find_game
from services.eventlog import MemoryEventLog, chain_all, genesis
from services.match import (
    Abort,
    Answer,
    GuessFist,
    Match,
    MatchService,
    OfferDraw,
    OpenMatch,
    Player,
    PlayMove,
    RequestTakeback,
    Resign,
    TakeHint,
    TakeSeat,
    fist_commitment,
    refusals,
    snapshot,
)

HUMAN = Player(kind="human", player="ply_a")
AI = Player(kind="ai", level=4)


class Table:
    """One match on a log in memory, and short words to act on it."""

    def __init__(self, game: str = "kalah", **opening: object) -> None:
        clock = itertools.count(1_000)
        self.log = MemoryEventLog()
        self.service = MatchService(self.log, lambda: next(clock))
        seats = opening.pop("seats", dict.fromkeys(find_game(game).seats, HUMAN))
        command = OpenMatch(game=game, tenant="ten_a", seats=seats, **opening)  # type: ignore[arg-type]
        self.act(command)

    def act(self, command: object, by: str = "seat") -> list[str]:
        """Return the types of the events that a command causes."""
        handled = self.service.handle("mat_1", command, by=by)  # type: ignore[arg-type]
        return [event.type.removeprefix("match.") for event in handled.events]

    def play(self, *moves: str) -> None:
        for move in moves:
            self.act(PlayMove(seat=str(self.match.to_move), move=move))

    @property
    def match(self) -> Match:
        return self.service.load("mat_1")


# -- draws (G10)


def test_g10_players_may_agree_on_a_draw() -> None:
    table = Table()
    table.play("C")
    assert table.act(OfferDraw(seat="south")) == ["draw_offered"]
    assert table.match.offer is not None

    acts = table.act(Answer(seat="north", kind="draw", accept=True))

    assert acts == ["draw_accepted", "ended"]
    outcome = table.match.outcome
    assert outcome is not None
    assert (outcome.winner, outcome.reason) == (None, "agreement")
    assert outcome.score == {"south": 1, "north": 0}


def test_a_declined_draw_is_on_record_and_the_match_goes_on() -> None:
    table = Table()
    table.act(OfferDraw(seat="south"))

    acts = table.act(Answer(seat="north", kind="draw", accept=False))

    assert acts == ["draw_declined"]
    assert table.match.offer is None
    assert table.match.status == "running"


def test_an_offer_lapses_with_the_next_move() -> None:
    table = Table()
    table.act(OfferDraw(seat="north"))
    table.play("A")

    with pytest.raises(refusals.NoOffer):
        table.act(Answer(seat="south", kind="draw", accept=True))


def test_an_offer_is_no_obstacle_for_a_player_who_thinks() -> None:
    table = Table()
    seen = table.match.version
    table.act(OfferDraw(seat="north"))

    move = PlayMove(seat="south", move="A")
    handled = table.service.handle("mat_1", move, by="seat", expected_version=seen)

    assert handled.match.ply == 1


def test_only_the_other_seat_answers_and_one_offer_stands() -> None:
    table = Table()
    with pytest.raises(refusals.NoOffer):
        table.act(Answer(seat="north", kind="draw", accept=True))
    table.act(OfferDraw(seat="south"))
    with pytest.raises(refusals.OwnOffer):
        table.act(Answer(seat="south", kind="draw", accept=True))
    with pytest.raises(refusals.NoOffer):
        table.act(Answer(seat="north", kind="takeback", accept=True))
    with pytest.raises(refusals.OfferPending):
        table.act(OfferDraw(seat="north"))


def test_an_ai_takes_a_draw_when_it_is_not_ahead() -> None:
    even = Table(seats={"south": HUMAN, "north": AI})
    assert even.act(OfferDraw(seat="south")) == [
        "draw_offered",
        "draw_accepted",
        "ended",
    ]
    assert [e.by for e in even.log.read("mat_1")[-3:]] == ["seat", "ai:4", "server"]

    ahead = Table(seats={"south": AI, "north": HUMAN})
    ahead.play("C")
    assert ahead.act(OfferDraw(seat="north")) == ["draw_offered", "draw_declined"]


# -- takebacks (G13)


def test_g13_a_takeback_needs_consent_and_history_is_never_rewritten() -> None:
    table = Table()
    before = table.match
    table.play("A", "a")
    log = table.log.read("mat_1")
    requested = RequestTakeback(seat="south", to_version=before.version)
    assert table.act(requested) == ["takeback_requested"]
    assert str(table.match.position) != str(before.position)

    acts = table.act(Answer(seat="north", kind="takeback", accept=True))

    assert acts == ["takeback_accepted"]
    after = table.match
    assert after.position == before.position
    assert after.version == before.version + 4
    assert (after.ply, after.to_move) == (0, "south")
    assert table.log.read("mat_1")[: len(log)] == log


def test_a_declined_takeback_changes_nothing_on_the_board() -> None:
    table = Table()
    table.play("A")
    board = table.match.position
    table.act(RequestTakeback(seat="south", to_version=3))

    acts = table.act(Answer(seat="north", kind="takeback", accept=False))

    assert acts == ["takeback_declined"]
    assert table.match.position == board


def test_a_move_thought_out_before_a_takeback_is_refused() -> None:
    table = Table()
    table.play("A")
    seen = table.match.version
    table.act(RequestTakeback(seat="south", to_version=3))
    table.act(Answer(seat="north", kind="takeback", accept=True))

    move = PlayMove(seat="south", move="A")
    with pytest.raises(refusals.PositionChanged):
        table.service.handle("mat_1", move, by="seat", expected_version=seen)


@pytest.mark.parametrize(
    ("to_version", "refusal"),
    [
        (99, refusals.NoSuchVersion),
        (0, refusals.NoSuchVersion),
        (5, refusals.InvalidTakeback),
    ],
)
def test_a_takeback_to_nowhere_is_refused(
    to_version: int, refusal: type[Exception]
) -> None:
    table = Table()
    table.play("A", "a")

    with pytest.raises(refusal):
        table.act(RequestTakeback(seat="south", to_version=to_version))


def test_what_was_taken_back_cannot_be_gone_back_to() -> None:
    table = Table(seats={"south": HUMAN, "north": AI})
    table.play("A", "a", "B")
    table.act(RequestTakeback(seat="south", to_version=4))  # versions 5 to 7 are gone
    table.play("b", "B")

    for gone in (5, 6, 7):
        with pytest.raises(refusals.InvalidTakeback, match="versions 5 to 7"):
            table.act(RequestTakeback(seat="south", to_version=gone))
    assert table.act(RequestTakeback(seat="south", to_version=8))


def test_an_ai_lets_moves_be_taken_back_and_is_asked_anew() -> None:
    table = Table(seats={"south": AI, "north": HUMAN})
    table.play("A", "a")

    acts = table.act(RequestTakeback(seat="north", to_version=3))

    assert acts == ["takeback_requested", "takeback_accepted"]
    assert table.log.follow({})[-1].awaits == "ai"


def test_g9_repetition_counts_along_the_line_that_stands() -> None:
    """What was taken back is forgotten by the rules, though not by the log."""
    table = Table(game="oware")
    table.play("A", "a")
    once = table.match.position
    table.act(RequestTakeback(seat="south", to_version=3))
    table.act(Answer(seat="north", kind="takeback", accept=True))
    table.play("A", "a")

    assert table.match.position == once


# -- who starts (G2)


def fist_table(**seats: Player) -> Table:
    commitment = fist_commitment("left", "secret")
    seats = seats or {"south": HUMAN, "north": HUMAN}
    return Table(starter="fist", commitment=commitment, seats=seats)


@pytest.mark.parametrize(("guess", "starter"), [("left", "north"), ("right", "south")])
def test_g2_who_guesses_the_fist_starts_otherwise_who_hid_it(
    guess: str, starter: str
) -> None:
    table = fist_table()
    assert (table.match.guesser, table.match.status) == ("north", "open")
    assert table.match.position is None

    command = GuessFist(seat="north", guess=guess, fist="left", secret="secret")
    table.act(command)

    assert table.match.to_move == table.match.starter == starter


def test_g2_the_draw_is_verifiable_from_the_log_alone() -> None:
    table = fist_table()
    table.act(GuessFist(seat="north", guess="right", fist="left", secret="secret"))

    opened, *_, guessed = table.log.read("mat_1")

    said = guessed.data
    assert fist_commitment(said["fist"], said["secret"]) == opened.data["commitment"]
    is_right = said["guess"] == said["fist"]
    assert said["starter"] == ("north" if is_right else "south")


def test_g2_a_fist_that_is_not_the_committed_one_is_refused() -> None:
    table = fist_table()

    with pytest.raises(refusals.NoFist, match="no longer has the secret"):
        table.act(GuessFist(seat="north", guess="left", fist="right", secret="secret"))


def test_g2_an_ai_hides_and_the_human_guesses() -> None:
    table = fist_table(south=HUMAN, north=AI)
    assert table.match.guesser == "south"
    with pytest.raises(refusals.NoFist, match="south has to guess"):
        table.act(Resign(seat="south"))
    with pytest.raises(refusals.NoFist, match="south has"):
        table.act(GuessFist(seat="north", guess="left", fist="left", secret="secret"))

    with pytest.raises(refusals.NoFist, match="needs a human"):
        fist_table(south=AI, north=AI)
    waiting = fist_table(south=AI)
    with pytest.raises(refusals.NoFist, match="needs a human"):
        waiting.act(TakeSeat(who=AI))


# -- calling off, beginning elsewhere


def test_a_match_can_be_called_off_before_its_first_move() -> None:
    table = Table(seats={"south": HUMAN})

    assert table.act(Abort()) == ["aborted"]

    assert table.match.status == "aborted"
    with pytest.raises(refusals.MatchOver, match="called off"):
        table.act(TakeSeat(who=HUMAN))


def test_a_match_that_began_is_resigned_not_called_off() -> None:
    table = Table()
    table.play("A")

    with pytest.raises(refusals.AlreadyBegun):
        table.act(Abort())


def test_a_match_may_begin_from_a_position() -> None:
    text = "0,0,0,0,1,0/0,3,2,0,0,1 10,31 S"
    table = Table(position=text)

    assert str(table.match.position) == text
    table.play("E")
    assert str(table.match.position) == "0,0,0,0,0,1/0,3,2,0,0,1 10,31 N"
    assert table.act(RequestTakeback(seat="south", to_version=3))
    table.act(Answer(seat="north", kind="takeback", accept=True))
    assert str(table.match.position) == text


def test_the_position_says_who_is_to_move() -> None:
    table = Table(position="4,4,4,4,4,4/4,4,4,4,4,4 0,0 N", starter="south")

    assert table.match.starter == table.match.to_move == "north"


def test_a_text_that_is_no_position_is_refused() -> None:
    with pytest.raises(InvalidPosition):
        Table(position="4,4,4/4,4,4 0,0 S")


# -- all acts together


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_every_position_served_is_that_of_the_replay(data: st.DataObject) -> None:
    """Random acts of all kinds: each version is read back, and replayed the same."""
    game = data.draw(st.sampled_from(GAMES))
    first, second = game.seats
    table = Table(game.key)
    served = {table.match.version: table.match}
    for _ in range(data.draw(st.integers(0, 30))):
        match = table.match
        if match.is_over or match.position is None:
            break
        seat = data.draw(st.sampled_from([first, second]))
        version = data.draw(st.integers(1, match.version))
        kind = data.draw(st.sampled_from(["draw", "takeback"]))
        answers = [Answer(seat=seat, kind=kind, accept=yes) for yes in (True, False)]
        moves = [
            PlayMove(seat=str(match.to_move), move=move)
            for move in match.position.legal_moves
        ]
        others = [OfferDraw(seat=seat), RequestTakeback(seat=seat, to_version=version)]
        command = data.draw(st.sampled_from([*moves, *others, *answers]))
        try:
            table.act(command)
        except refusals.Refused:
            continue
        served[table.match.version] = table.match

    events = table.log.read("mat_1")
    fresh = MatchService(table.log, lambda: 0)
    for version, shown in served.items():
        assert fresh.load_at("mat_1", version) == shown
        text = snapshot.to_text(shown)
        assert snapshot.from_text("mat_1", version, "ten_a", text) == shown
    state = table.log.load("mat_1")
    assert state is not None
    assert state.head.hash == chain_all(genesis("mat_1"), events)


# -- hints


def test_a_hint_is_recorded_once_for_each_position() -> None:
    """Whoever asks again is given it again; a move later it is another one."""
    table = Table(hints=True)
    assert table.act(TakeHint(seat="south")) == ["hint_taken"]
    with pytest.raises(refusals.HintKnown) as known:
        table.act(TakeHint(seat="south"))
    assert known.value.version == table.match.version == 4
    table.play("C")
    assert table.match.to_move == "south"
    assert table.act(TakeHint(seat="south")) == ["hint_taken"]


def test_a_hint_changes_no_position() -> None:
    table = Table(hints=True)
    before = table.match
    table.act(TakeHint(seat="south"))
    after = table.match
    assert (after.position, after.position_version, after.line) == (
        before.position,
        before.position_version,
        before.line,
    )


def test_after_a_takeback_there_are_hints_again() -> None:
    table = Table(hints=True)
    table.act(TakeHint(seat="south"))
    table.play("A")
    table.act(RequestTakeback(seat="south", to_version=4))
    table.act(Answer(seat="north", kind="takeback", accept=True))
    assert table.act(TakeHint(seat="south")) == ["hint_taken"]


@pytest.mark.parametrize(
    ("opening", "seat", "refusal"),
    [
        ({}, "south", refusals.HintsForbidden),
        ({"hints": True}, "north", refusals.NotYourTurn),
        ({"hints": True}, "east", refusals.NoSuchSeat),
        ({"hints": True, "seats": {}}, "south", refusals.MatchNotStarted),
        ({"hints": True, "starter": "fist"}, "south", refusals.NoFist),
    ],
)
def test_a_hint_is_for_the_seat_to_move_where_there_are_hints(
    opening: dict[str, object], seat: str, refusal: type[refusals.Refused]
) -> None:
    table = Table(**opening)  # type: ignore[arg-type]
    with pytest.raises(refusal):
        table.act(TakeHint(seat=seat))


def test_a_match_with_hints_is_in_its_snapshot() -> None:
    table = Table(hints=True)
    table.act(TakeHint(seat="south"))
    match = table.match
    text = snapshot.to_text(match)
    assert '"f":5' in text
    assert snapshot.from_text(match.id, match.version, match.tenant, text) == match
