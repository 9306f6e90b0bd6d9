"""Bounds of endings in which play can go in circles: sound, narrow, the same in C."""

import math
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from rules_core import find_game, parse
from rules_core.compiled import find_compiled
from rules_core.game import Variant
from rules_core.position import Position
from rules_core.search import INFINITE, PlainSearcher, Searcher, find_searcher
from rules_core.search.cancel import Cancel
from rules_core.search.circles import NONE, margin_from, sure_margin
from rules_core.search.ending_tables import (
    SHELF,
    Endings,
    NoEndings,
    build_endings,
    count_links,
    count_places,
    empty_board,
    file_name,
    growing_endings,
    read_endings,
    write_endings,
)
from rules_core.search.endings import UNKNOWN, set_pits
from rules_core.search.memory import Memory
from rules_core.search.root import TO_ANY_END
from rules_core.search.thinking import Budget, Thought, think
from tests.support.playing import dice

NOBODY = UNKNOWN & 255
State = tuple[int, ...]
GAMES = {"oware": 24, "oware-abapa": 24, "bao-laps": 16}
"""Half of all seeds of each game that is meant here."""

EACH = pytest.mark.parametrize("key", list(GAMES))


def deal(key: str) -> Variant:
    """Return a game with its default options."""
    return find_game(key).variant(None)


def placed(variant: Variant, place: int, seeds: int, missing: int) -> list[int]:
    """Return a board on which the first seat is so many seeds below half of all."""
    board, half = empty_board(variant), GAMES[variant.game.key]
    set_pits(variant.engine, board, place, seeds)
    south, north = variant.engine.lasting
    board[south], board[north] = half - missing, half - seeds + missing
    return board


def behind(majority: bool, seeds: int) -> range:
    """Return how far below half a seat may be while the game goes on."""
    return range(seeds + 1) if majority else range(-3, seeds + 4)


def places_of(variant: Variant, seeds: int) -> range:
    """Return the places of just so many seeds."""
    return range(count_places(variant, seeds - 1), count_places(variant, seeds))


def with_table(variant: Variant, endings: Endings) -> Memory:
    """Return the memory of a search that has a table at hand."""
    memory = Memory(variant.engine, 0, 0.0, Cancel(), {})
    memory.endings, memory.ending_seeds = endings.values, endings.seeds
    return memory


class Graph:
    """All that can follow from some boards, and what is sure, by counting ways out.

    Nothing of it is shared with the tables: it goes by whole boards with their stores,
    from the ends of games back, once for each margin that is asked for.
    """

    def __init__(self, variant: Variant, boards: list[list[int]]) -> None:
        """Follow every move."""
        self.engine = engine = variant.engine
        self.after: dict[State, list[State]] = {}
        self.before = defaultdict[State, list[State]](list)
        found = [tuple(board) for board in boards]
        while found:
            state = found.pop()
            if state in self.after:
                continue
            self.after[state] = []
            moves = [0] * engine.max_moves
            for move in moves[: engine.legal(list(state), moves)]:
                board = list(state)
                engine.apply(board, move, None)
                played = (*board[: engine.size], *state[engine.size :])
                self.after[state].append(played)
                self.before[played].append(state)
                found.append(played)

    def margin(self, state: State) -> int:
        """Return by how much the first seat has won a finished game."""
        drawn = state[self.engine.winner] == 0
        return 0 if drawn else self.engine.score(list(state))

    def reached(self, seat: int, goals: set[State]) -> set[State]:
        """Return from where a seat comes to some goals, whatever the other does."""
        others = {state: len(after) for state, after in self.after.items()}
        reached, new = set(goals), list(goals)
        while new:
            for state in self.before[new.pop()]:
                others[state] -= 1
                chooses = state[self.engine.turn] == seat
                if state not in reached and (chooses or others[state] == 0):
                    reached.add(state)
                    new.append(state)
        return reached

    def sure(self, *, at_worst: bool) -> dict[State, int]:
        """Return the most that the first seat can be sure of.

        Where a circle is no draw, its end gives the seeds in play to either seat: *at
        worst* to the second, otherwise to the first.
        """
        ends = {state for state, after in self.after.items() if not after}
        leads = {state: self.lead(state, at_worst) for state in self.after}
        margins = {self.margin(end) for end in ends} | set(leads.values()) | {0}
        sure: dict[State, int] = {}
        for asked in sorted(margins):
            good = {end for end in ends if self.margin(end) >= asked}
            bad = ends - good
            reaches = at_worst
            if self.engine.draws:
                reaches = asked > 0
            elif at_worst:
                good |= {state for state, lead in leads.items() if lead >= asked}
            else:
                bad |= {state for state, lead in leads.items() if lead < asked}
            enough = set(self.after) - self.reached(1, bad)
            if reaches:
                enough = self.reached(0, good)
            sure |= dict.fromkeys(enough, asked)
        return sure

    def lead(self, state: State, at_worst: bool) -> int:
        """Return the lead of the first seat with the seeds in play for either."""
        if not self.after[state]:
            return self.margin(state)
        in_play = sum(state[: self.engine.turn])
        lead = self.engine.score(list(state))
        return lead - in_play if at_worst else lead + in_play


@pytest.mark.parametrize(
    ("key", "seeds"), [("oware", 4), ("oware-abapa", 4), ("bao-laps", 3)]
)
def test_bounds_hold_and_tell_who_wins(key: str, seeds: int) -> None:
    """Every ending, with all stores that it can have, by a reckoning of its own."""
    variant = deal(key)
    engine, memory = variant.engine, with_table(variant, build_endings(variant, seeds))
    boards = [
        placed(variant, place, number, missing)
        for number in range(1, seeds + 1)
        for place in places_of(variant, number)
        if memory.endings[2 * place] != NOBODY
        for missing in behind(engine.majority, number)
    ]
    graph = Graph(variant, boards)
    least, most = graph.sure(at_worst=True), graph.sure(at_worst=False)
    closed = 0
    for board in boards:
        state = tuple(board)
        low = margin_from(engine, memory, board, 0)
        high = -margin_from(engine, memory, board, 1)
        assert low <= least[state] <= most[state] <= high, board
        assert (low > 0, high < 0) == (least[state] > 0, most[state] < 0), board
        if engine.draws:
            assert (low >= 0, high <= 0) == (least[state] >= 0, most[state] <= 0)
        closed += low == high
    assert closed > len(boards) // 10


@pytest.mark.parametrize("key", ["oware", "oware-abapa"])
def test_there_are_as_many_positions_as_can_be_counted(key: str) -> None:
    """Without those in which the seat to move has nothing, or cannot feed the other."""
    variant, seeds = deal(key), 5
    values = build_endings(variant, seeds).values
    for number in range(1, seeds + 1):
        places = places_of(variant, number)
        empty = math.comb(number + 5, 5)
        expected = math.comb(number + 11, 11) - empty - unable_to_feed(number)
        assert sum(values[2 * place] != NOBODY for place in places) == expected


def unable_to_feed(seeds: int) -> int:
    """Return in how many ways so many seeds lie in six houses and cannot leave them."""
    ways = [1]
    for most in range(6):
        wider = [0] * (len(ways) + most)
        for total, count in enumerate(ways):
            for house in range(most + 1):
                wider[total + house] += count
        ways = wider
    return ways[seeds] if seeds < len(ways) else 0


def test_there_are_as_many_positions_of_bao_as_can_be_counted() -> None:
    """Without those in which the seat to move has nothing."""
    variant = deal("bao-laps")
    values = build_endings(variant, 3).values
    for number in range(1, 4):
        counted = sum(
            values[2 * place] != NOBODY for place in places_of(variant, number)
        )
        assert counted == math.comb(number + 15, 15) - math.comb(number + 7, 7)


@pytest.mark.parametrize(
    ("majority", "draws", "lead", "low", "most", "margin"),
    [
        (True, True, 0, 6, 6, 3),  # it needs five, and the other gets two at most
        (True, True, 0, 5, 5, 2),
        (True, True, 0, 4, 4, 0),
        (True, True, 0, 3, 4, 0),  # it cannot be made to lose
        (True, True, 0, 3, 3, -5),
        (True, False, 0, 3, 4, -5),  # but it may be by a standstill
        (True, False, -8, 8, 8, 0),
        (False, True, 0, 6, 6, 4),
        (False, True, 20, NONE, 9, 0),  # so far ahead, and cannot make it end
        (False, True, 20, 0, 9, 12),
        (False, True, -20, NONE, 9, 0),
        (False, True, -20, NONE, 8, -28),
    ],
)
def test_what_is_sure_of_a_margin(
    majority: bool, draws: bool, lead: int, low: int, most: int, margin: int
) -> None:
    """With eight seeds in play, and more than eight for no end at all."""
    engine = replace(deal("oware").engine, majority=majority, draws=draws)
    assert sure_margin(engine, lead, 8, low, most) == margin


@EACH
def test_plain_and_compiled_work_out_the_same(key: str) -> None:
    """Byte by byte, and link by link."""
    variant, seeds = deal(key), 3
    if find_compiled(variant.game) is None:
        pytest.skip("nothing is compiled here")
    searchers: list[Searcher] = [
        find_searcher(variant.game, 1, 1.0),
        PlainSearcher(variant.game, 1, 1.0),
    ]
    found = []
    for searcher in searchers:
        values = bytearray(2 * count_places(variant, seeds))
        kept = [bytes(values)]
        for number in range(seeds + 1):
            places = places_of(variant, number)
            links = bytearray(4 * count_links(variant, number))
            searcher.use_links(empty_board(variant), values, links)
            searcher.link_endings(number, places.start, places.stop)
            kept.append(bytes(links))
            changes = list[int]()
            while not changes or changes[-1]:
                changes.append(
                    searcher.narrow_endings(number, places.start, places.stop)
                )
            kept.append(bytes(str(changes), "ascii") + bytes(values))
        found.append(kept)
    assert found[0] == found[1]


def fast(key: str, seeds: int) -> Endings:
    """Return a table that takes plain Python too long."""
    if find_compiled(find_game(key)) is None:
        pytest.skip("nothing is compiled here")
    return build_endings(deal(key), seeds)


def late(key: str, seeds: int, chance: Random, values: Endings) -> Position:
    """Return a position of so many seeds, with stores of which neither has decided."""
    variant = deal(key)
    while True:
        place = chance.choice(places_of(variant, seeds))
        if values.values[2 * place] != NOBODY:
            board = placed(variant, place, seeds, chance.randrange(seeds + 1))
            over = variant.face.format(board, False)
            return parse(key, over)


@EACH
def test_what_a_search_proves_lies_within_the_bounds(key: str) -> None:
    """Hundreds of positions; where both bounds are the same it is that."""
    seeds, chance, proven = 7, dice(1), 0
    endings = fast(key, seeds)
    engine, memory = deal(key).engine, with_table(deal(key), endings)
    for _ in range(300):
        position = late(key, chance.randrange(2, seeds + 1), chance, endings)
        thought = think(position, Budget(60, nodes=3_000), everything=False)
        line = thought.lines[0] if thought.lines else None
        if line is not None and line.exact:
            seat = position.flat[engine.turn]
            low = margin_from(engine, memory, position.flat, seat)
            high = -margin_from(engine, memory, position.flat, 1 - seat)
            assert low <= line.value <= high, str(position)
            proven += 1
    assert proven > 30


@EACH
def test_with_a_table_more_is_proven_by_fewer_positions(
    key: str, tmp_path: Path
) -> None:
    """And what both prove is the same."""
    endings, chance = fast(key, 7), dice(2)
    write_endings(tmp_path / file_name(deal(key)), deal(key), endings)
    positions = [late(key, 7, chance, endings) for _ in range(40)]
    without = [thought_of(position) for position in positions]
    SHELF.use(tmp_path)
    try:
        with_it = [thought_of(position) for position in positions]
    finally:
        SHELF.use(None)
    pairs = list(zip(without, with_it, strict=True))
    for before, after in pairs:
        if before.lines[0].exact and after.lines[0].exact:
            assert before.lines[0].value == after.lines[0].value
    assert sum(t.nodes for t in with_it) < sum(t.nodes for t in without)
    exact = [sum(t.lines[0].exact for t in each) for each in zip(*pairs, strict=True)]
    assert exact[1] > exact[0]


def thought_of(position: Position) -> Thought:
    """Return what is found of a position in some thousand nodes."""
    return think(position, Budget(60, nodes=5_000))


def test_what_stands_on_the_way_is_not_looked_up() -> None:
    """A position that has been there twice would be a standstill the third time."""
    endings, chance = fast("oware", 5), dice(3)
    game = find_game("oware")
    for searcher in (find_searcher(game, 10**6, 60), PlainSearcher(game, 10**6, 60)):
        position = late("oware", 5, chance, endings)
        searcher.use_endings(endings.values, endings.seeds)
        searcher.value(position.flat, TO_ANY_END, 0, 1)
        assert (searcher.nodes, searcher.proven) == (1, True)
        searcher.remember([position.flat])
        assert searcher.value(position.flat, TO_ANY_END, 0, 1) == 0
        assert not searcher.proven


@EACH
def test_plain_and_compiled_find_the_same_with_a_table(key: str) -> None:
    """With bounds that are wide, and those that are one."""
    endings, chance = fast(key, 6), dice(4)
    game = find_game(key)
    for _ in range(20):
        board = late(key, 6, chance, endings).flat
        values = []
        for searcher in (
            find_searcher(game, 10**6, 60),
            PlainSearcher(game, 10**6, 60),
        ):
            searcher.use_endings(endings.values, endings.seeds)
            values.append(searcher.value(board, 4, -INFINITE, INFINITE))
            values.append(searcher.nodes)
        assert values[:2] == values[2:]


def test_a_table_grows_from_one_that_is_known(tmp_path: Path) -> None:
    """What was kept when it was interrupted is not worked out again."""
    variant = deal("oware")
    path = tmp_path / file_name(variant)
    half_done = next(e for e in growing_endings(variant, 3) if e.seeds == 2)
    write_endings(path, variant, half_done)
    known = read_endings(path, variant)

    grown = list(growing_endings(variant, 3, known))

    assert [endings.seeds for endings in grown] == [3]
    assert grown[0].values == build_endings(variant, 3).values


def test_progress_goes_up_to_the_whole() -> None:
    """Place by place."""
    variant, told = deal("oware"), list[int]()
    assert len(list(growing_endings(variant, 3, on_places=told.append))) == 4
    assert told == sorted(told)
    assert told[-1] == count_places(variant, 3)


def test_a_table_takes_no_more_memory_than_there_may_be() -> None:
    """With the links that it needs while it is made."""
    with pytest.raises(NoEndings, match="more than"):
        next(growing_endings(deal("oware"), 21))


def test_an_older_table_is_not_one_of_bounds(tmp_path: Path) -> None:
    """Each kind has its format."""
    variant = deal("oware")
    path = tmp_path / file_name(variant)
    write_endings(path, variant, build_endings(variant, 1))
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"ending-bounds/1", b"endings/1      "))
    with pytest.raises(NoEndings, match="no table"):
        read_endings(path, variant)


@pytest.fixture(autouse=True)
def leave_no_shelf() -> Iterator[None]:
    """Another test would find what this one has made."""
    yield
    SHELF.use(None)
