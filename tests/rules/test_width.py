"""No board is dealt or read that a compiled cell could not hold."""

import types

import pytest

from rules_core import InvalidPosition, OptionSpec, find_game, parse
from rules_core.boards.width import MOST, MOST_WORD, TooWide, check_width
from rules_core.game import Game
from rules_core.games import kalah, oware_nam_nam, reversi
from rules_core.options import PIE, extremes


def with_seeds(most: int, pits: int = 8) -> types.ModuleType:
    """Return Kalah, as it would be with so many seeds in each pit."""
    module = types.ModuleType(kalah.__name__)
    module.__dict__.update(vars(kalah))
    numbers = {"kind": "int", "minimum": 1, "description": "", "default": 1}
    module.OPTIONS = (
        OptionSpec(name="pits", maximum=pits, **numbers),
        OptionSpec(name="seeds", maximum=most, **numbers),
        OptionSpec(name="empty_capture", kind="bool", default=False, description=""),
        PIE,
    )
    return module


def test_a_game_whose_seeds_do_not_fit_into_one_cell_is_refused() -> None:
    """All may come to lie in one store; 16 pits of 2,048 are one too many."""
    says = r"kalah with .*'seeds': 2048.*: 32768 seeds do not fit .* holds 32767"
    with pytest.raises(ValueError, match=says):
        Game.of(with_seeds(2048))
    assert Game.of(with_seeds(2047)).variant({"pits": 8, "seeds": 2047})


def test_what_lies_in_no_pit_has_to_fit_by_itself() -> None:
    """A counter is not a seed, and a word is larger than a count."""
    check_width((MOST, MOST, -MOST - 1), ("A",), words=False)
    check_width((MOST_WORD, MOST_WORD), ("a1", "b1"), words=True)
    for opening, words, says in (
        ((1, MOST + 1), False, "cell 1 is 32768; it holds -32768 to 32767"),
        ((1, -1), True, r"cell 1 is -1; it holds 0 to 1844\d+"),
        ((MOST_WORD + 1,), True, "cell 0 is 18446744073709551616"),
    ):
        with pytest.raises(TooWide, match=says):
            check_width(opening, ("A",), words)


def test_the_largest_options_are_looked_at_with_every_choice() -> None:
    """Integers at their maximum; a rule of a choice may deal more."""
    assert list(extremes(reversi.OPTIONS)) == [{}]
    assert list(extremes(oware_nam_nam.OPTIONS)) == [{"max_rounds": 100}]
    assert list(extremes(find_game("congkak").options)) == [
        {"pits": 9, "seeds": 9, "rounds": rounds, "pie": pie}
        for rounds in ("single", "match")
        for pie in (False, True)
    ]


NAM_NAM = "4,4,4,4,4,4/4,4,4,4,4,4 0,0 S owners=SSSSSS/NNNNNN round={} starter=S"


@pytest.mark.parametrize(
    ("game", "text", "options"),
    [
        ("kalah", "40000,0,0,0,0,0/0,0,0,0,0,0 0,0 S", None),
        ("kalah", "4,4,4,4,4,4/4,4,4,4,4,4 65536,0 S", None),
        ("kalah", "-4,4,4,4,4,4/4,4,4,4,4,12 0,0 S", None),
        ("kalah", "\u0664,4,4,4,4,4/4,4,4,4,4,4 0,0 S", None),
        ("bao-kujifunza", f"{2**64 + 2}{',2' * 7}{'/2' + ',2' * 7} - S", None),
        ("oware-nam-nam", NAM_NAM.format(40_000), None),
        ("oware-nam-nam", NAM_NAM.format("1\u0663"), None),
        (
            "congkak",
            f"{'3,3,3,3,3/' * 2}".rstrip("/") + " 0,0 S round=1\u0660 starter=S",
            {"pits": 5, "seeds": 3, "rounds": "match"},
        ),
    ],
)
def test_a_text_with_a_number_that_fits_nowhere_is_no_position(
    game: str, text: str, options: dict[str, object]
) -> None:
    """Nor is one in other digits, which would be written back in ours."""
    with pytest.raises(InvalidPosition):
        parse(game, text, options)
