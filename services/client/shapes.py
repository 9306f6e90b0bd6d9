"""What the API answers, as types: the schemas of openapi.yaml (a test compares them).

Answers are the objects that came, so members that are newer than this file are there.
"""

from typing import Any, Literal, NotRequired, TypedDict

Status = Literal["open", "running", "finished", "aborted"]
Board = dict[str, int | str]
"""What is on each place: seeds by pit and store, or the seat whose disc it is."""

Clock = dict[str, Any]
"""``control``, ``at``, ``running``, ``flag_at``, ``first_move_by``, and for each seat
``{"remaining_ms": ...}``."""

Control = dict[str, int]
"""``initial_s`` with ``increment_s`` or ``delay_s``; or ``days_per_move``."""


class Step(TypedDict):
    """One visible moment of a move."""

    kind: str
    at: NotRequired[str]
    count: NotRequired[int]
    to: NotRequired[str]


class Layout(TypedDict):
    """Where places are drawn, as the first seat sees the board."""

    kind: Literal["two-row", "four-row", "squares"]
    rows: list[list[str]]
    stores: dict[str, str]
    owners: dict[str, str]


class Option(TypedDict):
    """A parameter of a game."""

    name: str
    kind: Literal["int", "bool", "choice"]
    default: int | bool | str | None
    title: str
    description: str
    minimum: NotRequired[int]
    maximum: NotRequired[int]
    choices: NotRequired[list[str]]


class Level(TypedDict):
    """What a computer player is worth: Elo above level 1, where it was measured."""

    level: int
    elo: int | None
    error: int | None


class Game(TypedDict):
    """A kind of game."""

    key: str
    name: str
    about: str
    effort: str
    rules: str
    seats: list[str]
    starters: list[str]
    options: list[Option]
    levels: list[Level]
    layout: Layout
    opening: str


class Seated(TypedDict):
    """Who sits there: a human has a player and a name, an AI a level."""

    kind: Literal["human", "ai"]
    player: NotRequired[str]
    reference: NotRequired[str]
    name: NotRequired[str | None]
    level: NotRequired[int]


class Outcome(TypedDict):
    """How a match ended; without a winner it is a draw."""

    winner: str | None
    reason: str
    reason_text: str
    score: dict[str, int]


class Offer(TypedDict):
    """What a seat has offered and the other has to answer."""

    kind: Literal["draw", "takeback"]
    seat: str
    to_version: NotRequired[int]


class Fist(TypedDict):
    """The draw by fist, and who has to guess."""

    commitment: str
    guesser: str | None


class Origin(TypedDict):
    """The match that one was forked from."""

    match: str
    version: int
    hash: str


class MatchSummary(TypedDict):
    """A match as lists show it."""

    id: str
    game: str
    options: dict[str, Any]
    rules: str
    status: Status
    version: int
    ply: int
    seats: dict[str, Seated | None]
    to_move: str | None
    outcome: Outcome | None
    created_at: str
    updated_at: str


class Match(MatchSummary):
    """A match with its board."""

    starter: str | None
    starter_by: Literal["random", "fist"] | None
    fist: Fist | None
    origin: Origin | None
    offer: Offer | None
    position: str | None
    board: Board
    owners: dict[str, str] | None
    legal_moves: list[str]
    aborted_for: Literal["no-show"] | None
    rated: bool
    hints: bool
    rematch_of: str | None
    clock: Clock | None


class ReadMatch(Match):
    """A match that was read by itself."""

    stream_url: NotRequired[str]
    layout: NotRequired[Layout]


class OpenedMatch(Match):
    """A match that was opened, with the tokens of its human seats."""

    stream_url: str
    seat_tokens: dict[str, str]


class TakenSeat(TypedDict):
    """A seat that was taken; its token is shown here only."""

    seat: str
    match: Match
    seat_token: NotRequired[str]


class SpectatorToken(TypedDict):
    """What lets somebody read and follow a match."""

    match: str
    token: str
    expires_at: str


class Invitation(TypedDict):
    """What lets somebody sit down, once."""

    match: str
    seat: str | None
    token: str
    expires_at: str


class Seek(TypedDict):
    """Somebody looks for an opponent, or has one: then there are match and token."""

    id: str
    status: Literal["waiting", "matched", "ended"]
    since: str | None
    lasts_until: str | None
    match: Match | None
    seat: str | None
    seat_token: str | None


class GuestMatch(TypedDict):
    """A match of guests who met by chance, and how many look on."""

    id: str
    game: str
    options: dict[str, Any]
    ply: int
    position: str | None
    to_move: str | None
    created_at: str
    followers: int


class Limits(TypedDict):
    """How often may be asked, how much a tenant may have, and what of it is used."""

    rates: list[dict[str, Any]]
    quotas: list[dict[str, Any]]


class EventBody(TypedDict):
    """What has happened, as it stands in the log."""

    version: int
    type: str
    at: str
    by: str
    data: dict[str, Any]


class LoggedEvent(EventBody):
    """An event with the hash of the log up to it and, where asked for, the board."""

    hash: str
    position: NotRequired[str | None]
    board: NotRequired[Board]
    owners: NotRequired[dict[str, str] | None]
    to_move: NotRequired[str | None]
    legal_moves: NotRequired[list[str]]
    clock: NotRequired[Clock | None]
    steps: NotRequired[list[Step]]


class FeedEntry(LoggedEvent):
    """An event in the feed of all matches of an app."""

    seq: int
    match: str


class Acted(TypedDict):
    """What a move or another act has caused."""

    match: Match
    events: list[EventBody]
    steps: list[Step]
    reply: NotRequired[list[LoggedEvent]]


class PlayedMove(TypedDict):
    """A move that stands."""

    ply: int
    version: int
    seat: str
    move: str
    at: str
    by: str
    position: str | None
    steps: list[Step]


class ShownPosition(TypedDict):
    """What the rules say of a position."""

    position: str
    snapshot: str
    to_move: str | None
    legal_moves: list[str]
    outcome: Outcome | None
    digest: str
    steps: list[Step]


class Audit(TypedDict):
    """The verdict of the server on the log of a match."""

    ok: bool
    match: str
    events: int
    counts: dict[str, int]
    hash: str
    findings: list[dict[str, Any]]
    head: dict[str, Any] | None


class SigningKeys(TypedDict):
    """The public keys that exports are signed with, the newest first."""

    keys: list[dict[str, Any]]


class Endpoint(TypedDict):
    """A URL that is told of events."""

    id: str
    url: str
    events: list[str]
    status: Literal["enabled", "disabled"]
    reason: Literal["gone", "failing", "backlog", "requested"] | None
    created_at: str
    disabled_at: str | None
    delivered_at: str | None
    failing_since: str | None


class MadeEndpoint(Endpoint):
    """A new endpoint; its secret is shown here only."""

    secret: str


class MadeSecret(TypedDict):
    """A new secret; the one before signs, too, until that time."""

    endpoint: str
    secret: str
    previous_valid_until: str


class Delivery(TypedDict):
    """One event to one endpoint, and its attempts."""

    id: str
    type: str
    match: str | None
    version: int | None
    sequence: int | None
    status: Literal["waiting", "delivered", "failed", "canceled"]
    created_at: str
    next_attempt_at: str | None
    attempts: list[dict[str, Any]]


class ApiKey(TypedDict):
    """An API key, as it is listed: without the key itself."""

    id: str
    label: str
    role: Literal["read", "play", "admin"]
    sandbox: bool
    status: Literal["valid", "expired", "revoked"]
    created_at: str
    expires_at: str | None
    last_used_at: str | None


class MadeKey(ApiKey):
    """A new key. Shown here only."""

    key: str


class RotatedKey(MadeKey):
    """The successor of a key, which is valid for a while."""

    previous: str
    previous_valid_until: str


ClockClass = Literal[
    "bullet", "blitz", "rapid", "classical", "correspondence", "untimed"
]


Person = Seated
"""Who plays, as in a seat: a human, or an AI of a level."""


class Standing(TypedDict):
    """How strong somebody is, and how sure that is."""

    rating: float
    deviation: float
    volatility: float
    at_least: float
    provisional: bool
    won: int
    drawn: int
    lost: int
    updated_at: str


class Rating(Standing):
    """How a player stands in a game and clock class."""

    game: str
    clock_class: ClockClass


class Ranked(Standing):
    """A place of a leaderboard."""

    rank: int
    player: Person


class MetGame(TypedDict):
    """A match of two players; 1 was won, 0.5 drawn, 0 lost."""

    match: str
    game: str
    clock_class: ClockClass
    rated: bool
    score: float
    ended_at: str


class RatedGame(MetGame):
    """A match that counted, and what it changed."""

    opponent: Person
    rating: float
    deviation: float
    change: float


class Score(TypedDict):
    """How two players fared against each other: by game, and their last matches."""

    player: Person
    opponent: Person
    score: list[dict[str, Any]]
    data: list[MetGame]
    next_cursor: str | None


class AnalysisLine(TypedDict):
    """A move, what is best play from there, and the final margin to be expected."""

    moves: list[str]
    value: float
    exact: bool
    depth: int


class JudgedPly(TypedDict):
    """What a move of a match was worth, beside the best one."""

    ply: int
    seat: str
    move: str
    value: float
    exact: bool
    loss: float
    comment: Literal["forced", "best", "good", "inaccuracy", "mistake", "blunder"]
    best: AnalysisLine
    nodes: int
    time_ms: int


class Analysis(TypedDict):
    """A question, and what was found so far: lines of a position, plies of a match."""

    id: str
    kind: Literal["position", "match", "hint"]
    status: Literal["waiting", "running", "finished", "canceled", "failed"]
    failed_for: Literal["worker-died", "match-unreadable", "error"] | None
    version: int
    game: str
    options: dict[str, Any]
    rules: str
    position: str | None
    match: str | None
    match_version: int | None
    seat: str | None
    budget: dict[str, int | None]
    depth: int | None
    nodes: int
    time_ms: int
    lines: list[AnalysisLine]
    plies: list[JudgedPly] | None
    mistakes: list[dict[str, Any]] | None
    comments: dict[str, dict[str, int]] | None
    created_at: str
    ended_at: str | None
    expires_at: str
    stream_url: str


class FoundEvent(TypedDict):
    """What was found: a depth, a judged move, or how it ended."""

    version: int
    type: str
    at: str
    data: dict[str, Any]


class WebhookBody(TypedDict):
    """What a webhook says; ``data`` is that of its type."""

    format: str
    type: str
    timestamp: str
    data: dict[str, Any]
