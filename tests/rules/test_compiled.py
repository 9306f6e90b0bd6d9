"""The compiled games play by the same rules, to the last seed."""

import array
import ast
import dataclasses
import random
import types
from itertools import pairwise
from types import ModuleType
from typing import Any

import pytest

from rules_core import (
    GAMES,
    Game,
    IllegalMove,
    Position,
    Recorded,
    find_game,
    play_all,
    play_recorded,
    replay,
    start,
)
from rules_core.boards.face import MOVERS
from rules_core.compiled import find_compiled, fingerprint
from rules_core.perft import perft
from rules_core.search import INFINITE, PlainSearcher
from rules_core.translation.c import build
from rules_core.translation.c.build import source_of
from rules_core.translation.c.tables import header_of
from rules_core.translation.c.translate import Translator, translate
from rules_core.translation.subset import OutsideSubset, Rule
from tests.rules.strange_boards import unreachable
from tests.support.playing import dice
from tests.support.require import skip_without

EACH_GAME = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)

OPTIONS = {
    "kalah": [{}, {"pits": 4, "seeds": 3, "empty_capture": True}, {"pie": True}],
    "congkak": [
        {},
        {"rounds": "match"},
        {"pits": 5, "seeds": 3, "rounds": "match"},
        {"pits": 5, "seeds": 3, "rounds": "match", "pie": True},
    ],
    "oware-nam-nam": [{"max_rounds": 2}, {}],
}


def compiled_of(game: Game) -> Any:
    """Return the extension of a game, or skip."""
    compiled = find_compiled(game)
    if compiled is None:
        skip_without("compiled", "python -m rules_core.translation.c.build")
    return compiled


def random_moves(first: Position, chance: random.Random, plies: int) -> list[str]:
    """Return the moves of a random game."""
    moves, position = [], first
    while position.legal_moves and len(moves) < plies:
        moves.append(chance.choice(position.legal_moves))
        position = position.play(moves[-1])
    return moves


def in_plain_python(play: Any) -> Any:
    """Return a bulk replay that finds nothing compiled."""

    def play_plainly(*given) -> Any:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(replay, "find_compiled", lambda _: None)
            return play(*given)

    return play_plainly


BOTH = pytest.mark.parametrize(
    "play", [play_recorded, in_plain_python(play_recorded)], ids=["compiled", "plain"]
)


@EACH_GAME
def test_replay_leads_to_the_same_position(game: Game) -> None:
    """Whole games, with everything a snapshot tells."""
    compiled_of(game)
    for options in OPTIONS.get(game.key, [{}]):
        for seed in range(12):
            first = start(game.key, options, game.starters[seed % len(game.starters)])
            moves = random_moves(first, dice(seed), 400)
            for length in (0, len(moves) // 2, len(moves)):
                plain = in_plain_python(play_all)(first, moves[:length])
                fast = play_all(first, moves[:length])
                assert fast.snapshot == plain.snapshot
                assert fast.digest == plain.digest
                assert fast.legal_moves == plain.legal_moves
                assert (fast.mover, fast.passes, fast.given) == (
                    plain.mover,
                    plain.passes,
                    plain.given,
                )


@EACH_GAME
def test_replay_refuses_the_same_move(game: Game) -> None:
    """With the ply and what would have been legal."""
    compiled_of(game)
    first = start(game.key)
    moves = [*random_moves(first, dice(4), 6), "nonsense", "A"]
    refusals = []
    for play in (play_all, in_plain_python(play_all)):
        with pytest.raises(IllegalMove) as refused:
            play(first, moves)
        refusals.append((refused.value.ply, refused.value.legal, refused.value.move))
    assert refusals[0] == refusals[1]


def recorded(
    first: Position, moves: list[str]
) -> tuple[list[Recorded], list[Position]]:
    """Return moves as they are on record, and the positions before and after each."""
    positions = [first]
    for move in moves:
        positions.append(positions[-1].play(move))
    pairs = zip(moves, pairwise(positions), strict=True)
    return [(after.digest, move, before.to_move) for move, (before, after) in pairs], (
        positions
    )


@EACH_GAME
@BOTH
def test_what_is_on_record_is_played_up_to_a_move_that_causes_more(
    game: Game, play: Any
) -> None:
    """A pass, a disc given, the end: from there on, move by move."""
    compiled_of(game)
    for options in OPTIONS.get(game.key, [{}]):
        for seed in range(6):
            first = start(game.key, options)
            moves, positions = recorded(first, random_moves(first, dice(seed), 300))
            at = 0
            while at < len(moves):
                last, count = play(positions[at], moves[at:])
                assert last == positions[at + count]
                assert (last.mover, last.seen) == (
                    positions[at + count].mover,
                    positions[at + count].seen,
                )
                more = positions[at + count + 1 : at + count + 2]
                assert all(p.passes or p.given or p.outcome for p in more)
                at += count + 1


@EACH_GAME
@BOTH
@pytest.mark.parametrize("member", ["digest", "move", "seat"])
def test_what_is_wrong_on_record_is_not_played(
    game: Game, play: Any, member: str
) -> None:
    """And the board is that before it."""
    compiled_of(game)
    first = start(game.key)
    moves, positions = recorded(first, random_moves(first, dice(1), 12))
    _, right = play_recorded(first, moves)
    for place in range(right):
        wrong = dict(zip(("digest", "move", "seat"), moves[place], strict=True))
        wrong[member] = {"seat": "nobody"}.get(member, f"{wrong[member][:-1]}?")
        said = [*moves[:place], tuple(wrong.values()), *moves[place + 1 :]]
        assert play(first, said) == (positions[place], place)


@EACH_GAME
def test_boards_that_no_play_leads_to_are_played_the_same(game: Game) -> None:
    """Legal moves, what they do, and the lead."""
    compiled, chance = compiled_of(game), dice(7)
    engine, size = game.engine, game.engine.size
    for options in OPTIONS.get(game.key, [{}]):
        variant = game.variant(options)
        for _ in range(60):
            board = unreachable(variant, chance)
            out = [0] * engine.max_moves
            legal = out[: engine.legal(board.copy(), out)]
            assert compiled.legal_moves(board) == legal
            for move in legal:
                after = board.copy()
                engine.apply(after, move, None)
                line = compiled.Line(board, ())
                assert line.play([move]) == 1
                assert line.board[:size] == after[:size]
                assert compiled.lead(after) == engine.score(after)


@EACH_GAME
def test_a_position_is_written_the_same(game: Game) -> None:
    """Also a store of three digits, and pits that are empty."""
    compiled, chance = compiled_of(game), dice("written")
    for options in OPTIONS.get(game.key, [{}]):
        position = start(game.key, options)
        counted = position.variant.face.counted_text
        while counted is not None and position.legal_moves:
            board = position.flat
            for cell in counted.order[:-1]:
                board[cell] = chance.choice([0, 9, 10, 99, 100, 255])
            for cells in (position.flat, board):
                line = compiled.Line(cells, ())
                text = line.write(counted.template, counted.order, MOVERS)
                assert text == position.variant.face.format(cells, over=False)
            position = position.play(chance.choice(position.legal_moves))


def test_only_a_template_of_a_position_is_written() -> None:
    """The compiled writer never reads or writes beyond what it was given."""
    compiled = compiled_of(find_game("kalah"))
    board = start("kalah").flat
    write = compiled.Line(board, ()).write
    assert write("%d:%c", (6, 0), "abcde") == "0:e"
    for template in ("x" * 2000, "\N{SNOWMAN}"):
        with pytest.raises(ValueError, match="no template"):
            write(template, (0, 1), "SN")
    with pytest.raises(ValueError, match="below zero"):
        compiled.Line([-1, *board[1:]], ()).write("%d", (0,), "SN")
    for template, order in (
        ("%d,%d", (0,)),
        ("%d", (99,)),
        ("%d", (-1,)),
        ("%c", (0,)),
    ):
        with pytest.raises(IndexError):
            write(template, order, "SN")


@EACH_GAME
def test_a_line_plays_legal_moves_alone(game: Game) -> None:
    """And stays where it is at the first other one, but for what was tried there."""
    compiled, size = compiled_of(game), game.engine.size
    position, chance = start(game.key), dice("step")
    for _ in range(60):
        legal = compiled.legal_moves(position.flat)
        for move in range(-1, len(position.variant.move_names) + 1):
            line = compiled.Line(position.flat, position.seen)
            assert line.play([move]) == (move in legal)
            if move not in legal:
                assert line.board[:size] == position.flat[:size]
                assert line.seen == position.seen
        if not position.legal_moves:
            break
        position = position.play(chance.choice(position.legal_moves))


@EACH_GAME
def test_perft_and_search_are_the_same(game: Game) -> None:
    """Without time and table to make a difference: one ply more than in the table."""
    compiled, chance = compiled_of(game), dice(5)
    first = start(game.key)
    assert [compiled.perft(first.flat, depth) for depth in (1, 2, 3)] == [
        perft(first, depth) for depth in (1, 2, 3)
    ]
    for length in (0, 6, 12):
        position = play_all(first, random_moves(first, chance, length))
        for depth in (0, 1, 2):
            values = [
                searcher.value(position.flat, depth, -INFINITE, INFINITE)
                for searcher in (
                    PlainSearcher(game, 10**6, 60),
                    compiled.Searcher(10**6, 60),
                )
            ]
            assert values[0] == values[1]


def test_an_extension_of_other_sources_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It would play by rules that are no longer written."""
    game = GAMES[0]
    compiled = compiled_of(game)
    assert fingerprint(game) == compiled.FINGERPRINT
    find_compiled.cache_clear()
    monkeypatch.setattr(compiled, "FINGERPRINT", "0")
    assert find_compiled(game) is None
    find_compiled.cache_clear()


@EACH_GAME
def test_every_game_stays_in_the_subset(game: Game) -> None:
    """Also where there is no compiler to ask."""
    text, _ = source_of(game)
    number = "u64" if game.engine.words else "i64"
    assert f"cdef void apply(cell *board, {number} " in text
    assert "steps" not in text


@pytest.mark.parametrize("name", ["perft", "Line", "mark_of", "count_lines"])
def test_a_rule_is_not_called_like_a_function_around_the_rules(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be a puzzle for whoever writes the game, if the compiler told them."""
    kalah = find_game("kalah")
    own = build.rules_of

    def renamed(module: ModuleType, words: bool) -> dict[str, Rule]:
        rules = own(module, words)
        if module.__name__ == kalah.module:
            rules["score"].tree.name = name
        return rules

    monkeypatch.setattr(build, "rules_of", renamed)

    with pytest.raises(OutsideSubset, match=rf"kalah.py:\d+: .* called {name}"):
        source_of(kalah)


def rule_of(source: str) -> Rule:
    """Return a rule written in a test."""
    tree = ast.parse(source).body[0]
    module = types.ModuleType("game")
    module.SIZE = 20
    return Rule(tree, module, "games/chess.py", words=False)


@pytest.mark.parametrize(
    ("body", "line", "says"),
    [
        ("    return board[0] / 2", 2, "Div is not allowed"),
        ("    found = [1]\n    return found", 2, "List is not allowed"),
        ("    board[1:2] = board", 2, "Slice is not allowed"),
        ("    a = 1\n    try:\n        a = 2\n    finally:\n        a = 3", 3, "Try"),
        ("    for cell in board:\n        return cell", 2, "loops run over a range"),
        ("    return len(board)", 2, "len is not a rule"),
        ("    return OTHER", 2, "OTHER is not a number"),
        ("    return board[0] if 'a' else 1", 2, "'a' is not a number"),
        ("    return max(*board)", 2, "max is not a rule"),
        ("    if steps is not None and board[0]:\n        return 1", 2, "stands alone"),
        ("    return board.copy()", 2, "board.copy cannot be called here"),
        ("    board[0] //= 2", 2, "write a division out"),
        ("    return sum(x for x in board)", 2, "sum is not a rule"),
    ],
)
def test_what_is_outside_the_subset_is_refused_with_file_and_line(
    body: str, line: int, says: str
) -> None:
    """So that an editor can go there."""
    rule = rule_of(f"def f(board: Board, steps: Steps) -> int:\n{body}")
    with pytest.raises(OutsideSubset, match=says) as refused:
        Translator(rule, {}.get).function()
    assert str(refused.value).startswith(f"games/chess.py:{line}: ")


def test_a_rule_is_translated_without_what_is_for_who_watches() -> None:
    """Constants become numbers, divisions Python's."""
    rule = rule_of(
        "def f(board: Board, pit: int, steps: Steps) -> bool:\n"
        "    '''Do something.'''\n"
        "    seeds = board[pit] % SIZE\n"
        "    if steps is not None:\n"
        "        steps.append(seeds)\n"
        "    return seeds > 2"
    )
    text, called = Translator(rule, {}.get).function()
    assert text.splitlines() == [
        "cdef i64 f(cell *board, i64 pit) noexcept nogil:",
        "    cdef i64 seeds",
        "    seeds = floor_mod(board[pit], 20)",
        "    return seeds > 2",
    ]
    assert called == []


@pytest.mark.parametrize(
    ("body", "line", "says"),
    [
        ("    return board[-1]", 2, "there is no cell -1 of a Board: .* from 0 to 19"),
        ("    board[1 - 3] = 1", 2, "there is no cell -2"),
        ("    board[SIZE] += 1", 2, "there is no cell 20"),
        ("    out[-1] = 1", 2, "there is no cell -1 of a Moves"),
        ("    if board[0]:\n        board[-SIZE] = 1", 3, "there is no cell -20"),
        ("    return board[0][1]", 2, "has no cells"),
        ("    seeds = board", 2, "board is not a number"),
        ("    return lone(out)", 2, "out is not a Board"),
    ],
)
def test_an_index_that_is_no_cell_is_refused(body: str, line: int, says: str) -> None:
    """In Python it counts from the end, in C it is the memory of something else."""
    lone = rule_of("def lone(board: Board) -> int:\n    return board[0]")
    rule = rule_of(f"def f(board: Board, out: Moves) -> int:\n{body}")
    with pytest.raises(OutsideSubset, match=says) as refused:
        Translator(rule, {"lone": lone}.get).function()
    assert str(refused.value).startswith(f"games/chess.py:{line}: ")


def table_rule(body: str) -> Rule:
    """Return a rule of a module that has tables."""
    rule = rule_of(f"def f(board: Board) -> Signed:\n{body}")
    rule.module.SMALL = (3, 1, 4)
    rule.module.DEEP = (-40_000, 7)
    rule.module.WIDE = (1 << 63,)
    rule.module.MIXED = (1, "2")
    return dataclasses.replace(rule, words=True)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("    return SMALL[3]", "there is no number 3 in SMALL: it has 3"),
        ("    return SMALL[-1]", "there is no number -1 in SMALL"),
        ("    SMALL[0] = 1\n    return 0", "SMALL never changes"),
        ("    SMALL[board[0]] += 1\n    return 0", "SMALL never changes"),
        ("    return MIXED[0]", "MIXED has no cells"),
        ("    return SMALL", "SMALL is not a number"),
        ("    return board[0] + DEEP[0]", "a word meets a number"),
        ("    return WIDE[0]", "the result of f is a signed number"),
    ],
)
def test_a_table_is_looked_into_and_never_changed(body: str, says: str) -> None:
    """It is one array, for all searches of a process."""
    with pytest.raises(OutsideSubset, match=says):
        Translator(table_rule(body), {}.get).function()


def test_a_table_is_an_array_of_the_numbers_that_it_has() -> None:
    """Short where they are small; its name is that of the module."""
    rules = [table_rule("    return SMALL[board[0]] + DEEP[1]")]
    text, tables = translate(rules, ["f"])
    header = header_of(tables)
    assert "short cells[3]; } SMALL_bytes = {" in header
    assert spelled("h", 3, 1, 4) in header
    assert "long long cells[2]; } DEEP_bytes = {" in header
    assert spelled("q", -40_000, 7) in header
    assert "MIXED" not in header
    assert "return SMALL[board[0]] + DEEP[1]" in text


def spelled(code: str, *numbers: int) -> str:
    """Return numbers as a text of C that has their bytes."""
    data = array.array(code, numbers).tobytes()
    return '"' + "".join(f"\\{byte:03o}" for byte in data) + '"'


def test_two_tables_of_one_name_are_refused() -> None:
    """In C there is one space of names."""
    first = table_rule("    return g(board) + SMALL[0]")
    other = rule_of("def g(board: Board) -> Signed:\n    return SMALL[0]")
    other.module.SMALL = (9, 9)
    second = dataclasses.replace(other, words=True)
    with pytest.raises(OutsideSubset, match="two tables SMALL"):
        translate([first, second], ["f"])


def words_rule(body: str, returns: str = "int") -> Rule:
    """Return a rule of a game of words, written in a test."""
    source = f"def f(board: Board, lead: Signed) -> {returns}:\n{body}"
    return dataclasses.replace(rule_of(source), words=True)


@pytest.mark.parametrize(
    ("body", "returns", "says"),
    [
        ("    return board[0] + lead", "int", "a word meets a number"),
        ("    return board[0] < lead", "bool", "a word meets a number"),
        ("    return board[0] > -1", "bool", "a word meets a number"),
        ("    return -board[0]", "Signed", "a word is never below zero"),
        ("    board[0] = lead", "int", "a word meets a number"),
        ("    return lead", "int", "the result of f is a word, .* signed number"),
        ("    return board[0] - board[1]", "Signed", "the result of f is a signed"),
        ("    return 3 - 4", "int", "the result of f is a word"),
        ("    a = board[0]\n    a = lead", "int", "a word meets a number"),
        ("    for a in range(board[0], -1, -1):\n        pass", "int", "a word meets"),
        ("    return popcount(lead)", "int", "a word meets a number"),
        ("    return 1 << lead", "int", "a word meets a number"),
        ("    return plus(lead)", "int", "plus's argument is a word"),
    ],
)
def test_a_word_never_meets_a_number_that_may_be_below_zero(
    body: str, returns: str, says: str
) -> None:
    """C would take the number for a word of 64 bits, and answer otherwise."""
    plus = rule_of("def plus(word: int) -> int:\n    return word + 1")
    rule = words_rule(body, returns)
    known = {"plus": dataclasses.replace(plus, words=True)}
    with pytest.raises(OutsideSubset, match=rf"games/chess.py:\d+: {says}.*declare"):
        Translator(rule, known.get).function()


def test_what_may_be_below_zero_is_declared_and_not_guessed_from_a_name() -> None:
    """A difference of counted bits is signed in C, too; a word stays one."""
    rule = words_rule(
        "    ahead = popcount(board[0]) - popcount(board[1])\n"
        "    rest: Signed = 0\n"
        "    word = board[0] // 3\n"
        "    if ahead < rest:\n"
        "        return -ahead\n"
        "    return ahead + lead",
        "Signed",
    )
    text, _ = Translator(rule, {}.get).function()
    assert text.splitlines()[:5] == [
        "cdef i64 f(cell *board, i64 lead) noexcept nogil:",
        "    cdef i64 ahead",
        "    cdef i64 rest",
        "    cdef u64 word",
        "    ahead = popcount(board[0]) - popcount(board[1])",
    ]
    assert "word = word_div(board[0], 3)" in text

    lead_score = rule_of("def lead_score(board: Board) -> int:\n    return board[0]")
    text, _ = Translator(dataclasses.replace(lead_score, words=True), {}.get).function()
    assert text.startswith("cdef u64 lead_score(")


@pytest.mark.parametrize("key", ["kalah", "reversi"])
def test_a_board_that_does_not_fit_is_refused_at_the_door(key: str) -> None:
    """It is never cut to what fits."""
    compiled, board = compiled_of(find_game(key)), start(key).flat
    turn = find_game(key).engine.turn
    for cell, number, error, says in (
        (0, 2**64, ValueError, rf"cell 0 is {2**64}; a cell holds"),
        (1, -(2**15) - 1, ValueError, "cell 1 is -32769; a cell holds"),
        (1, 1.5, TypeError, "cell 1 is 1.5"),
        (1, "4", TypeError, "cell 1 is '4'"),
        (turn, 2, ValueError, "the seat to move is 0 or 1, not 2"),
    ):
        wrong = [*board[:cell], number, *board[cell + 1 :]]
        for call in (
            lambda cells: compiled.legal_moves(cells),
            lambda cells: compiled.Line(cells, ()),
            lambda cells: compiled.Searcher(10, 1).value(cells, 1, -9, 9),
        ):
            with pytest.raises(error, match=says):
                call(wrong)
    with pytest.raises(ValueError, match=r"has \d+ cells, not 3"):
        compiled.legal_moves(board[:3])
    with pytest.raises(ValueError, match="a position seen is"):
        compiled.Line(board, (b"1",))
