"""What is told to people: a template with facts, in English until somebody translates.

Whoever speaks to people (HTTP) tells it in their language; who refuses knows of none.
Nothing is put together until then.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Translate = Callable[[str, str, int], str]
"""From the template for one, that for many (or ""), and the number: the one to tell."""


class Message:
    """A text for people, which reads English by itself.

    The facts may be numbers, texts, messages, and tuples of those (told with commas).
    """

    __slots__ = ("facts", "template")

    def __init__(self, template: str, /, **facts: Any) -> None:
        """Take a template that stands here as it is, for its translations to be found.

        It holds the facts by name: `Message("there is no seat {seat!r}", seat="east")`.
        """
        self.template = template
        self.facts = facts

    def told(self, translate: Translate) -> str:
        """Return the text in the language of a translation."""
        facts = {name: _told(fact, translate) for name, fact in self.facts.items()}
        return self._chosen(translate).format(**facts)

    def _chosen(self, translate: Translate) -> str:
        return translate(self.template, "", 1)

    def __str__(self) -> str:
        return self.told(english)

    def __repr__(self) -> str:
        return f"<Message: {self}>"


class Counted(Message):
    """A text that depends on a number, its fact `count`."""

    __slots__ = ("many",)

    def __init__(self, one: str, many: str, /, *, count: int, **facts: Any) -> None:
        """Take the English for one and for many; other languages differ in more."""
        super().__init__(one, count=count, **facts)
        self.many = many

    def _chosen(self, translate: Translate) -> str:
        return translate(self.template, self.many, self.facts["count"])


class Joined(Message):
    """Several things with the same between each two of them."""

    __slots__ = ()

    def __init__(self, between: Message, parts: tuple[object, ...]) -> None:
        """Take what stands between, and the parts: facts as those of a message."""
        super().__init__(between.template, parts=parts)

    def told(self, translate: Translate) -> str:
        """Return the parts, in this order."""
        between = self._chosen(translate)
        return between.join(str(_told(part, translate)) for part in self.facts["parts"])


class Seat(Message):
    """A seat: in English its key, as requests name it; in other languages its name."""

    __slots__ = ()

    def __init__(self, key: str) -> None:
        """Take the key; its name in English is the same, but for a capital."""
        super().__init__(key.capitalize(), key=key)

    def told(self, translate: Translate) -> str:
        """Return the name, or the key where the seat of a game has none."""
        name = self._chosen(translate)
        return name if name != self.template else str(self.facts["key"])


COMMA = Message(", ")
SEMICOLON = Message("; ")
OR = Message(" or ")
AND = Message(" and ")


def any_of(*choices: object) -> Message:
    """Return what says that one of these would do."""
    return Joined(OR, choices)


def all_of(*parts: object) -> Message:
    """Return what says that these belong together."""
    return Joined(AND, parts)


def list_of(*names: object) -> Message:
    """Return what says that there are these."""
    return Joined(COMMA, names)


def each_of(*findings: object) -> Message:
    """Return what says one thing after the other."""
    return Joined(SEMICOLON, findings)


def number_within(least: int, most: int) -> Message:
    """Return what says which whole numbers would do."""
    return Message("a whole number from {least} to {most}", least=least, most=most)


def english(one: str, many: str, count: int) -> str:
    """Return the template as it stands in the code."""
    return one if not many or count == 1 else many


def _told(fact: Any, translate: Translate) -> Any:
    if isinstance(fact, tuple):
        fact = Joined(COMMA, fact)
    return fact.told(translate) if isinstance(fact, Message) else fact
