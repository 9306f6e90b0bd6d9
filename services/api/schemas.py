"""What request bodies look like; the match and the rules check what they mean."""

from collections.abc import Mapping
from typing import Any

from marshmallow import Schema, ValidationError, fields, validate, validates_schema

from services.http.request import MAX_VERSION
from services.tenants import LABEL_LENGTH, ROLES
from services.webhooks import ALL, TYPES
from services.webhooks.addresses import MAX_URL
from services.webhooks.endpoints import DISABLED, ENABLED

LEVELS = (1, 8)
VERSIONS = validate.Range(1, MAX_VERSION)
NAME_LENGTH = 60
MAX_MOVES = 1000
MAX_WAIT_S = 10
POSITION_LENGTH = 20_000  # a snapshot holds what has come up since the last capture
DAY_S = 24 * 3600
MOST_LIFE_S = 3650 * DAY_S
NO_OBJECT: dict[str, Any] = {
    "invalid": "should be a JSON object",
    "null": "should be a JSON object",
}
JOINERS = "\u200c\u200d"  # of Persian, Hindi and Punjabi, and of emoji


class Text(fields.String):
    """A text without control characters; not a number that was meant as one."""

    default_error = "should hold printable characters only"

    def _deserialize(
        self,
        value: Any,
        attr: str | None,
        data: Mapping[str, Any] | None,
        **kwargs: Any,
    ) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        if not self.is_right(text):
            raise ValidationError(self.default_error)
        return text

    def is_right(self, text: str) -> bool:
        """Tell whether all of a text can be seen."""
        return text.isprintable()


class PersonName(Text):
    """A name of a person, in any script: some join their letters by unseen signs."""

    default_error = "should hold letters, or other signs that can be seen"

    def is_right(self, text: str) -> bool:
        """Tell whether a name has something to see, and no unseen sign but joiners."""
        seen = text.translate(dict.fromkeys(map(ord, JOINERS)))
        return bool(seen.strip(" ")) and seen.isprintable()


class Truth(fields.Field[bool]):
    """True or false, and nothing that stands for it."""

    def _deserialize(
        self,
        value: Any,
        attr: str | None,
        data: Mapping[str, Any] | None,
        **kwargs: Any,
    ) -> bool:
        if not isinstance(value, bool):
            raise ValidationError("should be true or false")
        return value


class Members(fields.Dict):
    """An object whose members may have any names; it may be left out."""

    default_error_messages = NO_OBJECT

    def __init__(self, values: fields.Field[Any] | None = None) -> None:
        """Take objects of such values, or of any."""
        super().__init__(keys=fields.String(), values=values, load_default=dict)


class TimeControl(fields.Dict):
    """A time control, or null for none; the match checks what is in it."""

    default_error_messages = NO_OBJECT

    def __init__(self) -> None:
        """Take any members: `services.match.clock` knows them."""
        super().__init__(keys=fields.String(), allow_none=True)


class PlayerSchema(Schema):
    """Who is to sit: a human, who may have a name, or an AI of some level."""

    error_messages = {"type": NO_OBJECT["invalid"]}  # noqa: RUF012
    kind = fields.String(required=True, validate=validate.OneOf(("human", "ai")))
    name = PersonName(validate=validate.Length(1, NAME_LENGTH))
    level = fields.Integer(strict=True, validate=validate.Range(*LEVELS))

    @validates_schema
    def check_kind(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse an AI without a level, and a human with one."""
        if data.get("kind") == "ai":
            if "level" not in data:
                low, high = LEVELS
                raise ValidationError(
                    f"an AI needs a level from {low} to {high}", field_name="level"
                )
            if "name" in data:
                raise ValidationError("an AI has no name", field_name="name")
        elif "level" in data:
            raise ValidationError("only an AI has a level", field_name="level")


class OpenMatchSchema(Schema):
    """A match to open."""

    game = Text(required=True)
    options = Members()
    starter = Text(validate=validate.Length(1, 20))
    position = fields.String(validate=validate.Length(1, 400))
    clock = TimeControl()
    seats = Members(values=fields.Nested(PlayerSchema, error_messages=NO_OBJECT))


class TakeSeatSchema(PlayerSchema):
    """A player to sit down, at a named seat or the first that is free."""

    seat = Text()


class PlayMoveSchema(Schema):
    """A move; `seat` is needed with an API key, a seat token knows its own."""

    move = Text(required=True, validate=validate.Length(1, 20))
    seat = Text()
    expected_version = fields.Integer(strict=True, validate=VERSIONS)
    wait_for_reply_s = fields.Integer(
        strict=True, validate=validate.Range(0, MAX_WAIT_S)
    )


class PositionSchema(Schema):
    """A position, given or after moves from a start, and perhaps a move in it."""

    game = Text(required=True)
    options = Members()
    position = fields.String(validate=validate.Length(1, POSITION_LENGTH))
    starter = Text(validate=validate.Length(1, 20))
    moves = fields.List(
        Text(validate=validate.Length(1, 20)),
        load_default=list,
        validate=validate.Length(max=MAX_MOVES),
    )
    move = Text(validate=validate.Length(1, 20))

    @validates_schema
    def check_starter(self, data: dict[str, Any], **_: Any) -> None:
        """Refuse a starter beside a position, which says itself who is to move."""
        if "position" in data and "starter" in data:
            raise ValidationError(
                "leave it out: the position says who is to move", field_name="starter"
            )


class OfferSchema(Schema):
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

    fist = fields.String(required=True, validate=validate.OneOf(("left", "right")))


class EventFilter(fields.List[str]):
    """Types of events, or `*` alone for all."""

    def __init__(self, **given: Any) -> None:
        """Take types that there are, each once."""
        checks = (validate.Length(1, len(TYPES)), _check_filter)
        super().__init__(
            fields.String(validate=validate.OneOf((ALL, *TYPES))),
            validate=checks,
            **given,
        )


def _check_filter(types: list[str]) -> None:
    if len(set(types)) < len(types):
        raise ValidationError("should name each type once")
    if ALL in types and len(types) > 1:
        raise ValidationError(f"should be types, or {ALL} alone for all of them")


class CreateEndpointSchema(Schema):
    """An endpoint of webhooks to make."""

    url = fields.String(required=True, validate=validate.Length(1, MAX_URL))
    events = EventFilter(required=True)


class ChangeEndpointSchema(Schema):
    """What is to be changed of an endpoint."""

    url = fields.String(validate=validate.Length(1, MAX_URL))
    events = EventFilter()
    status = fields.String(validate=validate.OneOf((ENABLED, DISABLED)))


class CreateKeySchema(Schema):
    """An API key to make; without a time it does not expire."""

    label = Text(load_default="", validate=validate.Length(0, LABEL_LENGTH))
    sandbox = Truth(load_default=False)
    role = fields.String(load_default="play", validate=validate.OneOf(ROLES))
    expires_in_s = fields.Integer(
        strict=True,
        load_default=None,
        allow_none=False,
        validate=validate.Range(60, MOST_LIFE_S),
    )


class RotateKeySchema(Schema):
    """How long the former key goes on; a day unless it is said."""

    overlap_s = fields.Integer(
        strict=True, load_default=DAY_S, validate=validate.Range(0, 30 * DAY_S)
    )


class IssueSpectatorTokenSchema(Schema):
    """For how long spectators may look on; a day unless it is said."""

    expires_in_s = fields.Integer(
        strict=True, load_default=DAY_S, validate=validate.Range(60, 30 * DAY_S)
    )


class NothingSchema(Schema):
    """Nothing needs to be said; what is said is wrong."""


class ForkSchema(Schema):
    """A match to open from another; without a version from its latest one."""

    clock = TimeControl()
    version = fields.Integer(strict=True, validate=VERSIONS)
    seats = Members(values=fields.Nested(PlayerSchema, error_messages=NO_OBJECT))


class OpenGuestMatchSchema(Schema):
    """A match that the page opens for a guest, against an AI."""

    game = Text(required=True)
    options = Members()
    seat = Text()
    clock = TimeControl()
    level = fields.Integer(required=True, strict=True, validate=validate.Range(*LEVELS))
