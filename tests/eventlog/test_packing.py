"""What events say again and again is kept short, and read to the letter."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.eventlog import LogDamaged
from services.eventlog.packing import Packing
from services.match.phrases import PHRASES

PACKING = Packing(PHRASES)


@given(
    st.lists(
        st.sampled_from(PHRASES)
        | st.text(st.characters(exclude_categories=["Cc", "Cs"]))
    )
)
def test_what_is_packed_is_unpacked_to_the_letter(parts: list[str]) -> None:
    text = "".join(parts)

    assert PACKING.unpack(PACKING.pack(text)) == text
    assert len(PACKING.pack(text)) <= len(text)


def test_the_phrases_are_part_of_the_layout_for_ever() -> None:
    """One may be added at the end; a changed one would change every old event."""
    known = hashlib.sha256("\n".join(PHRASES[:29]).encode()).hexdigest()

    assert known[:16] == "ff9fbc8994a082eb"
    assert len(PHRASES) < 32


def test_no_more_phrases_than_control_characters() -> None:
    """The 32nd would be a blank, which stands in every text."""
    Packing(["phrase"] * 31)
    with pytest.raises(ValueError, match="31 characters"):
        Packing(["phrase"] * 32)


def test_a_phrase_that_is_not_known_is_not_passed_over() -> None:
    """A log that was told no phrases, or of a later version, is not misread."""
    packed = Packing([*PHRASES, "added"]).pack('{"move":"added"}')

    for packing in (PACKING, Packing([])):
        with pytest.raises(LogDamaged, match="does not know"):
            packing.unpack(packed)
