"""The canonical text and the chain are a contract with every other language."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.eventlog import NewEvent, canonical_text, chain, genesis, with_versions


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
