"""`seedlog engine`, `perft` and `solve`: the search by itself, whatever it is asked."""

import io
import json
import re
import signal
import subprocess
import sys
from typing import Any

import pytest

from rules_core import GAMES, start
from services.cli.engine import LONGEST_LINE, MOST_MOVES, answer, answer_lines
from tests.support.commands import seedlog
from tests.support.measure import cpu_s
from tests.support.patience import wait_for

MEMBERS = ["move", "value", "exact", "depth", "nodes", "pv", "time_ms"]
SOLVED = {"game": "kalah", "options": {"pits": 3, "seeds": 2}}


def ask(*lines: bytes) -> list[dict[str, Any]]:
    """Return the answers to lines, which need not be whole."""
    answers = list(answer_lines(io.BytesIO(b"".join(lines))))
    assert all("\n" not in text for text in answers)
    return [json.loads(text) for text in answers]


def asked(**question: Any) -> dict[str, Any]:
    return answer(json.dumps(question).encode())


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)
def test_every_game_is_answered_with_a_line_of_play(game: Any) -> None:
    told = asked(game=game.key, nodes=3000)
    assert list(told) == MEMBERS
    assert told["pv"][0] == told["move"]
    position = start(game.key)
    for move in told["pv"]:
        position = position.play(move)


def test_what_is_proven_is_exact() -> None:
    told = asked(**SOLVED, time_ms=10_000)
    assert told["exact"]
    assert told["value"] > 0
    assert told["value"] == int(told["value"])


def test_a_position_is_asked_in_either_way() -> None:
    text = "4,4,0,5,5,5/4,4,4,4,4,4 1,0 S"
    by_moves = asked(game="kalah", starter="south", moves=["C"], nodes=5000)
    by_text = asked(game="kalah", position=text, nodes=5000)
    for told in (by_moves, by_text):
        del told["time_ms"]
    assert by_moves == by_text


@pytest.mark.parametrize("level", [1, 4, 8])
def test_a_level_plays_some_legal_move(level: int) -> None:
    told = asked(game="oware", level=level, time_ms=200)
    assert list(told) == MEMBERS
    assert told["move"] in start("oware").legal_moves
    assert told["pv"][0] == told["move"]


def test_the_time_of_a_level_is_told() -> None:
    """Its own search, beside the short one that values its move."""
    told = asked(game="oware", moves=["A", "f", "B"], level=10, time_ms=200)
    assert told["time_ms"] >= 200


def test_one_position_to_look_at_is_enough() -> None:
    """A look at each move is taken in any case."""
    assert asked(game="reversi", nodes=1)["depth"] == 1


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"{", "no JSON"),
        (b'{"game": "kalah"', "no JSON"),
        (b"\xff\xfe", "no JSON"),
        (b"null", "a JSON object"),
        (b"[1]", "a JSON object"),
        (b"[" * 100_000, "no JSON"),
        (b"{}", "/game: is needed"),
        (b'{"game": "chess"}', "no game 'chess'"),
        (b'{"game": "kalah", "options": {"pits": 99}}', "pits: 99"),
        (b'{"game": "kalah", "options": 7}', "/options"),
        (b'{"game": "kalah", "position": "x"}', "not a position"),
        (b'{"game": "kalah", "position": "x", "starter": "south"}', "leave it out"),
        (b'{"game": "kalah", "starter": "west"}', "west"),
        (b'{"game": "kalah", "moves": ["C", "z"]}', "at ply 2"),
        (b'{"game": "kalah", "moves": "C"}', "/moves"),
        (b'{"game": "kalah", "time_ms": 0}', "/time_ms"),
        (b'{"game": "kalah", "time_ms": 1e999}', "no JSON"),
        (b'{"game": "kalah", "time_ms": 1e30}', "number from 1 to 3600000"),
        (b'{"game": "kalah", "nodes": true}', "/nodes"),
        (b'{"game": "kalah", "id": 18446744073709551616}', "/id: should be a text"),
        (b'{"game": "kalah", "id": null}', "/id: should"),
        (b'{"game": "kalah", "id": ' + b"[" * 990 + b"]" * 990 + b"}", "/id: should"),
        (b'{"game": "kalah", "level": 0}', "/level"),
        (b'{"game": "kalah", "threads": 65}', "/threads"),
        (b'{"game": "kalah", "colour": "red"}', "/colour: is not known here"),
    ],
)
def test_what_cannot_be_answered_is_said_and_the_next_line_is(
    line: bytes, error: str
) -> None:
    wrong, right = ask(line + b"\n", b'{"game": "kalah", "nodes": 50}\n')
    assert list(wrong) == ["error"]
    assert error in wrong["error"]
    assert list(right) == MEMBERS


@pytest.mark.parametrize("name", ["7", "-9223372036854775808", '"a\\nb"', '""'])
def test_what_a_question_is_called_its_answer_is_called(name: str) -> None:
    question = b'{"id": %s, "game": "%s", "nodes": 50}\n'
    named = {"id": json.loads(name)}
    right, wrong, none = ask(
        *(question % (name.encode(), game) for game in (b"kalah", b"chess")),
        b"{" + name.encode(),
    )
    assert {"id": right.pop("id")} == {"id": wrong.pop("id")} == named
    assert list(right) == MEMBERS
    assert list(wrong) == list(none) == ["error"]


def test_a_game_that_is_over_has_no_move() -> None:
    position = "0,0,0,0,0,1/0,0,0,0,0,1 29,17 S"
    told = asked(game="kalah", position=position, moves=["F"])
    assert told == {"error": "the game is over: there is no move to choose"}


def test_a_million_moves_are_refused_without_being_read() -> None:
    """As one line that is too long, or as too many moves; and the next line is read."""
    million = b'{"game": "kalah", "moves": [' + b'"A",' * 1_000_000 + b'"A"]}\n'
    assert len(million) > LONGEST_LINE
    many = b'{"game": "kalah", "moves": [' + b'"A",' * MOST_MOVES + b'"A"]}\n'
    longest, too_many, last = ask(million, many, b'{"game": "kalah", "nodes": 9}')
    assert "too long" in longest["error"]
    assert f"0 to {MOST_MOVES} items" in too_many["error"]
    assert list(last) == MEMBERS


def test_empty_lines_and_half_a_line_at_the_end() -> None:
    """Nothing is no question; half a line is one, and wrong."""
    [told] = ask(b"\n", b"  \n", b'{"game": "kal')
    assert "no JSON" in told["error"]
    assert ask(b"x" * (LONGEST_LINE + 1)) == [
        {"error": f"the line is too long: {LONGEST_LINE} bytes at the most"}
    ]


def test_what_goes_wrong_inside_is_said_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("services.cli.engine.play_all", fail)
    assert "fault of the engine" in asked(game="kalah")["error"]


def test_each_answer_comes_before_the_next_question() -> None:
    """Who asks waits for it: nothing may stay in a buffer."""
    engine = subprocess.Popen(
        [sys.executable, "-m", "services.cli", "engine"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert engine.stdin is not None
    assert engine.stdout is not None
    for question in ('{"game": "kalah", "nodes": 9}', "half a li"):
        engine.stdin.write(question + "\n")
        engine.stdin.flush()
        assert json.loads(engine.stdout.readline())
    rest, _ = engine.communicate()
    assert (rest, engine.returncode) == ("", 0)


IN_A_TERMINAL = """
import signal
from services.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)
main()
"""
"""What the background of a shell starts, these tests too, hears of no Ctrl-C."""


@pytest.mark.parametrize(
    "command",
    [
        ("engine",),
        ("perft", "reversi", "30"),
        ("solve", "kalah", "start", "--time", "600"),
    ],
)
def test_ctrl_c_ends_it_while_it_searches(command: tuple[str, ...]) -> None:
    """Compiled code is not asked for that: it would hear of it at its end."""
    searching = subprocess.Popen(
        [sys.executable, "-c", IN_A_TERMINAL, *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert searching.stdin is not None
    searching.stdin.write(b'{"game": "kalah", "time_ms": 600000}\n')
    searching.stdin.close()
    wait_for("a search", lambda: cpu_s(searching.pid) > 2, searching)

    searching.send_signal(signal.SIGINT)

    assert searching.wait(5) == -signal.SIGINT


LOADING_FOR_LONG = """
import signal, sys, time
from services.cli import main

class Slow:
    def find_spec(self, name, *_):
        if name == "services.cli.commands":
            print("begun", flush=True)
            time.sleep(60)

signal.signal(signal.SIGINT, signal.default_int_handler)  # as in a terminal
sys.meta_path.insert(0, Slow())
main()
"""


def test_ctrl_c_ends_it_without_a_word_while_it_is_being_loaded() -> None:
    """Python would tell where in the imports it has been."""
    loading = subprocess.Popen(
        [sys.executable, "-c", LOADING_FOR_LONG, "--help"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert loading.stdout is not None
    assert loading.stdout.readline() == "begun\n"

    loading.send_signal(signal.SIGINT)

    assert loading.communicate(timeout=20) == ("", "")
    assert loading.returncode == -signal.SIGINT


@pytest.mark.parametrize(
    ("ending", "says"),
    [
        ("<&-", "reads questions from its input"),
        (">&-", "writes to its output"),
        (">/dev/full", "cannot be written: No space left on device"),
    ],
)
def test_without_input_or_room_for_answers_it_says_so(ending: str, says: str) -> None:
    question = b'{"game": "kalah", "nodes": 9}\n'
    command = f'exec "{sys.executable}" -m services.cli engine {ending}'

    ran = subprocess.run(["sh", "-c", command], input=question, capture_output=True)

    assert ran.returncode == 1
    [told] = ran.stderr.decode().splitlines()
    assert says in told


def test_perft_counts_depth_by_depth() -> None:
    ran = seedlog("perft", "reversi", 6)
    told = [line.split()[1] for line in ran.output.splitlines()]
    counted = [int(number.replace(",", "")) for number in told]
    assert counted == [1, 4, 12, 56, 244, 1396, 8200]
    text = "4,4,0,5,5,5/4,4,4,4,4,4 1,0 S"
    assert "5" in seedlog("perft", "kalah", 1, "--position", text).output.split()
    refused = seedlog("perft", "chess", 1)
    assert (refused.exit_code, "no game 'chess'" in refused.output) == (1, True)


def test_solve_says_what_is_proven_and_what_is_not() -> None:
    small = ("--option", "pits=3", "--option", "seeds=2")
    solved = seedlog("solve", "kalah", "start", *small)
    assert solved.exit_code == 0
    assert re.search(r"^exactly \+\d+ for south: [A-Ca-c ]+$", solved.output, re.M)
    open_ = seedlog("solve", "kalah", "start", "--time", "0.05")
    assert open_.exit_code == 2
    assert "perhaps" in open_.output


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("kalah", "x"), "not a position"),
        (("chess", "start"), "no game"),
        (("kalah", "start", "--option", "pits=many"), 'pits: "many"'),
        (("kalah", "start", "--option", "colour=red"), "colour"),
        (("kalah", "start", "--time", "nan"), "--time is a number of seconds"),
    ],
)
def test_what_cannot_be_solved_is_said(given: tuple[str, ...], said: str) -> None:
    refused = seedlog("solve", *given)
    assert refused.exit_code == 1
    assert said in refused.output
