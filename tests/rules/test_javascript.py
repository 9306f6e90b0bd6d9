"""The games in JavaScript play by the same rules, in a real browser."""

import importlib.util
import random
import sys
import types
from collections.abc import Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from rules_core import GAMES, Game, InvalidSnapshot, Position, catalog, restore, start
from rules_core.boards.two_row import TwoRow
from rules_core.game import Variant
from rules_core.translation.javascript import script_of
from rules_core.translation.javascript.translate import translate
from rules_core.translation.subset import OutsideSubset
from tests.rules.strange_boards import unreachable
from tests.support.page_driver import running_browser
from tests.support.playing import dice

AYOAYO = Path(__file__).parents[1] / "plugins/ayoayo/seedlog_ayoayo/game.py"
GAMES_OF_EACH = 16
KERNEL = (
    files("rules_core.translation.javascript").joinpath("kernel.js").read_text("utf-8")
)
OPTIONS = {
    "kalah": [
        {},
        {"pits": 4, "seeds": 3, "empty_capture": True},
        {"pits": 1, "seeds": 1},
        {"pits": 8, "seeds": 8},
        {"pie": True},
    ],
    "oware": [{}, {"seeds": 6}],
    "oware-abapa": [{}, {"seeds": 5}],
    "congkak": [
        {},
        {"rounds": "match"},
        {"pits": 5, "seeds": 3, "rounds": "match"},
        {"pits": 9, "seeds": 9},
        {"pits": 5, "seeds": 3, "rounds": "match", "pie": True},
    ],
    "oware-nam-nam": [{}, {"max_rounds": 2}],
    "ayoayo": [{}, {"seeds": 2}],
}

SAME = """
const sorted = (_, value) =>
  value && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort())
    : value;
const text = (value) => JSON.stringify(value, sorted);
"""
REPLAY = """
const told = (position) => [
  position.toMove, position.legalMoves, position.text, position.snapshot,
  position.passes, position.given, position.outcome, position.places,
];
for (const [starter, moves, line] of given) {
  let position = rules.Position.start(starter);
  for (const [ply, due] of line.entries()) {
    const found = told(position);
    if (text(found) !== text(due)) return [ply, found, due];
    const again = rules.Position.restore(position.snapshot);
    if (text(again.legalMoves) !== text(due[1])) return [ply, "restored", again.text];
    if (ply < moves.length) position = (ply % 2 ? again : position).play(moves[ply]);
  }
}
return null;
"""
BOARDS = """
const cell = rules.wide ? BigInt : Number;
for (const [cells, due] of given) {
  const position = new rules.Position(cells.map((count) => cell(count)), []);
  const found = position.legalMoves.map((move) => [
    move, position.play(move).board.map(String).slice(0, due.size),
  ]);
  if (text(found) !== text(due.moves)) return [cells, found, due.moves];
}
return null;
"""
SNAPSHOTS = """
return given.map((snapshot) => {
  try {
    return rules.Position.restore(snapshot).snapshot;
  } catch (error) {
    return error.message;
  }
});
"""


def module_of(path: Path, name: str, text: str | None = None) -> ModuleType:
    """Return a module of a file, as if its package were installed."""
    if text is not None:
        path.write_text(text, "utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


PLUGIN = Game.of(module_of(AYOAYO, "seedlog_ayoayo_game"))
EACH_VARIANT = pytest.mark.parametrize(
    "variant",
    [
        pytest.param(game.variant(given), id=f"{game.key}-{number}")
        for game in (*GAMES, PLUGIN)
        for number, given in enumerate(OPTIONS.get(game.key, [{}]))
    ],
)


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the example of a plugin be found as an installed one is."""
    monkeypatch.setattr(catalog, "find_plugins", lambda: (PLUGIN,))


@pytest.fixture(scope="module")
def window(chromium: Any) -> Iterator[Any]:
    """Return one page for all games."""
    with running_browser(chromium) as browser:
        yield browser.new_page()


def run(window: Any, variant: Variant, body: str, given: object) -> Any:
    """Return what a body gives, with `rules` and `given` at hand."""
    script = script_of(variant)
    assert script is not None
    whole = f'(given) => {{ "use strict"; const rules = {script};\n{SAME}{body} }}'
    return window.evaluate(whole, given)


def told(position: Position) -> Any:
    """Return what a position tells, for JSON."""
    outcome = position.outcome
    return [
        position.to_move,
        list(position.legal_moves),
        str(position),
        position.snapshot,
        list(position.passes),
        position.given,
        outcome
        and {
            "winner": outcome.winner,
            "reason": outcome.reason,
            "score": outcome.score,
        },
        dict(position.board),
    ]


def random_game(variant: Variant, seed: int) -> tuple[str, list[str], list[Position]]:
    """Return who begins a random game, its moves and its positions."""
    chance, starters = dice(seed), variant.face.starters
    starter = starters[seed % len(starters)]
    moves, line = [], [start(variant.game.key, variant.options, starter)]
    while line[-1].legal_moves and len(moves) < 120:
        moves.append(chance.choice(line[-1].legal_moves))
        line.append(line[-1].play(moves[-1]))
    return starter, moves, line


@EACH_VARIANT
def test_random_games_are_the_same_move_by_move(window: Any, variant: Variant) -> None:
    """Legal moves in order, text, snapshot (so digest), passes, given, outcome."""
    given = []
    for seed in range(GAMES_OF_EACH):
        starter, moves, line = random_game(variant, seed)
        given.append([starter, moves, [told(position) for position in line]])

    assert run(window, variant, REPLAY, given) is None


@EACH_VARIANT
def test_boards_that_no_play_leads_to_are_played_the_same(
    window: Any, variant: Variant
) -> None:
    """Every legal move of them, to the last cell."""
    chance, engine, given = dice(7), variant.engine, []
    for _ in range(60):
        board = unreachable(variant, chance)
        out, moves = [0] * engine.max_moves, []
        for move in out[: engine.legal(board.copy(), out)]:
            after = board.copy()
            engine.apply(after, move, None)
            cells = [str(count) for count in after[: engine.size]]
            moves.append([variant.move_names[move], cells])
        given.append([[str(count) for count in board], {"moves": moves}])
        given[-1][1]["size"] = engine.size

    assert run(window, variant, BOARDS, given) is None


TAMPERS = [*"0123456789SNXOx-,/ |=", "end=", " pie=S", " pie=N"]


def tampered(snapshot: str, chance: random.Random) -> str:
    """Return a snapshot with some characters changed, doubled or left out."""
    text = list(snapshot)
    for _ in range(chance.randint(1, 2)):
        at = chance.randrange(len(text))
        text[at] = chance.choice(["", text[at] * 2, *TAMPERS])
    return "".join(text)


@EACH_VARIANT
def test_snapshots_are_read_or_refused_the_same(window: Any, variant: Variant) -> None:
    """With the same words."""
    chance, given, due = dice(3), [], []
    for seed in range(6):
        _, _, line = random_game(variant, seed)
        chosen = chance.sample(line, min(20, len(line)))
        given += [tampered(position.snapshot, chance) for position in chosen]
    given += ["", "p1", "p2|", "p1||", *(position.snapshot for position in line)]
    for snapshot in given:
        try:
            read = restore(variant.game.key, variant.options, snapshot)
        except InvalidSnapshot as error:
            due.append(str(error))
        else:
            due.append(read.snapshot)

    assert run(window, variant, SNAPSHOTS, given) == due


RULES = '''
from rules_core.kernel import Board, Moves, Steps, bit, lowest, popcount, rule
from rules_core.games.sowing import lift, seeds_in, sow

BELOW = -3


@rule
def divisions(board: Board, out: Moves) -> int:
    """Round down, also below zero."""
    at = 0
    for one in range(-7, 8):
        for other in range(BELOW, 4):
            if other:
                out[at], out[at + 1] = one // other, one % other
                at += 2
    return at


@rule
def loops(board: Board, out: Moves) -> int:
    """Bounds are looked at once; the variable stays."""
    at, end = 0, 4
    for new in range(end):
        end = 9
        out[at] = new
        at += 1
        new = 7
    for new in range(9, BELOW, -4):
        if new == 5:
            continue
        out[at] = new
        at += 1
    while True:
        at += 1
        if at > 8:
            break
        out[at - 1] = new
    out[8] = 1 if board[0] and not board[1] else 2
    return 9


@rule
def next_of(board: Board) -> int:
    """Count how often it was called."""
    board[3] += 1
    return board[3]


@rule
def order(board: Board, out: Moves) -> int:
    """Evaluate as Python does: the value before the place, and a middle once."""
    board[3] = 0
    out[next_of(board)] = 10 * next_of(board)
    out[3] = 1 < next_of(board) <= 3
    out[4] = board[3]
    out[0] = board[3] or 5
    board[3] = 4
    board[next_of(board)] += next_of(board)
    out[1] = board[5]
    return 5


@rule
def names(board: Board, out: Moves) -> int:
    """Use words that JavaScript keeps for itself."""
    let = 1
    var = let
    out[0] = delete(board, var, None)
    return 1


@rule
def delete(board: Board, this: int, steps: Steps) -> int:
    """Leave out who watches."""
    if steps is not None:
        steps.append((0, 0, 0, 0))
    return this


@rule
def seeds(board: Board, out: Moves) -> int:
    """Call what other files define."""
    out[0] = sow(board, 0, lift(board, 0, None), 4, 2, -1, None)
    out[1] = seeds_in(board, 0, 4)
    return 2


@rule
def bits(board: Board, out: Moves) -> int:
    """Work on 64 bits and more."""
    word = bit(63) | bit(5)
    out[0] = popcount(word)
    out[1] = lowest(word)
    out[2] = (word << 3) % 1000
    out[3] = (word ^ bit(63)) >> 2 & 12
    out[4] = -1 // 2
    out[5] = not (word > 5)
    return 6
'''


@pytest.mark.parametrize(
    "name", ["divisions", "loops", "order", "names", "seeds", "bits"]
)
def test_a_rule_means_the_same_in_both_languages(
    window: Any, tmp_path: Path, name: str
) -> None:
    """What no game of today happens to use, too."""
    module = module_of(tmp_path / "rules.py", f"rules_{name}", RULES)
    board, out = [5, 1, 0, 2, 6, 0, 0], [0] * 200
    count = getattr(module, name)(board, out)

    functions, wide = translate(module, [name], words=False)

    assert wide == (name == "bits")
    number = "BigInt" if wide else "Number"
    found = window.evaluate(
        f"""() => {{ "use strict"; {KERNEL} {functions}
        const [board, out] = [[5, 1, 0, 2, 6, 0, 0].map({number}), []];
        const count = {name}(board, out);
        return [String(count), out.map(String), board.map(String)]; }}"""
    )
    due = [str(int(value)) for value in out[:count]]
    assert found == [str(count), due, [str(int(value)) for value in board]]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("    return board[0] / 2", "Div is not allowed"),
        ("    return len(board)", "len is not a rule"),
        ("    return popcount(board[0])", "popcount is not that of the kernel"),
        ("    board[0], = twice(board)", "there are two rules seeds_in"),
    ],
)
def test_what_cannot_be_translated_is_refused_with_file_and_line(
    tmp_path: Path, line: int, says: str
) -> None:
    """So that an editor can go there."""
    other = "from rules_core.kernel import Board, rule\n\n@rule\ndef "
    module_of(
        tmp_path / "elsewhere.py",
        "rules_elsewhere",
        f"{other}seeds_in(board: Board) -> int:\n    return 1\n\n@rule\n"
        "def twice(board: Board) -> int:\n    return seeds_in(board)\n",
    )
    text = (
        "from rules_core.kernel import Board, rule\n"
        "from rules_core.games.sowing import seeds_in\n"
        "from rules_elsewhere import twice\n"
        "def popcount(word):\n    return 1\n\n@rule\n"
        "def f(board: Board) -> int:\n    seeds_in(board, 0, 1)\n"
    )
    module = module_of(tmp_path / "wrong.py", "rules_wrong", text + line)

    with pytest.raises(OutsideSubset, match=says) as refused:
        translate(module, ["f"], words=False)

    assert ".py:" in str(refused.value)


def test_a_game_with_a_face_or_rules_of_its_own_has_no_script() -> None:
    """Nobody has written them in JavaScript."""

    class Round(TwoRow):
        """A board that is drawn as a circle."""

    def face(options: dict[str, object]) -> TwoRow:
        told = PLUGIN.face(options)
        fields = {name: getattr(told, name) for name in TwoRow.__dataclass_fields__}
        return Round(**fields)

    plain = sys.modules[PLUGIN.module]
    outside = types.SimpleNamespace(**vars(plain))
    assert script_of(PLUGIN.variant(None)) is not None
    assert script_of(replace(PLUGIN, face=face).variant(None)) is None
    sys.modules["rules_outside"] = outside
    assert script_of(replace(PLUGIN, module="rules_outside").variant(None)) is not None
    outside.apply = lambda board, move, steps: None
    game = replace(PLUGIN, module="rules_outside")
    assert script_of(game.variant(None)) is None


@EACH_VARIANT
def test_the_script_of_a_game_is_small_and_ends_no_element(variant: Variant) -> None:
    """It stands in a page, beside what is shown there."""
    script = script_of(variant)

    assert len(script) < 20_000
    assert "</" not in script
    assert "<!--" not in script
