"""What request bodies look like; the match and the rules check what they mean."""

from typing import Any

from marshmallow import fields, validates_schema

from services.analysis.question import (
    DEFAULT_MS,
    HINT,
    HINT_MS,
    MOST_PLY_MS,
    MOST_TIME_MS,
    POSITION,
)
from services.api.checks import Body, Length, OneOf, Range, Wrong
from services.api.schema_fields import (
    LEVEL,
    LEVELS,
    NAME_LENGTH,
    OR_NULL,
    POSITION_LENGTH,
    EventFilter,
    Lines,
    Members,
    Nodes,
    PersonName,
    PlayerId,
    Text,
    TimeControl,
    Truth,
)
from services.http.request import MAX_VERSION
from services.languages import Message
from services.tenants import LABEL_LENGTH, ROLES
from services.webhooks.addresses import MAX_URL
from services.webhooks.endpoint import DISABLED, ENABLED

VERSIONS = Range(1, MAX_VERSION)
MAX_MOVES = 1000
MAX_WAIT_S = 10
MAX_SEEK_WAIT_S = 25
DAY_S = 24 * 3600
MOST_LIFE_S = 3650 * DAY_S


class PlayerSchema(Body):
    """Who is to sit: a human, who may have a name, or an AI of some level."""

    kind = fields.String(required=True, validate=OneOf(("human", "ai")))
    player = PlayerId()
    name = PersonName(validate=Length(1, NAME_LENGTH))
    level = fields.Integer(strict=True, validate=LEVEL)

    @validates_schema
    def check_kind(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse an AI without a level, and a human with one."""
        if data.get("kind") == "ai":
            if "level" not in data:
                said = Message(
                    "an AI needs a level from {least} to {most}",
                    least=LEVELS[0],
                    most=LEVELS[-1],
                )
                raise Wrong(said, "level")
            if "name" in data:
                raise Wrong(Message("an AI has no name"), "name")
            if "player" in data:
                raise Wrong(Message("an AI has no id"), "player")
        elif "level" in data:
            raise Wrong(Message("only an AI has a level"), "level")


class OpenMatchSchema(Body):
    """A match to open."""

    game = Text(required=True)
    options = Members()
    starter = Text(validate=Length(1, 20))
    position = fields.String(validate=Length(1, 400))
    clock = TimeControl()
    rated = Truth(load_default=True)
    hints = Truth()
    seats = Members(values=fields.Nested(PlayerSchema, error_messages=OR_NULL))


class TakeSeatSchema(PlayerSchema):
    """A player to sit down, at a named seat or the first that is free."""

    seat = Text()


class PlayMoveSchema(Body):
    """A move; `seat` is needed with an API key, a seat token knows its own."""

    move = Text(required=True, validate=Length(1, 20))
    seat = Text()
    expected_version = fields.Integer(strict=True, validate=VERSIONS)
    wait_for_reply_s = fields.Integer(strict=True, validate=Range(0, MAX_WAIT_S))


class PlaceSchema(Body):
    """A position, given or after moves from a start."""

    game = Text(required=True)
    options = Members()
    position = fields.String(validate=Length(1, POSITION_LENGTH))
    starter = Text(validate=Length(1, 20))
    moves = fields.List(
        Text(validate=Length(1, 20)),
        load_default=list,
        validate=Length(max=MAX_MOVES),
    )

    @validates_schema
    def check_starter(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse a starter beside a position, which says itself who is to move."""
        if "position" in data and "starter" in data:
            said = Message("leave it out: the position says who is to move")
            raise Wrong(said, "starter")


class PositionSchema(PlaceSchema):
    """A position, and perhaps a move in it."""

    move = Text(validate=Length(1, 20))


class AnalysePositionSchema(PlaceSchema):
    """A position to think about, how many moves are to be valued, and for how long."""

    lines = Lines()
    time_ms = fields.Integer(
        strict=True, load_default=DEFAULT_MS[POSITION], validate=Range(1, MOST_TIME_MS)
    )
    nodes = Nodes()


class AnalyseMatchSchema(Body):
    """How long to think about each position of a match."""

    time_ms = fields.Integer(strict=True, validate=Range(1, MOST_PLY_MS))
    nodes = Nodes()


class HintSchema(Body):
    """Who asks for a hint, how many moves are to be valued, and for how long."""

    seat = Text()
    lines = Lines()
    time_ms = fields.Integer(
        strict=True, load_default=DEFAULT_MS[HINT], validate=Range(1, HINT_MS)
    )
    nodes = Nodes()


class OfferSchema(Body):
    """A resignation or an offer; `seat` is needed with an API key."""

    seat = Text()


class RequestTakebackSchema(OfferSchema):
    """A request to go back to the position of a version."""

    to_version = fields.Integer(required=True, strict=True, validate=VERSIONS)


class AnswerSchema(OfferSchema):
    """The answer to an offer."""

    accept = Truth(required=True)


class GuessFistSchema(OfferSchema):
    """A guess in which fist the seed is."""

    fist = fields.String(required=True, validate=OneOf(("left", "right")))


class CreateEndpointSchema(Body):
    """An endpoint of webhooks to make."""

    url = fields.String(required=True, validate=Length(1, MAX_URL))
    events = EventFilter(required=True)


class ChangeEndpointSchema(Body):
    """What is to be changed of an endpoint."""

    url = fields.String(validate=Length(1, MAX_URL))
    events = EventFilter()
    status = fields.String(validate=OneOf((ENABLED, DISABLED)))


class CreateKeySchema(Body):
    """An API key to make; without a time it does not expire."""

    label = Text(load_default="", validate=Length(0, LABEL_LENGTH))
    sandbox = Truth(load_default=False)
    role = fields.String(load_default="play", validate=OneOf(ROLES))
    expires_in_s = fields.Integer(
        strict=True,
        load_default=None,
        allow_none=False,
        validate=Range(60, MOST_LIFE_S),
    )


class RotateKeySchema(Body):
    """How long the former key goes on; a day unless it is said."""

    overlap_s = fields.Integer(
        strict=True, load_default=DAY_S, validate=Range(0, 30 * DAY_S)
    )


class IssueSpectatorTokenSchema(Body):
    """For how long spectators may look on; a day unless it is said."""

    expires_in_s = fields.Integer(
        strict=True, load_default=DAY_S, validate=Range(60, 30 * DAY_S)
    )


class NothingSchema(Body):
    """Nothing needs to be said; what is said is wrong."""


class SeekSchema(Body):
    """What somebody wants to play, and for how long the request waits for it."""

    game = Text(required=True)
    options = Members()
    clock = TimeControl()
    rated = Truth(load_default=True)
    player = PlayerId()
    name = PersonName(validate=Length(1, NAME_LENGTH))
    rating_within = fields.Integer(strict=True, validate=Range(1, 4000))
    wait_s = fields.Integer(
        strict=True, load_default=0, validate=Range(0, MAX_SEEK_WAIT_S)
    )


class GuestSeekSchema(Body):
    """What a guest wants to play with a stranger, and for how long it is waited for."""

    game = Text(required=True)
    options = Members()
    clock = TimeControl()
    wait_s = fields.Integer(
        strict=True, load_default=0, validate=Range(0, MAX_SEEK_WAIT_S)
    )


class InvitationSchema(Body):
    """Whom to invite, to which seat, and for how long; a week unless it is said."""

    seat = Text()
    player = PlayerId()
    expires_in_s = fields.Integer(
        strict=True, load_default=7 * DAY_S, validate=Range(60, 30 * DAY_S)
    )


class AcceptInvitationSchema(Body):
    """What whoever was invited is called, if they want to be."""

    name = PersonName(validate=Length(1, NAME_LENGTH))


class ForkSchema(Body):
    """A match to open from another; without a version from its latest one."""

    clock = TimeControl()
    version = fields.Integer(strict=True, validate=VERSIONS)
    seats = Members(values=fields.Nested(PlayerSchema, error_messages=OR_NULL))


AI, INVITED, BOTH = "ai", "invited", "same-screen"


class OpenGuestMatchSchema(Body):
    """A match that the page opens for a guest, and against whom."""

    game = Text(required=True)
    options = Members()
    seat = Text()
    starter = Text(validate=Length(1, 20))
    clock = TimeControl()
    hints = Truth(load_default=False)
    opponent = Text(load_default=AI, validate=OneOf((AI, INVITED, BOTH)))
    level = fields.Integer(strict=True, validate=LEVEL)

    @validates_schema
    def check_level(self, data: dict[str, Any], **_: Any) -> None:
        """Demand a level of an AI, and of nobody else."""
        if data["opponent"] == AI and "level" not in data:
            said = Message(
                "an AI needs a level from {least} to {most}",
                least=LEVELS[0],
                most=LEVELS[-1],
            )
            raise Wrong(said, "level")
        if data["opponent"] != AI and "level" in data:
            raise Wrong(Message("only an AI has a level"), "level")
