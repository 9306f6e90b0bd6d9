"""Messages: templates with facts, told in any language."""

import pytest

from services.languages import (
    LANGUAGES,
    Counted,
    Message,
    Seat,
    all_of,
    any_of,
    each_of,
    find_language,
)
from services.match.refusals import AlreadyBegun, MatchOver, NoSuchSeat, NotYourTurn


def test_a_message_reads_english_by_itself() -> None:
    said = Message("{wanted}; known: {known}", wanted="a game", known=("a", "b"))

    assert str(said) == f"{said}" == "a game; known: a, b"
    assert str(NoSuchSeat("east", ("south", "north"))) == (
        "there is no seat 'east'; seats: south, north"
    )


@pytest.mark.parametrize(
    ("accepted", "told"),
    [
        ("hi-IN, en;q=0.5", "'east' कोई सीट नहीं; सीटें: south, north"),
        ("pa-Guru", "'east' ਕੋਈ ਸੀਟ ਨਹੀਂ; ਸੀਟਾਂ: south, north"),
        ("tr;q=0.9, en;q=0.8", "'east' diye bir taraf yok; taraflar: south, north"),
        ("de, ja;q=0.1", "'east'という席はありません。席：south、north"),
        ("de", "there is no seat 'east'; seats: south, north"),
        ("en;q=0, *", "'east' ਕੋਈ ਸੀਟ ਨਹੀਂ; ਸੀਟਾਂ: south, north"),
        (None, "there is no seat 'east'; seats: south, north"),
    ],
)
def test_a_message_is_told_in_the_language_liked_best(
    accepted: str | None, told: str
) -> None:
    refusal = NoSuchSeat("east", ("south", "north"))

    assert find_language(accepted).tell(refusal.message) == told


def test_a_fact_may_be_a_message_of_its_own() -> None:
    told = find_language("tr").tell(MatchOver("resignation").message)

    assert told.startswith("maç bitti (bir oyuncu oyunu bıraktı);")


def test_a_number_chooses_its_form() -> None:
    """Turkish and Japanese need one form, where the others have two."""
    one, many = AlreadyBegun(1).message, AlreadyBegun(3).message
    told = {
        language: (
            find_language(language).tell(one),
            find_language(language).tell(many),
        )
        for language in LANGUAGES
    }

    assert told["en"][0].startswith("1 move was played;")
    assert told["en"][1].startswith("3 moves were played;")
    assert told["hi"][0].startswith("1 चाल चली जा चुकी है")
    assert told["hi"][1].startswith("3 चालें चली जा चुकी हैं")
    assert told["pa"][1].startswith("3 ਚਾਲਾਂ")
    assert told["tr"][1] == told["tr"][0].replace("1", "3")
    assert told["ja"][1] == told["ja"][0].replace("1", "3")


def test_things_are_joined_as_a_language_joins_them() -> None:
    joined = (any_of("a", "b"), all_of("a", "b"), each_of("a", "b"))

    assert list(map(str, joined)) == ["a or b", "a and b", "a; b"]
    assert list(map(find_language("ja").tell, joined)) == ["a、またはb", "aとb", "a。b"]


def test_what_a_client_has_sent_is_no_template() -> None:
    given = "{seat} {0} {seat.__class__} %s"

    assert given in str(NoSuchSeat(given, ("south",)))
    assert given in find_language("ja").tell(NoSuchSeat(given, ("south",)).message)


def test_a_text_that_has_no_translation_is_told_in_english() -> None:
    said = Counted("{count} wink", "{count} winks", count=2)

    assert find_language("ja").tell(said) == "2 winks"
    assert find_language("hi").tell(Message("of a package of its own")) == (
        "of a package of its own"
    )


def test_a_seat_is_told_by_its_name_where_that_is_another() -> None:
    """English keeps the key that requests name; seats of plugins have nothing else."""
    refusal = NotYourTurn("white", "black").message
    told = {language: find_language(language).tell(refusal) for language in LANGUAGES}

    assert told == {
        "en": "black is to move, not white",
        "pa": "ਵਾਰੀ ‘ਕਾਲਾ’ ਦੀ ਹੈ, ‘ਚਿੱਟਾ’ ਦੀ ਨਹੀਂ",
        "hi": "बारी ‘काला’ की है, ‘सफ़ेद’ की नहीं",
        "tr": "sıra Siyah tarafında, Beyaz tarafında değil",
        "ja": "手番は黒で、白ではありません",
    }
    assert find_language("tr").tell(Seat("east")) == "east"
