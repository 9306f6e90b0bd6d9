"""A game as callers see it: its key, its options, its seats and how it is drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType, ModuleType

from rules_core.boards.face import Face
from rules_core.boards.layout import Layout
from rules_core.boards.width import TooWide, check_width
from rules_core.engine import Engine, engine_of
from rules_core.kernel import Board
from rules_core.options import Option, OptionSpec, complete, extremes, on_record


class Variant:
    """A game with its options settled: everything that stays the same in a match."""

    def __init__(self, game: Game, options: dict[str, Option]) -> None:
        """Work out the labels once."""
        self.game = game
        self.options = MappingProxyType(options)
        self.engine = game.engine
        self.face = game.face(options)
        self.seats = self.face.seats
        self.move_names = self.face.moves()
        self.cell_names = self.face.cells()
        self.move_ids = {name: move for move, name in enumerate(self.move_names)}
        self.opening = tuple(game.opening(options))
        check_width(self.opening, self.cell_names, self.engine.words)

    def deal(self) -> Board:
        """Return the board at the start, as a list of its own."""
        return list(self.opening)


@dataclass(frozen=True, eq=False)
class Game:
    """One game by one version of its rules."""

    key: str
    name: str
    rules: str
    options: tuple[OptionSpec, ...]
    module: str
    engine: Engine = field(repr=False)
    opening: Callable[[dict[str, Option]], Board] = field(repr=False)
    face: Callable[[dict[str, Option]], Face] = field(repr=False)
    _variants: dict[tuple[Option, ...], Variant] = field(
        default_factory=dict, init=False, repr=False
    )

    @classmethod
    def of(cls, module: ModuleType) -> Game:
        """Return the game that a game file describes.

        :raises ValueError: its options allow a board that its cells cannot hold.
        """
        game = cls(
            key=module.KEY,
            name=module.NAME,
            rules=module.RULES,
            options=module.OPTIONS,
            module=module.__name__,
            engine=engine_of(module),
            opening=module.opening,
            face=module.face,
        )
        for options in extremes(module.OPTIONS):
            try:
                game.variant(options)
            except TooWide as reason:
                raise ValueError(f"{game.key} with {options}: {reason}") from None
        return game

    @cached_property
    def seats(self) -> tuple[str, str]:
        """The two seats; seat index 0 is south or black (G1)."""
        return self.variant(None).seats

    @cached_property
    def starters(self) -> tuple[str, ...]:
        """The seats that may begin (G2); the first is the default."""
        return self.variant(None).face.starters

    def complete_options(self, given: Mapping[str, object] | None) -> dict[str, Option]:
        """Return all options, defaults filled in.

        :raises InvalidOptions: naming the option and what would be right.
        """
        return complete(self.options, given)

    def options_on_record(self, options: Mapping[str, Option]) -> dict[str, Option]:
        """Return complete options as a log names them."""
        return on_record(self.options, options)

    def layout(self, options: Mapping[str, object] | None = None) -> Layout:
        """Return how the board is drawn."""
        return self.variant(options).face.layout()

    def variant(self, options: Mapping[str, object] | None) -> Variant:
        """Return the game with these options; the same object for the same options."""
        settled = self.complete_options(options)
        key = tuple(settled.values())
        variant = self._variants.get(key)
        if variant is None:
            variant = self._variants[key] = Variant(self, settled)
        return variant
