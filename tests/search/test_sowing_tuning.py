"""Learning of games of seeds: what was put into positions is found in them."""

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from rules_core import GAMES, Game, Position, catalog, find_game, parse
from rules_core.compiled import find_compiled
from rules_core.search.root import final_margin
from rules_core.tuning.learned import NotLearned, read_learned
from rules_core.tuning.least_squares import fit, telling
from rules_core.tuning.sowing_games import FEWEST_RANDOM, SowingPlayer
from rules_core.tuning.traits import Traits
from tests.support.commands import seedlog
from tests.support.playing import dice, play_on
from tests.support.require import skip_without

SOWN = [game for game in GAMES if game.key != "reversi"]


def player(key: str) -> SowingPlayer:
    """Return what plays the games, or skip: plain Python takes minutes."""
    game = find_game(key)
    if find_compiled(game) is None:
        skip_without("compiled", f"{key} is not compiled")
    return SowingPlayer(game, find_compiled(game))


@pytest.mark.parametrize("game", SOWN, ids=lambda game: game.key)
def test_plain_and_compiled_show_the_same_traits(game: Game) -> None:
    """Also of what the other could do, who is not to move."""
    playing = player(game.key)
    plain, fast = Traits(SowingPlayer(game, None)), Traits(playing)
    for position in list(play_on(playing.first, dice(1), 16))[::3]:
        if position.to_move is not None:
            told = fast.of(position.flat)
            assert told == plain.of(position.flat)
            assert len(told) == len(fast.names)


def test_traits_are_what_is_seen_on_the_board() -> None:
    """A is A of who is to move, less a; what is not named is 0."""
    traits = Traits(player("kalah"))
    position = parse("kalah", "0,0,4,0,0,1/1,0,0,5,13,0 10,14 S")
    told = dict(zip(traits.names, traits.of(position.flat), strict=True))
    assert {name: number for name, number in told.items() if number} == {
        "to move": 1,
        "seeds in A": -1,
        "seeds in C": 4,
        "seeds in D": -5,
        "seeds in E": -13,
        "seeds in F": 1,
        "A empty": 1,
        "C empty": -1,
        "D empty": 1,
        "E empty": 1,
        "F empty": -1,
        "pits of a whole round": -1,
        "moves": -1,
        "moves that move again": 2,
        "seeds to be had at once": 1,
        "seeds in danger": 3,
    }


def test_north_sees_what_south_sees_from_there() -> None:
    traits = Traits(player("oware"))
    south = parse("oware", "1,0,3,0,5,12/1,2,0,4,0,6 6,8 S")
    north = parse("oware", "1,2,0,4,0,6/1,0,3,0,5,12 8,6 N")
    assert traits.of(south.flat) == traits.of(north.flat)


def test_a_pit_counts_for_who_owns_it() -> None:
    """In Oware Nam Nam, where hollows change hands."""
    traits = Traits(player("oware-nam-nam"))
    text = "4,4,4,4,4,4/4,4,4,4,4,4 0,0 S owners=SSSSSS/NNNSSN round=3 starter=S"
    told = dict(
        zip(traits.names, traits.of(parse("oware-nam-nam", text).flat), strict=True)
    )
    assert (told["pits"], told["seeds in D"], told["seeds in F"]) == (4, 8, 0)


def test_weights_are_found_again_and_are_as_sure_as_they_say() -> None:
    """Also where the end of a game, which all its positions share, is mostly chance."""
    chance = np.random.default_rng(1)
    games = np.repeat(np.arange(400), 25)
    traits = chance.integers(-5, 6, (len(games), 4)).astype(float)
    true = np.array([0.8, -0.3, 0.0, 2.5])
    luck = chance.normal(0, 9, 400)[games]
    weights, errors = fit(traits, traits @ true + luck, games)
    assert (np.abs(weights - true) < 4 * errors).all()
    assert errors.max() < 0.1


def test_errors_grow_where_a_game_repeats_itself() -> None:
    """A hundred positions that are one tell no more than it does."""
    chance = np.random.default_rng(2)
    trait, luck = chance.normal(0, 1, (200, 1)), chance.normal(0, 1, 200)
    once = fit(trait, luck, np.arange(200))[1][0]
    often = np.repeat(np.arange(200), 100)
    assert fit(trait[often], luck[often], often)[1][0] == pytest.approx(once, rel=0.05)


def test_what_tells_nothing_new_is_left_out() -> None:
    """A second constant, and the sum of two others."""
    chance = np.random.default_rng(3)
    one, two = chance.normal(0, 1, (2, 500))
    ones, nothing = np.ones(500), np.zeros(500)
    columns = np.stack([ones, one, nothing, 3 * ones, two, one - 2 * two + 1], axis=1)
    assert telling(columns) == [0, 1, 4]


@pytest.mark.parametrize("key", ["kalah", "bao-kujifunza"])
def test_the_same_seed_plays_the_same_games_to_their_end(key: str) -> None:
    playing = player(key)
    lines = list(playing.lines(5, 3))
    assert lines == list(playing.lines(5, 3))
    assert len(set(lines)) == len(lines) >= 2
    for random_moves, boards, margin in playing.read(lines):
        assert FEWEST_RANDOM <= random_moves < len(boards)
        assert boards[-1][playing.game.engine.over]
        end = Position(playing.first.variant, boards[-1], (), None)
        assert margin == final_margin(end)


def tuned(folder: Path, *given: str, key: str = "kalah") -> str:
    """Run the command in a folder, and return what it says."""
    log, out = folder / "games.txt", folder / "traits.json"
    command = ["tune", key, "--log", str(log), "--out", str(out), *given]
    ran = seedlog(*command)
    return ran.output if ran.exit_code == 0 else f"failed: {ran.output}"


def test_the_command_plays_learns_and_does_not_play_again(tmp_path: Path) -> None:
    """It tells what it has written, and how far off that is on games kept back."""
    player("kalah")
    said = tuned(tmp_path, "--games", "30")
    first = read_learned(tmp_path / "traits.json")
    tuned(tmp_path, "--games", "5")
    again = read_learned(tmp_path / "traits.json")

    assert first.command == "seedlog tune kalah --games 30 --seed 1"
    assert again == replace(first, command="seedlog tune kalah --log games.txt")
    assert first.games == len((tmp_path / "games.txt").read_text().splitlines())
    for name, weight in first.traits.items():
        assert f"{weight} +- {first.errors[name]}" in said, name
    assert {"to move", "seeds in A", "seeds in danger"} < set(first.traits)
    assert not {"pits", "moves"} & set(first.traits), "constant, and told by others"
    by = {"score", "evaluation", "traits of pits", "all traits"}
    assert set(first.off_by) == by
    assert not (tmp_path / "games.part").exists()


def test_what_cannot_be_learned_of_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player("kalah")
    squares = replace(find_game("reversi"), key="othello")
    monkeypatch.setattr(catalog, "GAMES", (*GAMES, squares))
    assert "has no rows of pits" in tuned(tmp_path, key="othello")
    assert "no game" in tuned(tmp_path, key="ludo")
    assert not (tmp_path / "games.txt").exists()
    assert "too few" in tuned(tmp_path, "--games", "1")
    assert "games.txt: line 1 is no game of oware/1" in tuned(tmp_path, key="oware")


def test_files_that_cannot_be_written_are_named(tmp_path: Path) -> None:
    player("kalah")
    nowhere = tmp_path / "nowhere"
    assert f"{nowhere / 'games.txt'} cannot be written" in tuned(nowhere)
    out = ["--games", "9", "--out", str(nowhere / "traits.json")]
    assert "traits.json cannot be written" in tuned(tmp_path, *out)
    out[-1] = str(tmp_path / "by" / ".." / "games.txt")
    (tmp_path / "by").mkdir()
    assert "write the weights elsewhere" in tuned(tmp_path, *out)
    assert "/dev/full cannot be written" in tuned(tmp_path, "--out", "/dev/full")
    assert not (tmp_path / "games.txt").exists()


def test_games_that_are_there_are_read_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    player("kalah")
    tuned(tmp_path, "--games", "30")
    (tmp_path / "by").mkdir()
    monkeypatch.setattr(
        "os.access", lambda path, mode: mode == os.R_OK or Path(path).name == "by"
    )
    said = tuned(tmp_path, "--out", str(tmp_path / "by" / "traits.json"))
    assert "learned from" in said, said


def test_a_file_that_says_something_else_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "traits.json"
    for text in ('{"format": 2}', '{"format": 1}', "[]", "none"):
        path.write_text(text)
        with pytest.raises(NotLearned, match=r"traits\.json"):
            read_learned(path)
