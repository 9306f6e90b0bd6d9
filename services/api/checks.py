"""What is checked of a body, and how it is said: marshmallow's checks, in our words."""

from typing import Any, ClassVar

from marshmallow import Schema, ValidationError, fields, validate

from services.http.request import NO_OBJECT
from services.languages import Counted, Message, any_of, number_within

NEEDED = {
    "required": Message("is needed"),
    "null": Message("should not be null"),
    "validator_failed": Message("is not as it should be"),
}
KINDS: dict[type[fields.Field[Any]], Message] = {
    fields.String: Message("should be a text"),
    fields.Integer: Message("should be a whole number"),
    fields.List: Message("should be a list"),
    fields.Mapping: NO_OBJECT,
    fields.Nested: NO_OBJECT,
}


class Wrong(ValidationError):
    """A member is not as it should be."""

    def __init__(self, message: Message, field_name: str = "_schema") -> None:
        """Take what it should be, and the member, if it is not the one at hand."""
        super().__init__([message], field_name)


class Body(Schema):
    """A body of a request, or a part of one."""

    error_messages: ClassVar[dict[str, Any]] = {  # type: ignore[misc]
        "type": NO_OBJECT,
        "unknown": Message("is not known here"),
    }

    def on_bind_field(self, field_name: str, field_obj: fields.Field[Any]) -> None:
        """Let a field say in our words what is wrong with it."""
        _put_into_words(field_obj)


class Range(validate.Range):
    """A whole number within bounds."""

    def __call__(self, value: Any) -> Any:
        """Return the number, or refuse it."""
        try:
            return super().__call__(value)
        except ValidationError:
            raise Wrong(self.wanted) from None

    @property
    def wanted(self) -> Message:
        """Return what a number should be, and what something else should be."""
        wanted = number_within(int(str(self.min)), int(str(self.max)))
        return Message("should be {wanted}", wanted=wanted)


class Length(validate.Length):
    """A text or a list that is neither too short nor too long."""

    def __call__(self, value: Any) -> Any:
        """Return it, or refuse it."""
        try:
            return super().__call__(value)
        except ValidationError:
            raise Wrong(self._wanted(value)) from None

    def _wanted(self, value: Any) -> Message:
        least, most = self.min or 0, self.max or 0
        if isinstance(value, str):
            return Counted(
                "should have {least} to {count} character",
                "should have {least} to {count} characters",
                least=least,
                count=most,
            )
        return Counted(
            "should have {least} to {count} item",
            "should have {least} to {count} items",
            least=least,
            count=most,
        )


class OneOf(validate.OneOf):
    """One of some texts."""

    def __call__(self, value: Any) -> Any:
        """Return the text, or refuse it."""
        try:
            return super().__call__(value)
        except ValidationError:
            choices = any_of(*(f'"{choice}"' for choice in self.choices))
            raise Wrong(Message("should be {wanted}", wanted=choices)) from None


def _put_into_words(field: fields.Field[Any]) -> None:
    kind = next((KINDS[kind] for kind in type(field).__mro__ if kind in KINDS), None)
    ranges = (check for check in field.validators if isinstance(check, Range))
    kind = next((check.wanted for check in ranges), kind)
    said: dict[str, Any] = dict(field.error_messages)
    own = {key: words for key, words in said.items() if isinstance(words, Message)}
    if kind is not None:
        said = dict.fromkeys(said, kind)
    field.error_messages = said | NEEDED | own
    for part in ("inner", "key_field", "value_field"):
        if (inner := getattr(field, part, None)) is not None:
            _put_into_words(inner)
