"""The canonical text and the chain are a contract with every other language."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.eventlog import NewEvent, canonical_text, chain, genesis, with_versions
from services.eventlog.phrases import PHRASES, pack, unpack


def test_the_canonical_text_is_written_down() -> None:
    [event] = with_versions(
        [NewEvent("match.move_played", "seat", {"seat": "south", "move": "C"})],
        4,
        1_763_719_200_007,
    )

    assert event.text == (
        '{"at":"2025-11-21T10:00:00.007Z","by":"seat",'
        '"data":{"move":"C","seat":"south"},"type":"match.move_played","version":5}'
    )


def test_the_chain_begins_at_the_name_of_the_stream() -> None:
    assert genesis("mat_x") == hashlib.sha256(b"seedlog/1 mat_x").hexdigest()
    assert chain("00", "{}") == hashlib.sha256(b"00{}").hexdigest()


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.text(),
        lambda inner: (
            st.lists(inner)
            | st.dictionaries(st.text(st.characters(codec="ascii")), inner)
        ),
    )
)
def test_the_canonical_text_is_the_shortest_sorted_json(value: object) -> None:
    plain = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert canonical_text(value) == plain


def test_a_fraction_is_refused() -> None:
    with pytest.raises(TypeError, match="whole numbers"):
        canonical_text({"score": [0.5]})


@given(
    st.lists(
        st.sampled_from(PHRASES)
        | st.text(st.characters(exclude_categories=["Cc", "Cs"]))
    )
)
def test_what_is_packed_is_unpacked_to_the_letter(parts: list[str]) -> None:
    text = "".join(parts)

    assert unpack(pack(text)) == text
    assert len(pack(text)) <= len(text)


def test_the_phrases_are_part_of_the_layout_for_ever() -> None:
    """One may be added at the end; a changed one would change every old event."""
    known = hashlib.sha256("\n".join(PHRASES[:29]).encode()).hexdigest()

    assert known[:16] == "ff9fbc8994a082eb"
    assert len(PHRASES) < 32
