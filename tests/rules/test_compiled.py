"""The compiled games play by the same rules, to the last seed."""

from __future__ import annotations

import ast
import types

import pytest

from rules_core import GAMES, IllegalMove, find_game, start
from rules_core.compiled import build, find_compiled, fingerprint, text_writer
from rules_core.compiled.build import source_of
from rules_core.compiled.translate import Translator
from rules_core.search import INFINITE, PlainSearcher
from rules_core.sources import replay_compiled, replay_plain
from rules_core.subset import OutsideSubset, Rule
from tests.rules.counting import perft
from tests.rules.playing import dice
from tests.support.require import skip_without

EACH_GAME = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.key)

OPTIONS = {
    "kalah": [{}, {"pits": 4, "seeds": 3, "empty_capture": True}],
    "congkak": [{}, {"rounds": "match"}, {"pits": 5, "seeds": 3, "rounds": "match"}],
    "oware-nam-nam": [{"max_rounds": 2}, {}],
}


def compiled_of(game):
    """Return the extension of a game, or skip."""
    compiled = find_compiled(game)
    if compiled is None:
        skip_without("compiled", "python -m rules_core.compiled.build")
    return compiled


def random_moves(first, chance, plies):
    """Return the moves of a random game."""
    moves, position = [], first
    while position.legal_moves and len(moves) < plies:
        moves.append(chance.choice(position.legal_moves))
        position = position.play(moves[-1])
    return moves


@EACH_GAME
def test_replay_leads_to_the_same_position(game):
    """Whole games, with everything a snapshot tells."""
    compiled = compiled_of(game)
    for options in OPTIONS.get(game.key, [{}]):
        for seed in range(12):
            first = start(game.key, options, game.starters[seed % len(game.starters)])
            moves = random_moves(first, dice(seed), 400)
            for length in (0, len(moves) // 2, len(moves)):
                plain = replay_plain(first, moves[:length])
                fast = replay_compiled(first, moves[:length], compiled)
                assert fast.snapshot == plain.snapshot
                assert fast.digest == plain.digest
                assert fast.legal_moves == plain.legal_moves
                assert (fast.mover, fast.passes, fast.given) == (
                    plain.mover,
                    plain.passes,
                    plain.given,
                )


@EACH_GAME
def test_replay_refuses_the_same_move(game):
    """With the ply and what would have been legal."""
    compiled = compiled_of(game)
    first = start(game.key)
    moves = [*random_moves(first, dice(4), 6), "nonsense", "A"]
    refusals = []
    for replay in (
        lambda: replay_plain(first, moves),
        lambda: replay_compiled(first, moves, compiled),
    ):
        with pytest.raises(IllegalMove) as refused:
            replay()
        refusals.append((refused.value.ply, refused.value.legal, refused.value.move))
    assert refusals[0] == refusals[1]


def unreachable(variant, chance):
    """Return a board that no play leads to, with the seeds thrown anywhere."""
    board = variant.deal()
    engine = variant.engine
    if engine.words:
        board[0] = chance.getrandbits(64) & chance.getrandbits(64)
        board[1] = chance.getrandbits(64) & ~board[0]
    else:
        cells = [c for c, name in enumerate(variant.cell_names) if name]
        seeds = sum(board[cell] for cell in cells)
        into = chance.sample(cells, chance.randint(2, len(cells)))
        for cell in cells:
            board[cell] = 0
        for _ in range(seeds):
            board[chance.choice(into)] += 1
    board[engine.turn] = chance.randint(0, 1)
    return board


@EACH_GAME
def test_boards_that_no_play_leads_to_are_played_the_same(game):
    """Legal moves, what they do, and the lead."""
    compiled, chance = compiled_of(game), dice(7)
    engine, size = game.engine, game.engine.size
    for options in OPTIONS.get(game.key, [{}]):
        variant = game.variant(options)
        for _ in range(60):
            board = unreachable(variant, chance)
            out = [0] * engine.max_moves
            found = out[: engine.legal(board.copy(), out)]
            assert compiled.legal_moves(board) == found
            for move in found:
                after = board.copy()
                engine.apply(after, move, None)
                assert compiled.play(board, move)[:size] == after[:size]
                assert compiled.lead(after) == engine.score(after)


@EACH_GAME
def test_a_position_is_written_the_same(game):
    """Also a store of three digits, and pits that are empty."""
    compiled = compiled_of(game)
    for options in OPTIONS.get(game.key, [{}]):
        position = start(game.key, options)
        write, chance = text_writer(position.variant, compiled), dice("written")
        while position.legal_moves:
            assert write(position.flat) == str(position)
            counted = position.variant.face.counted_text
            if counted is not None:
                board = position.flat
                for cell in counted.order[:-1]:
                    board[cell] = chance.choice([0, 9, 10, 99, 100, 255])
                assert write(board) == position.variant.face.format(board, over=False)
            position = position.play(chance.choice(position.legal_moves))


def test_only_a_template_of_a_position_is_written():
    """The compiled writer never reads or writes beyond what it was given."""
    compiled = compiled_of(find_game("kalah"))
    board = start("kalah").flat
    write = compiled.write_text
    assert write("%d:%c", (6, 0), "abcde", board) == "0:e"
    for template in ("x" * 2000, "\N{SNOWMAN}"):
        with pytest.raises(ValueError, match="no template"):
            write(template, (0, 1), "SN", board)
    with pytest.raises(ValueError, match="below zero"):
        write("%d", (0,), "SN", [-1, *board[1:]])
    for template, order in (("%d,%d", (0,)), ("%d", (99,)), ("%c", (0,))):
        with pytest.raises(IndexError):
            write(template, order, "SN", board)


@EACH_GAME
def test_a_step_is_a_legal_move(game):
    """Or none at all."""
    compiled = compiled_of(game)
    position, chance = start(game.key), dice("step")
    for _ in range(60):
        legal = compiled.legal_moves(position.flat)
        for move in range(-1, len(position.variant.move_names) + 1):
            after = compiled.step(position.flat, move)
            if move in legal:
                assert after == compiled.play(position.flat, move)
            else:
                assert after is None
        if not position.legal_moves:
            break
        position = position.play(chance.choice(position.legal_moves))


@EACH_GAME
def test_perft_and_search_are_the_same(game):
    """Without time and table to make a difference: one ply more than in the table."""
    compiled, chance = compiled_of(game), dice(5)
    first = start(game.key)
    assert [compiled.perft(first.flat, depth) for depth in (1, 2, 3)] == [
        perft(first, depth) for depth in (1, 2, 3)
    ]
    for length in (0, 6, 12):
        position = replay_plain(first, random_moves(first, chance, length))
        for depth in (0, 1, 2):
            values = [
                searcher.value(position.flat, depth, -INFINITE, INFINITE)
                for searcher in (
                    PlainSearcher(game, 10**6, 60),
                    compiled.Searcher(10**6, 60),
                )
            ]
            assert values[0] == values[1]


def test_an_extension_of_other_sources_is_not_used(monkeypatch):
    """It would play by rules that are no longer written."""
    game = GAMES[0]
    compiled = compiled_of(game)
    assert fingerprint(game) == compiled.FINGERPRINT
    find_compiled.cache_clear()
    monkeypatch.setattr(compiled, "FINGERPRINT", "0")
    assert find_compiled(game) is None
    find_compiled.cache_clear()


@EACH_GAME
def test_every_game_stays_in_the_subset(game):
    """Also where there is no compiler to ask."""
    text = source_of(game)
    number = "u64" if game.engine.words else "i64"
    assert f"cdef void apply(cell *board, {number} " in text
    assert "steps" not in text


@pytest.mark.parametrize("name", ["play", "step", "replay", "count_lines"])
def test_a_rule_is_not_called_like_a_function_around_the_rules(name, monkeypatch):
    """It would be a puzzle for whoever writes the game, if the compiler told them."""
    kalah = find_game("kalah")
    own = build.rules_of

    def renamed(module, words):
        rules = own(module, words)
        if module.__name__ == kalah.module:
            rules["score"].tree.name = name
        return rules

    monkeypatch.setattr(build, "rules_of", renamed)

    with pytest.raises(OutsideSubset, match=rf"kalah.py:\d+: .* called {name}"):
        source_of(kalah)


def rule_of(source):
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
def test_what_is_outside_the_subset_is_refused_with_file_and_line(body, line, says):
    """So that an editor can go there."""
    rule = rule_of(f"def f(board: Board, steps: Steps) -> int:\n{body}")
    with pytest.raises(OutsideSubset, match=says) as refused:
        Translator(rule, {}.get).function()
    assert str(refused.value).startswith(f"games/chess.py:{line}: ")


def test_a_rule_is_translated_without_what_is_for_who_watches():
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
