"""Golden playthroughs, statistics of random play, and perft tables of our own.

`python -m tests.rules.record` rewrites them by the rules as they are now: the moves of
a playthrough that is there already are kept, as far as they are still legal.
"""

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from rules_core import GAMES, Position, Step, find_game, start
from rules_core.compiled import find_compiled
from tests.rules.perft_tables import KNOWN, OWN_PERFT
from tests.support.playing import dice, play_on

HERE = Path(__file__).parent
FOLDER = HERE / "playthroughs"
STATISTICS = HERE.parents[1] / "services" / "rulebooks" / "random_play.json"

DEEP_ENOUGH = 1_000_000
DEEP_ELSEWHERE = {game for game, _, counts in KNOWN if counts[-1] >= DEEP_ENOUGH}
PERFT = [
    # what no table of others tells
    *((game.key, {}) for game in GAMES if game.key not in DEEP_ELSEWHERE),
    ("oware", {"seeds": 6}),
    ("congkak", {"pits": 5, "seeds": 3, "rounds": "match"}),
    ("kalah", {"pie": True}),
    ("congkak", {"pits": 5, "seeds": 3, "pie": True}),
]

PLIES = 160
GAMES_EACH = 60

PLAYTHROUGHS: dict[str, tuple[str, dict[str, object], str]] = {
    **{game.key: (game.key, {}, game.starters[0]) for game in GAMES},
    "kalah-small": ("kalah", {"pits": 4, "seeds": 3, "empty_capture": True}, "north"),
    "oware-abapa": ("oware-abapa", {"seeds": 5}, "north"),
    "congkak-match": ("congkak", {"pits": 5, "seeds": 3, "rounds": "match"}, "north"),
    "oware-nam-nam": ("oware-nam-nam", {"max_rounds": 3}, "south"),
    "kalah-pie": ("kalah", {"pie": True}, "south"),
    "congkak-pie": (
        "congkak",
        {"pits": 5, "seeds": 3, "rounds": "match", "pie": True},
        "north",
    ),
}
SHORT = {"oware-nam-nam": {"max_rounds": 1}}
"""Options by which random games of a game end soon; without them it may take days."""


def format_step(step: Step) -> str:
    """Write a step in a word."""
    parts = [step.kind, step.at, str(step.count) if step.count else None, step.to]
    return ":".join(part for part in parts if part is not None)


def format_line(
    game: str, options: dict[str, object], starter: str, moves: list[str]
) -> str:
    """Write a playthrough: what is seen before and after each of the moves."""
    position = start(game, options, starter)
    told = position.game.options_on_record(position.options)
    lines = [f"{position.game.rules} {json.dumps(told)} {starter}"]
    lines += format_position(position)
    for ply, move in enumerate(moves, start=1):
        if move not in position.legal_moves:
            break
        lines += ["", f"{ply}. {move}"]
        lines += [f"  steps   {' '.join(map(format_step, position.steps(move)))}"]
        position = position.play(move)
        lines += format_position(position)
    return "\n".join(lines) + "\n"


def format_position(position: Position) -> Iterator[str]:
    """Write what a position offers."""
    yield f"  {position}"
    yield f"  digest  {position.digest}"
    if position.passes:
        yield f"  passes  {' '.join(position.passes)}"
    if position.outcome is None:
        yield f"  legal   {' '.join(position.legal_moves)}"
    else:
        outcome = position.outcome
        score = " ".join(f"{seat}={count}" for seat, count in outcome.score.items())
        yield f"  outcome {outcome.winner or 'draw'} {outcome.reason} {score}"


def moves_of(text: str) -> list[str]:
    """Return the moves of a playthrough."""
    lines = [line.split(". ") for line in text.splitlines() if not line.startswith(" ")]
    return [line[1] for line in lines[1:] if len(line) == 2]


def random_moves(game: str, options: dict[str, object], starter: str) -> list[str]:
    """Return the moves of a random game."""
    chance, moves = dice(len(game)), []
    position = start(game, options, starter)
    while position.legal_moves and len(moves) < PLIES:
        moves.append(chance.choice(position.legal_moves))
        position = position.play(moves[-1])
    return moves


def statistics() -> dict[str, dict[str, object]]:
    """Return how random games of each kind end, and how long they are."""
    table: dict[str, dict[str, object]] = {}
    for game in GAMES:
        options = SHORT.get(game.key, {})
        plies, winners, reasons = 0, Counter(), Counter()
        for seed in range(GAMES_EACH):
            first = start(game.key, options)
            *before, last = play_on(first, dice(seed), 3000)
            plies += len(before)
            winners[last.outcome.winner or "draw"] += 1
            reasons[last.outcome.reason] += 1
        table[game.key] = {
            "options": options,
            "games": GAMES_EACH,
            "plies": plies,
            "winners": dict(sorted(winners.items())),
            "reasons": dict(sorted(reasons.items())),
        }
    return table


def perft_tables() -> list[dict[str, object]]:
    """Return perft counts to a million lines, by the compiled games."""
    tables: list[dict[str, object]] = []
    for game, options in PERFT:
        compiled = find_compiled(find_game(game))
        if compiled is None:
            raise SystemExit("first: python -m rules_core.translation.c.build")
        board, counts = start(game, options).flat, [0]
        while counts[-1] < DEEP_ENOUGH:
            counts.append(compiled.perft(board, len(counts)))
        tables.append({"game": game, "options": options, "counts": counts[1:]})
    return tables


def main() -> None:
    """Rewrite all files."""
    FOLDER.mkdir(exist_ok=True)
    for name, (game, options, starter) in PLAYTHROUGHS.items():
        path = FOLDER / f"{name}.txt"
        moves = random_moves(game, options, starter)
        if path.exists():
            moves = moves_of(path.read_text(encoding="utf-8"))
        text = format_line(game, options, starter, moves)
        path.write_text(text, encoding="utf-8")
    text = ",\n".join(json.dumps(table) for table in perft_tables())
    OWN_PERFT.write_text(f"[\n{text}\n]\n", encoding="utf-8")
    text = json.dumps(statistics(), indent=2)
    STATISTICS.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
