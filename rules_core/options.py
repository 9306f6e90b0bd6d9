"""The parameters of a game: what they are called and what they may be."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rules_core.errors import InvalidOptions
from rules_core.messages import Message, any_of, list_of

Option = int | bool | str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionSpec:
    """One parameter of a game. An int whose default is None may be None."""

    name: str
    kind: str  # "int", "bool" or "choice"
    default: Option
    description: str
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()
    later: bool = False
    """It came when matches were on record already. A log that does not name it means
    its default, and a default is not named: without it, nothing is written otherwise.
    """

    @property
    def allowed(self) -> Message:
        """Say in words what the option may be."""
        if self.kind == "bool":
            return any_of("true", "false")
        if self.kind == "choice":
            return any_of(*(f'"{choice}"' for choice in self.choices))
        span = {"least": self.minimum, "most": self.maximum}
        if self.default is None:
            return Message("an integer from {least} to {most}, or null", **span)
        return Message("an integer from {least} to {most}", **span)

    def allows(self, value: object) -> bool:
        """Tell whether the option may have this value; a bool is not an int."""
        if self.kind == "bool":
            return isinstance(value, bool)
        if self.kind == "choice":
            return isinstance(value, str) and value in self.choices
        if value is None:
            return self.default is None
        if isinstance(value, bool) or not isinstance(value, int):
            return False
        return (self.minimum or 0) <= value <= (self.maximum or 0)


PIE = OptionSpec(
    name="pie",
    kind="bool",
    default=False,
    later=True,
    description="At its first decision the second seat may take the first's place.",
)
"""The pie rule (K7, C9), for games in which who begins wins too often.

Without it nothing is played, written or digested otherwise than before there was one:
the rules keep their version."""


def extremes(specs: tuple[OptionSpec, ...]) -> Iterator[dict[str, Option]]:
    """Yield options at their largest: each integer's maximum, with every choice."""
    values: list[tuple[Option, ...]] = [
        (False, True)
        if spec.kind == "bool"
        else spec.choices
        if spec.kind == "choice"
        else (spec.maximum,)
        for spec in specs
    ]
    for chosen in itertools.product(*values):
        yield {spec.name: value for spec, value in zip(specs, chosen, strict=True)}


def on_record(
    specs: tuple[OptionSpec, ...], options: Mapping[str, Option]
) -> dict[str, Option]:
    """Return complete options as a log names them."""
    unnamed = {spec.name: spec.default for spec in specs if spec.later}
    return {
        name: value
        for name, value in options.items()
        if name not in unnamed or value != unnamed[name]
    }


def complete(
    specs: tuple[OptionSpec, ...], given: Mapping[str, object] | None
) -> dict[str, Option]:
    """Return all options in the order of their specs, defaults filled in.

    :raises InvalidOptions: naming the first option that is not possible.
    """
    given = given or {}
    names = [spec.name for spec in specs]
    for name in given:
        if name not in names:
            none = Message("this game has no options")
            raise InvalidOptions(
                str(name), given[name], list_of(*names) if names else none
            )
    options: dict[str, Option] = {}
    for spec in specs:
        value = given.get(spec.name, spec.default)
        if not spec.allows(value):
            raise InvalidOptions(spec.name, value, spec.allowed)
        options[spec.name] = value  # type: ignore[assignment]  # allows() has looked
    return options
