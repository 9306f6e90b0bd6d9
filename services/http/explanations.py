"""What each type of problem means, and what to do: told at its URL, once for each type.

Each holds an example: the very exception, for the page to show the problem it becomes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from werkzeug import exceptions as http

import rules_core as rules
from services import (
    analysis,
    eventlog,
    limits,
    lobby,
    players,
    tenants,
    views,
    webhooks,
)
from services.http import refusals as requests
from services.http.wire import framing
from services.languages import Message, number_within
from services.match import refusals as match

MATCH = "mat_J8bqV2mYx0Kc"


@dataclass(frozen=True, slots=True)
class Explanation:
    """A type of problem: an example of it, why it comes, and what to do about it."""

    example: Exception
    cause: Message
    advice: Message


def explanations() -> Iterable[Explanation]:
    """Yield an explanation of every type of problem; made when somebody asks."""
    yield from _of_the_wire()
    yield from _of_requests()
    yield from _of_games()
    yield from _of_matches()
    yield from _of_the_lobby()
    yield from _of_analyses()
    yield from _of_lists_and_keys()
    yield from _of_the_server()


def _of_the_wire() -> Iterable[Explanation]:
    yield Explanation(
        framing.TargetTooLong(),
        Message("The first line of the request, with its path and query, is too long."),
        Message("Ask for less at once: fewer ids, fewer fields."),
    )
    yield Explanation(
        framing.HeadTooLarge(),
        Message("Request line and headers together are larger than is read here."),
        Message("Leave out headers that are not needed; cookies are never read."),
    )
    yield Explanation(
        framing.TooLarge(65536),
        Message("The body is larger than may be sent to this path."),
        Message("Send less. An operator can raise the limits of bodies and imports."),
    )
    yield Explanation(
        framing.TooSlow(30),
        Message("The request did not arrive whole in the time that it has."),
        Message("Send it again, with the same Idempotency-Key if it writes."),
    )
    yield Explanation(
        framing.TooBusy(),
        Message("More requests wait for an answer than there is room for."),
        Message("Wait as long as Retry-After says, then send the same request again."),
    )
    yield Explanation(
        framing.ExpectationFailed(),
        Message("The header Expect asks for something else than 100-continue."),
        Message("Leave the header out."),
    )
    yield Explanation(
        framing.UnsupportedCoding(),
        Message("The body travels in a transfer coding that is not read here."),
        Message("Send the body with Content-Length, or in chunks that are not packed."),
    )
    yield Explanation(
        framing.BadRequest(Message("HTTP/1.1 needs a Host header")),
        Message("What came is not a request as HTTP/1.1 describes it."),
        Message("Use an HTTP library; the detail says which rule was broken."),
    )


def _of_requests() -> Iterable[Explanation]:
    yield Explanation(
        requests.MalformedJson(Message("the body is nested too deeply to be read")),
        Message("The body cannot be read as JSON, or says a member twice."),
        Message("Write the body with a JSON library."),
    )
    wanted = Message("1 to 200 visible ASCII characters")
    yield Explanation(
        requests.InvalidHeader("Idempotency-Key", wanted),
        Message("A header does not have the form that it should have."),
        Message("Put right the header that is named; detail says what it should be."),
    )
    yield Explanation(
        requests.InvalidParameter("limit", number_within(1, 200)),
        Message("A parameter of the query is unknown, comes twice or is wrong."),
        Message("Put right the parameter that is named, or leave it out."),
    )
    yield Explanation(
        requests.NotJson("text/plain"),
        Message("The Content-Type of the body is not the one that is read here."),
        Message("Send JSON as application/json, an export as application/x-ndjson."),
    )
    yield Explanation(
        requests.EncodedBody("gzip"),
        Message("The body is compressed."),
        Message("Send it as it is, without Content-Encoding."),
    )
    yield Explanation(
        requests.InvalidBody([{"pointer": "/game", "detail": Message("is needed")}]),
        Message("The body is JSON, but a member is missing, unknown or wrong."),
        Message("Put right what errors names: each points to a member of the body."),
    )
    yield Explanation(
        requests.UnknownHost("elsewhere.example"),
        Message("The request is for a host that this server does not serve."),
        Message("Use the address that your operator has named."),
    )
    yield Explanation(
        requests.NotAcceptable(("text/event-stream", "application/x-ndjson")),
        Message("None of the media types in Accept can be answered here."),
        Message("Send one of those that are offered, or no Accept at all."),
    )
    yield Explanation(
        requests.UseStream(f"/v1/matches/{MATCH}/stream"),
        Message("A stream was asked for where lists are answered."),
        Message("Follow the URL of the stream, or ask for application/json here."),
    )
    yield Explanation(
        limits.TooManyTurns(10_000, 10_000),
        Message("As many turns wait for computer players as the operator lets wait."),
        Message("Come back in a while; its operator may start more AI workers."),
    )
    yield Explanation(
        requests.TooManyFollowers(),
        Message("As many streams are open as this process can hold."),
        Message("Come back in a while, with the id of the last event that you saw."),
    )
    yield Explanation(
        http.PreconditionFailed(),
        Message("A condition of the request, such as If-Match, is not met."),
        Message("Read the resource again, and decide again."),
    )
    yield Explanation(
        http.RequestedRangeNotSatisfiable(),
        Message("The header Range asks for a part that is not there."),
        Message("Leave the header out."),
    )
    yield Explanation(
        http.MethodNotAllowed(),
        Message("There is such a path, but not with this method."),
        Message("Use one of the methods in the header Allow."),
    )
    yield Explanation(
        http.NotFound(),
        Message("Nothing has this path."),
        Message("Compare the path with /openapi.yaml, which lists all of them."),
    )
    yield Explanation(
        requests.Unauthenticated(
            Message("this API key is unknown, expired or revoked")
        ),
        Message("No token came with the request, or one that is not valid any more."),
        Message(
            "Send your API key or the token of a seat in the header Authorization."
        ),
    )
    yield Explanation(
        requests.Forbidden(
            Message("this API key may only read; send one that may play")
        ),
        Message("The token is valid, but its role or its seat does not allow this."),
        Message("Use the token of the seat, or an API key of the role that is needed."),
    )
    requested = limits.Policy("key", 600, 60, Message("requests for an API key"))
    yield Explanation(
        limits.RateExceeded(requested, 7),
        Message("An app, a player or an address has asked as often as it may."),
        Message("Wait as long as Retry-After says; GET /v1/limits tells what applies."),
    )
    yield Explanation(
        limits.QuotaExceeded("followers", 100, 100),
        Message(
            "An app may have only so many open matches, streams, endpoints, seeks "
            "and analyses."
        ),
        Message("End what is not needed any more, or ask the operator for more."),
    )
    guests = limits.Policy("guests", 60, 3600, Message("matches of all guests"))
    yield Explanation(
        limits.TooManyGuests(guests, 1200),
        Message("The page has opened as many matches as it may in an hour."),
        Message("Wait as long as Retry-After says, or open matches with an API key."),
    )
    yield Explanation(
        eventlog.KeyReused("my-first-move"),
        Message("The Idempotency-Key came within the last hour with another request."),
        Message("Repeat a request unchanged; give each new one a key of its own."),
    )


def _of_games() -> Iterable[Explanation]:
    yield Explanation(
        rules.UnknownGame("chess", ("kalah", "oware", "reversi")),
        Message("No game has this key, or it has no such version of its rules."),
        Message("Choose a key of GET /v1/games."),
    )
    yield Explanation(
        rules.InvalidOptions("seeds", 0, number_within(1, 8)),
        Message("An option is unknown, of the wrong kind or out of range."),
        Message("Put right the option that is named; allowed says what it may be."),
    )
    yield Explanation(
        rules.InvalidPosition("4,4", Message("it is not in its canonical form")),
        Message("The text does not describe a position of this game."),
        Message("Send positions and snapshots as the API has shown them."),
    )
    yield Explanation(
        rules.IllegalMove("C", ("A", "B", "D")),
        Message("The rules do not allow this move in the position on the board."),
        Message("Choose one of legal_moves."),
    )


def _of_matches() -> Iterable[Explanation]:
    yield Explanation(
        match.NoSuchMatch(MATCH),
        Message("There is no match of this id, or it belongs to another app."),
        Message("Compare the id with the answer that opened the match."),
    )
    yield Explanation(
        players.NoSuchPlayer("ply_1"),
        Message("No player of this app has this reference."),
        Message("Take the reference from a seat of a match."),
    )
    yield Explanation(
        match.NoSuchVersion(12, 7),
        Message("The match has fewer events than that, or the number is none of them."),
        Message("Ask for a version from 1 to the one that the problem names."),
    )
    yield Explanation(
        match.AlreadyOpen(MATCH, ()),
        Message("A match of this id was opened before."),
        Message("Read the match that is there."),
    )
    yield Explanation(
        match.KnownMatch(MATCH, is_own=True),
        Message("The match of this export is in the log already."),
        Message("Read it there; a match is never in a log twice."),
    )
    yield Explanation(
        match.NoSuchSeat("east", ("south", "north")),
        Message("The game names its seats otherwise."),
        Message("Use one of seats."),
    )
    yield Explanation(
        match.NoSuchLevel(10, 7),
        Message("Not every game can tell ten levels of computer players apart."),
        Message("Use a level from 1 to levels; GET /v1/games says what each is worth."),
    )
    yield Explanation(
        match.InvalidStarter("east", ("south", "north")),
        Message("This seat, or this way to decide who begins, does not fit the game."),
        Message("Use one of allowed, or leave starter out."),
    )
    controls = (("initial_s", "increment_s"), ("days_per_move",))
    yield Explanation(
        match.InvalidClock("initial_s", number_within(1, 86400), controls),
        Message("The time control lacks a member, has another or is out of bounds."),
        Message("Use the members of one of controls, with whole numbers."),
    )
    yield Explanation(
        match.SeatTaken("south", ("north",)),
        Message("Somebody sits there already, or no seat is free."),
        Message("Choose one of free_seats, if there are any."),
    )
    yield Explanation(
        match.SeatEmpty("north"),
        Message("Only a human player has a token that can be renewed."),
        Message("Name a seat with a human player."),
    )
    yield Explanation(
        match.MatchNotStarted(("north",)),
        Message("A move came before every seat was taken."),
        Message("Wait for the event that the last seat is taken; follow the stream."),
    )
    yield Explanation(
        match.MatchOver("resignation"),
        Message("A match that has ended accepts nothing more."),
        Message("Open another match, or go on from a position of this one in a fork."),
    )
    yield Explanation(
        match.NotYourTurn("south", "north"),
        Message("It is the turn of the other seat."),
        Message("Wait for its move: follow the stream, or use webhooks."),
    )
    yield Explanation(
        match.AlreadyBegun(3),
        Message("Only a match without moves can be called off."),
        Message("Resign, or offer a draw."),
    )
    yield Explanation(
        match.OfferPending("draw", "north"),
        Message("An offer stands, and a second one beside it would be unclear."),
        Message("Answer the offer, or play a move: then it lapses."),
    )
    yield Explanation(
        match.NoOffer("draw"),
        Message("No such offer stands; it was answered, or a move was played since."),
        Message("Read the match: offer says what stands."),
    )
    yield Explanation(
        match.OwnOffer("draw", "south"),
        Message("A seat cannot answer what it has offered itself."),
        Message("Wait for the other seat."),
    )
    yield Explanation(
        match.InvalidTakeback(2, 1, Message("no move that stands was played after it")),
        Message("There is nothing to take back to that version."),
        Message("Name a version before a move that stands."),
    )
    yield Explanation(
        match.NoFist(Message("there is no fist to guess in this match")),
        Message(
            "A fist decides who begins: it has to be guessed first, and only once."
        ),
        Message("Read fist of the match: it names the seat that guesses."),
    )
    yield Explanation(
        match.Quarantined(MATCH, "2e1b"),
        Message("Log and rules disagree about the match, so nobody may go on with it."),
        Message("Tell the operator of the server; the match can be read and exported."),
    )
    yield Explanation(
        match.PositionChanged(3, 6, 5),
        Message("The position has changed since the version that you have seen."),
        Message("Read the match again, and decide on the position that is there."),
    )
    yield Explanation(
        requests.ExpectedVersionMissing(),
        Message("A move has to say for which position it was thought out."),
        Message("Send If-Match, or expected_version in the body."),
    )
    finding = {"place": "event 5", "kind": "chain", "reason": "its hash is another"}
    yield Explanation(
        requests.InvalidImport([finding], more=False),
        Message("Something in the export was changed, or its key is not trusted."),
        Message("Read findings, and take the export again from where the match is."),
    )
    yield Explanation(
        requests.ForeignFist(MATCH, "north"),
        Message("Only the server that opened the match can open its fist."),
        Message("Guess there first, then export the match again."),
    )


def _of_the_lobby() -> Iterable[Explanation]:
    yield Explanation(
        match.MatchGoesOn(MATCH),
        Message("A rematch was asked for before the match is over."),
        Message("Play it to its end, or resign; then ask again."),
    )
    yield Explanation(
        lobby.NoSuchSeek("skg_Uf0Zs7Qk2p"),
        Message(
            "The seek is over: nobody asked for it for five seconds, the same player "
            "has sought again, or it was never there."
        ),
        Message(
            "Seek again, and keep a request with wait_s open for as long as the player "
            "waits."
        ),
    )
    yield Explanation(
        requests.AlreadyMatched(MATCH),
        Message("The seek cannot be ended: it has found an opponent just before."),
        Message(
            "Read the seek for the token of the seat; play, or call the match off."
        ),
    )


def _of_analyses() -> Iterable[Explanation]:
    yield Explanation(
        analysis.NoSuchAnalysis("ana_5f0c1d2e3b4a"),
        Message("There is no analysis of this id for this token, or not any more."),
        Message("Ask the same question again: it is thought about anew."),
    )
    yield Explanation(
        analysis.AnalysisOver(),
        Message("Nobody is to move in the position that is to be analysed."),
        Message("Analyse the position before, or the match."),
    )
    yield Explanation(
        match.HintsForbidden(),
        Message(
            "The match goes on, and was opened without hints, as rated matches are if "
            "nothing else is said."
        ),
        Message("Wait for its end, or open the next match with hints."),
    )


def _of_lists_and_keys() -> Iterable[Explanation]:
    yield Explanation(
        views.InvalidCursor(),
        Message("The cursor was not made by this list, or was changed."),
        Message("Send next_cursor as it was answered, or begin without a cursor."),
    )
    yield Explanation(
        views.FeedTrimmed(10, 4000),
        Message("Entries that old are no longer kept in the feed."),
        Message("Read the matches themselves, then go on after oldest."),
    )
    yield Explanation(
        views.NoSuchEntry(5000, 4000),
        Message("The feed has not come so far: the number is from another server."),
        Message("Go on after newest, or begin with 0."),
    )
    yield Explanation(
        webhooks.NoSuchEndpoint("whe_1"),
        Message("This app has no webhook endpoint of this id."),
        Message("Choose one of GET /v1/webhook-endpoints."),
    )
    yield Explanation(
        webhooks.NoSuchDelivery("whd_1"),
        Message("There is no such delivery, or it is too old to be kept."),
        Message("Choose one of the deliveries of the endpoint."),
    )
    yield Explanation(
        webhooks.TooManyEndpoints(10, 10),
        Message("An app may have only so many webhook endpoints."),
        Message("Delete one that is not needed, or change one."),
    )
    yield Explanation(
        tenants.NoSuchKey("key_1"),
        Message("This app has no API key of this id."),
        Message("Choose one of GET /v1/keys."),
    )
    yield Explanation(
        tenants.InvalidKey(Message("the API key {key!r} was revoked", key="key_1")),
        Message("A key that was revoked or has expired has no successor."),
        Message("Make a new key."),
    )
    yield Explanation(
        tenants.TooManyKeys(20),
        Message("An app may have only so many API keys, former ones included."),
        Message("Use one of the keys that there are, or ask the operator."),
    )


def _of_the_server() -> Iterable[Explanation]:
    yield Explanation(
        eventlog.LogUnavailable(Message("Redis did not answer")),
        Message("The event log cannot be reached, or cannot keep its promise now."),
        Message("Send the same request later; with its Idempotency-Key it acts once."),
    )
    yield Explanation(
        eventlog.LogFull(
            Message(
                "the event log is full: reading goes on, but nothing is recorded until "
                "its operator has made room"
            )
        ),
        Message("The event log takes nothing more, so as to forget nothing."),
        Message("Send the same request later; with its Idempotency-Key it acts once."),
    )
    yield Explanation(
        eventlog.LogGone(
            Message(
                "the event log is not the one that was here before: nothing is "
                "recorded until its operator has looked"
            )
        ),
        Message(
            "The event log was emptied or exchanged, as far as the server can see."
        ),
        Message("Send the same request later; with its Idempotency-Key it acts once."),
    )
    yield Explanation(
        eventlog.TooFewReplicas(
            Message(
                "recorded, but only {held} of {wanted} replicas hold it yet",
                held=1,
                wanted=2,
            )
        ),
        Message(
            "Copies of the event log are away, and an event is told only when enough "
            "of them hold it."
        ),
        Message("Send the same request later; with its Idempotency-Key it acts once."),
    )
    yield Explanation(
        requests.UnusableKeys(
            Message(
                "{reason}; it has to be put right first", reason="trusted_keys.json"
            )
        ),
        Message("A file of signing keys was damaged while the server ran."),
        Message("The operator has to put right the file that is named."),
    )
    yield Explanation(
        eventlog.LogDamaged(Message("the state and the events of a match disagree")),
        Message("The log says two different things, so nothing more is written."),
        Message("Tell the operator of the server, with the id of the request."),
    )
    yield Explanation(
        RuntimeError(),
        Message("The server has a fault; it was written into its log."),
        Message("Try again later; tell the operator the id of the request."),
    )
