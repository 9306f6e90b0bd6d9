"""What is refused, and what the refusal says."""

import hashlib

import pytest

from rules_core import (
    IllegalMove,
    InvalidOptions,
    InvalidPosition,
    InvalidSnapshot,
    RulesError,
    UnknownGame,
    all_games,
    find_game,
    from_moves,
    parse,
    restore,
    start,
)

START = "4,4,4,4,4,4/4,4,4,4,4,4 0,0 S"


def test_an_unknown_game_names_the_games_there_are() -> None:
    """So that a caller can offer them."""
    with pytest.raises(UnknownGame, match="kalah, oware") as refused:
        find_game("chess")
    assert refused.value.key == "chess"
    assert refused.value.known == tuple(game.key for game in all_games())


def test_an_unknown_version_names_the_versions_there_are() -> None:
    """A match keeps the version it was begun by."""
    assert find_game("kalah", "kalah/1") is find_game("kalah")
    with pytest.raises(UnknownGame) as refused:
        start("kalah", rules="kalah/99")
    assert refused.value.known == ("kalah/1",)


@pytest.mark.parametrize(
    ("options", "name", "says"),
    [
        ({"pits": 9}, "pits", "an integer from 1 to 8"),
        ({"pits": 0}, "pits", "an integer from 1 to 8"),
        ({"seeds": "4"}, "seeds", "an integer from 1 to 8"),
        ({"seeds": True}, "seeds", "an integer from 1 to 8"),
        ({"seeds": None}, "seeds", "an integer from 1 to 8"),
        ({"empty_capture": 1}, "empty_capture", "true or false"),
        ({"stones": 4}, "stones", "pits, seeds, empty_capture, pie"),
    ],
)
def test_invalid_options_say_what_is_allowed(
    options: dict[str, object], name: str, says: str
) -> None:
    """A bool is no int, and there are no options but those of the game."""
    with pytest.raises(InvalidOptions, match=says) as refused:
        start("kalah", options)
    assert refused.value.name == name
    assert str(refused.value.allowed) == says
    assert refused.value.given is options[name]


def test_a_game_without_options_says_so() -> None:
    """There is nothing to choose in Reversi."""
    with pytest.raises(InvalidOptions, match="no options"):
        start("reversi", {"size": 10})


def test_white_cannot_begin() -> None:
    """Black always does."""
    with pytest.raises(InvalidOptions, match="black") as refused:
        start("reversi", starter="white")
    assert refused.value.name == "starter"


def test_options_are_completed_in_their_order() -> None:
    """What is not given is the default."""
    completed = find_game("kalah").complete_options({"seeds": 6})
    assert list(completed.items()) == [
        ("pits", 6),
        ("seeds", 6),
        ("empty_capture", False),
        ("pie", False),
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "expected"),
        (START.lower(), "expected"),
        (START + " ", "expected"),
        (START.replace("/", "|"), "expected"),
        (START.replace("4,", "04,", 1), "'04' is not a number"),
        (START.replace("4,", "+4,", 1), "is not a number"),
        (START.replace("4,", "٤,", 1), "is not a number"),
        (START.replace("4,", "x,", 1), "is not a number"),
        (START.replace("4,", "", 1), "south has 6 pits, not 5"),
        (START.replace("/", "/4,"), "north has 6 pits, not 7"),
        (START.replace("4,", "5,", 1), "48 seeds, not 49"),
        (START.replace("S", "-"), "finished"),
        (START + " round=1", "expected"),
    ],
)
def test_g6_reading_a_position_is_strict(text: str, says: str) -> None:
    """The canonical form, and the right number of seeds."""
    with pytest.raises(InvalidPosition, match=says) as refused:
        parse("kalah", text)
    assert refused.value.text == text


def test_g6_reading_a_reversi_position_is_strict() -> None:
    """64 squares and a disc."""
    text = str(start("reversi"))
    for wrong in (text[1:], text.lower(), text[:-1], text + "X", text[:-1] + "-"):
        with pytest.raises(InvalidPosition):
            parse("reversi", wrong)


def test_an_illegal_move_offers_the_legal_ones() -> None:
    """Another seat's house, an empty one and nonsense are all the same."""
    after = start("kalah").play("C")
    for move in ("a", "C", "c4", "", "AB"):
        with pytest.raises(IllegalMove, match="legal: A, B, D, E, F") as refused:
            after.play(move)
        assert refused.value.move == move
        assert refused.value.legal == ("A", "B", "D", "E", "F")
        assert refused.value.ply is None


def test_no_move_is_legal_when_the_game_is_over() -> None:
    """G10: a finished match accepts no move."""
    over = parse("kalah", "0,0,0,0,0,1/0,0,0,0,0,1 23,23 S").play("F")
    with pytest.raises(IllegalMove, match="over") as refused:
        over.play("F")
    assert refused.value.legal == ()


def test_a_replay_names_the_ply_of_the_illegal_move() -> None:
    """Plies count from 1."""
    with pytest.raises(IllegalMove, match="at ply 3") as refused:
        from_moves("kalah", None, "south", ["C", "F", "C"])
    assert refused.value.ply == 3
    assert refused.value.legal == ("a", "b", "c", "d", "e", "f")


@pytest.mark.parametrize(
    ("game", "snapshot"),
    [
        ("kalah", ""),
        ("kalah", START),
        ("kalah", f"p0|{START}|"),
        ("kalah", f"p1|{START}"),
        ("kalah", f"p1|{START}|seen=444"),
        ("kalah", f"p1|{START}|end=seeds/south"),
        ("kalah", f"p1|{START.replace('S', '-')}|"),
        ("kalah", f"p1|{START.replace('S', '-')}|end=boredom/south"),
        ("kalah", f"p1|{START.replace('S', '-')}|end=seeds/black"),
        ("oware", f"p1|{START}|seen=4444444444440"),
        ("oware", f"p1|{START}|seen=4444444444440,44"),
        ("oware", f"p1|{START}|seen=0555544444441,0555544444441"),
        ("oware", f"p1|{START}|" + "seen=" + ",".join(["4444444444440"] * 3)),
        ("reversi", f"p1|{start('reversi')}|"),
        ("reversi", f"p1|{start('reversi')}|hands=30/31"),
        ("reversi", f"p1|{start('reversi')}|hands=030/30"),
    ],
)
def test_an_invalid_snapshot_is_refused(game: str, snapshot: str) -> None:
    """It must be exactly what `snapshot` would say."""
    with pytest.raises(InvalidSnapshot) as refused:
        restore(game, None, snapshot)
    assert refused.value.text == snapshot


def test_all_refusals_are_rules_errors() -> None:
    """One class to catch."""
    for refusal in (IllegalMove, InvalidOptions, InvalidPosition, InvalidSnapshot):
        assert issubclass(refusal, RulesError)
    assert issubclass(UnknownGame, RulesError)


def test_the_digest_is_the_one_that_is_documented() -> None:
    """Computed by hand from the description; it must never change."""

    def twelve(text: str) -> str:
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    assert start("kalah").digest == twelve(f"{START}|")
    reversi = start("reversi")
    assert reversi.digest == twelve(f"{reversi}|hands=30/30")
    oware = start("oware").play("F")
    seen = "4444405555441,4444444444440"
    assert oware.digest == twelve(f"4,4,4,4,4,0/5,5,5,5,4,4 0,0 N|seen={seen}")
