"""Fields of bodies: what a text, a number, a list of kinds may be."""

from collections.abc import Mapping
from typing import Any

from marshmallow import fields

from rules_core.levels import most_levels
from services.analysis.question import MOST_LINES, MOST_NODES
from services.api.checks import Length, OneOf, Range, Wrong
from services.http.request import NO_OBJECT
from services.languages import Message
from services.names import PLAYER_ALPHABET, is_player
from services.webhooks import ALL, TYPES

LEVELS = range(1, most_levels() + 1)
"""Those of the games that have most; each game says how many it has."""
LEVEL = Range(LEVELS[0], LEVELS[-1])
NAME_LENGTH = 60
POSITION_LENGTH = 20_000  # a snapshot holds what has come up since the last capture
OR_NULL: dict[str, Any] = {"null": NO_OBJECT}
JOINERS = "\u200c\u200d"  # of Persian, Hindi and Punjabi, and of emoji


class Text(fields.String):
    """A text without control characters; not a number that was meant as one."""

    default_error = Message("should hold printable characters only")

    def _deserialize(
        self,
        value: Any,
        attr: str | None,
        data: Mapping[str, Any] | None,
        **kwargs: Any,
    ) -> Any:
        text = super()._deserialize(value, attr, data, **kwargs)
        if not self.is_right(text):
            raise Wrong(self.default_error)
        return text

    def is_right(self, text: str) -> bool:
        """Tell whether all of a text can be seen."""
        return text.isprintable()


class PersonName(Text):
    """A name of a person, in any script: some join their letters by unseen signs."""

    default_error = Message("should hold letters, or other signs that can be seen")

    def is_right(self, text: str) -> bool:
        """Tell whether a name has something to see, and no unseen sign but joiners."""
        seen = text.translate(dict.fromkeys(map(ord, JOINERS)))
        return bool(seen.strip(" ")) and seen.isprintable()


class PlayerId(Text):
    """An id by which an app knows a player."""

    default_error = Message("should be {alphabet}", alphabet=PLAYER_ALPHABET)

    def is_right(self, text: str) -> bool:
        """Tell whether an app may name a player so."""
        return is_player(text)


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
            raise Wrong(Message("should be true or false"))
        return value


class Members(fields.Dict):
    """An object whose members may have any names; it may be left out."""

    default_error_messages = OR_NULL

    def __init__(self, values: fields.Field[Any] | None = None) -> None:
        """Take objects of such values, or of any."""
        super().__init__(keys=fields.String(), values=values, load_default=dict)


class TimeControl(fields.Dict):
    """A time control, or null for none; the match checks what is in it."""

    default_error_messages = OR_NULL

    def __init__(self) -> None:
        """Take any members: `services.match.clock` knows them."""
        super().__init__(keys=fields.String(), allow_none=True)


class Lines(fields.Integer):
    """How many moves are to be valued: the best."""

    def __init__(self) -> None:
        """Take one, unless more are asked for."""
        super().__init__(strict=True, load_default=1, validate=Range(1, MOST_LINES))


class Nodes(fields.Integer):
    """How many positions are looked at, at the most."""

    def __init__(self) -> None:
        """Take any number, unless one is given."""
        super().__init__(strict=True, validate=Range(1, MOST_NODES))


class EventFilter(fields.List[str]):
    """Types of events, or `*` alone for all."""

    def __init__(self, **given: Any) -> None:
        """Take types that there are, each once."""
        checks = (Length(1, len(TYPES)), _check_filter)
        super().__init__(
            fields.String(validate=OneOf((ALL, *TYPES))),
            validate=checks,
            **given,
        )


def _check_filter(types: list[str]) -> None:
    if len(set(types)) < len(types):
        raise Wrong(Message("should name each type once"))
    if ALL in types and len(types) > 1:
        said = Message("should be types, or {all} alone for all of them", all=ALL)
        raise Wrong(said)
