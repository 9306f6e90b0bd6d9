"""Problems of matches: of opening, playing, importing them."""

from services import eventlog, players
from services.http import refusals as requests
from services.http.wire.problem import Problem, told
from services.languages import Message, number_within
from services.match import refusals as match

MATCH = "mat_J8bqV2mYx0Kc"

MATCHES: tuple[Problem, ...] = (
    Problem(
        404,
        "no-such-match",
        Message("There is no such match"),
        cause=Message("There is no match of this id, or it belongs to another app."),
        advice=Message("Compare the id with the answer that opened the match."),
        example=match.NoSuchMatch(MATCH),
    ),
    Problem(
        404,
        "no-such-player",
        Message("There is no such player"),
        cause=Message("No player of this app has this reference."),
        advice=Message("Take the reference from a seat of a match."),
        example=players.NoSuchPlayer("ply_1"),
    ),
    Problem(
        404,
        "no-such-version",
        Message("There is no such version"),
        cause=Message(
            "The match has fewer events than that, or the number is none of them."
        ),
        advice=Message("Ask for a version from 1 to the one that the problem names."),
        example=match.NoSuchVersion(12, 7),
        facts=lambda e: {"version": e.latest},
    ),
    Problem(
        409,
        "already-open",
        Message("The match is open already"),
        cause=Message("A match of this id was opened before."),
        advice=Message("Read the match that is there."),
        example=match.AlreadyOpen(MATCH, ()),
    ),
    Problem(
        409,
        "known-match",
        Message("The match is in this log already"),
        cause=Message("The match of this export is in the log already."),
        advice=Message("Read it there; a match is never in a log twice."),
        example=match.KnownMatch(MATCH, is_own=True),
        facts=lambda e: {"match": e.match_id} if e.is_own else {},
    ),
    Problem(
        422,
        "no-such-seat",
        Message("The game has no such seat"),
        cause=Message("The game names its seats otherwise."),
        advice=Message("Use one of seats."),
        example=match.NoSuchSeat("east", ("south", "north")),
        facts=told("seats"),
    ),
    Problem(
        422,
        "no-such-level",
        Message("Computer players of this game have no such level"),
        cause=Message("Not every game can tell ten levels of computer players apart."),
        advice=Message(
            "Use a level from 1 to levels; GET /v1/games says what each is worth."
        ),
        example=match.NoSuchLevel(10, 7),
        facts=told("levels"),
    ),
    Problem(
        422,
        "invalid-starter",
        Message("The game cannot be begun like that"),
        cause=Message(
            "This seat, or this way to decide who begins, does not fit the game."
        ),
        advice=Message("Use one of allowed, or leave starter out."),
        example=match.InvalidStarter("east", ("south", "north")),
        facts=told("allowed"),
    ),
    Problem(
        422,
        "invalid-clock",
        Message("There is no such time control"),
        cause=Message(
            "The time control lacks a member, has another or is out of bounds."
        ),
        advice=Message("Use the members of one of controls, with whole numbers."),
        example=match.InvalidClock(
            "initial_s",
            number_within(1, 86400),
            (("initial_s", "increment_s"), ("days_per_move",)),
        ),
        facts=lambda e: {"member": e.member or None, "controls": e.controls},
    ),
    Problem(
        409,
        "seat-taken",
        Message("The seat is taken"),
        cause=Message("Somebody sits there already, or no seat is free."),
        advice=Message("Choose one of free_seats, if there are any."),
        example=match.SeatTaken("south", ("north",)),
        facts=lambda e: {"free_seats": e.free},
    ),
    Problem(
        409,
        "seat-empty",
        Message("No human player sits there"),
        cause=Message("Only a human player has a token that can be renewed."),
        advice=Message("Name a seat with a human player."),
        example=match.SeatEmpty("north"),
    ),
    Problem(
        409,
        "match-not-started",
        Message("The match has not begun"),
        cause=Message("A move came before every seat was taken."),
        advice=Message(
            "Wait for the event that the last seat is taken; follow the stream."
        ),
        example=match.MatchNotStarted(("north",)),
        facts=lambda e: {"free_seats": e.free},
    ),
    Problem(
        409,
        "match-over",
        Message("The match is over"),
        cause=Message("A match that has ended accepts nothing more."),
        advice=Message(
            "Open another match, or go on from a position of this one in a fork."
        ),
        example=match.MatchOver("resignation"),
        facts=told("reason"),
    ),
    Problem(
        409,
        "not-your-turn",
        Message("The other seat is to move"),
        cause=Message("It is the turn of the other seat."),
        advice=Message("Wait for its move: follow the stream, or use webhooks."),
        example=match.NotYourTurn("south", "north"),
        facts=told("to_move"),
    ),
    Problem(
        409,
        "already-begun",
        Message("Moves were played already"),
        cause=Message("Only a match without moves can be called off."),
        advice=Message("Resign, or offer a draw."),
        example=match.AlreadyBegun(3),
        facts=told("ply"),
    ),
    Problem(
        409,
        "offer-pending",
        Message("An offer has to be answered first"),
        cause=Message("An offer stands, and a second one beside it would be unclear."),
        advice=Message("Answer the offer, or play a move: then it lapses."),
        example=match.OfferPending("draw", "north"),
        facts=lambda e: {"offer": {"kind": e.kind, "seat": e.seat}},
    ),
    Problem(
        409,
        "no-offer",
        Message("There is nothing to answer"),
        cause=Message(
            "No such offer stands; it was answered, or a move was played since."
        ),
        advice=Message("Read the match: offer says what stands."),
        example=match.NoOffer("draw"),
    ),
    Problem(
        409,
        "own-offer",
        Message("The other seat has to answer"),
        cause=Message("A seat cannot answer what it has offered itself."),
        advice=Message("Wait for the other seat."),
        example=match.OwnOffer("draw", "south"),
    ),
    Problem(
        422,
        "invalid-takeback",
        Message("The match cannot go back to that version"),
        cause=Message("There is nothing to take back to that version."),
        advice=Message("Name a version before a move that stands."),
        example=match.InvalidTakeback(
            2, 1, Message("no move that stands was played after it")
        ),
    ),
    Problem(
        409,
        "no-fist",
        Message("There is no fist to guess, or one first"),
        cause=Message(
            "A fist decides who begins: it has to be guessed first, and only once."
        ),
        advice=Message("Read fist of the match: it names the seat that guesses."),
        example=match.NoFist(Message("there is no fist to guess in this match")),
    ),
    Problem(
        409,
        "match-quarantined",
        Message("The match can be read, but not changed"),
        cause=Message(
            "Log and rules disagree about the match, so nobody may go on with it."
        ),
        advice=Message(
            "Tell the operator of the server; the match can be read and exported."
        ),
        example=match.Quarantined(MATCH, "2e1b"),
    ),
    Problem(
        412,
        "version-conflict",
        Message("The match has moved on"),
        cause=Message("The position has changed since the version that you have seen."),
        advice=Message(
            "Read the match again, and decide on the position that is there."
        ),
        example=match.PositionChanged(3, 6, 5),
        also=(
            requests.AnotherVersion,
            eventlog.VersionConflict,
        ),
        facts=told("version"),
    ),
    Problem(
        428,
        "expected-version-missing",
        Message("Say which version you have seen"),
        cause=Message("A move has to say for which position it was thought out."),
        advice=Message("Send If-Match, or expected_version in the body."),
        example=requests.ExpectedVersionMissing(),
    ),
    Problem(
        422,
        "invalid-import",
        Message("The export does not hold"),
        cause=Message(
            "Something in the export was changed, or its key is not trusted."
        ),
        advice=Message(
            "Read findings, and take the export again from where the match is."
        ),
        example=requests.InvalidImport(
            [{"place": "event 5", "kind": "chain", "reason": "its hash is another"}],
            more=False,
        ),
        facts=told("findings", "more"),
    ),
    Problem(
        422,
        "foreign-fist",
        Message("The fist of this match was hidden elsewhere"),
        cause=Message("Only the server that opened the match can open its fist."),
        advice=Message("Guess there first, then export the match again."),
        example=requests.ForeignFist(MATCH, "north"),
        facts=lambda e: {"match": e.match_id, "seats": [e.guesser]},
    ),
)
