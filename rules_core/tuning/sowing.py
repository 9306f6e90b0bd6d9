"""Learn what positions of a game of seeds are worth from a log of games."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain

import numpy as np

from rules_core.search import by_score
from rules_core.tuning.learned import Learned
from rules_core.tuning.least_squares import fit, telling
from rules_core.tuning.regression import HUNDREDTHS, Array
from rules_core.tuning.self_play import TooFew
from rules_core.tuning.sowing_games import NODES, SowingPlayer
from rules_core.tuning.traits import Traits

SHARE_TOLD = 5
"""One game of so many is kept back, to see how far what was learned is off."""


def learn_traits(
    player: SowingPlayer,
    seen: Traits,
    lines: Sequence[str],
    command: str,
    on_game: Callable[[], None],
) -> Learned:
    """Return the weights that explain best what was gained to the end of these games.

    *on_game* is called when the positions of one have been looked at.

    :raises NoLog: a line is no game.
    :raises TooFew: there is nothing to learn from.
    """
    found = chain.from_iterable(_positions(player, seen, lines, on_game))
    rows = np.fromiter(found, float).reshape(-1, 3 + len(seen.names))
    games, gained, hoped, traits = rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3:]
    back = games % SHARE_TOLD == 0
    if back.all() or not back.any():
        raise TooFew(f"{len(lines)} games are too few to learn from")
    columns = telling(traits[~back])
    of_pits = [column for column in columns if column < seen.of_pits]

    def fitted(chosen: Sequence[int]) -> tuple[Array, Array]:
        shown = traits[np.ix_(~back, chosen)]
        weights, errors = fit(shown, gained[~back], games[~back].astype(int))
        return np.rint(HUNDREDTHS * weights), np.round(HUNDREDTHS * errors, 1)

    def off(guessed: Array) -> float:
        return round(float(np.sqrt(np.mean((gained - guessed)[back] ** 2))), 2)

    names = [seen.names[column] for column in columns]
    weights, errors = fitted(columns)
    return Learned(
        game=player.game.key,
        rules=player.game.rules,
        command=command,
        games=len(lines),
        nodes=NODES,
        positions=int((~back).sum()),
        log_sha256=hashlib.sha256("\n".join(lines).encode()).hexdigest(),
        traits=dict(zip(names, map(int, weights), strict=True)),
        errors=dict(zip(names, errors.tolist(), strict=True)),
        off_by={
            "score": off(np.zeros(len(gained))),
            "evaluation": off(hoped),
            "traits of pits": off(traits[:, of_pits] @ fitted(of_pits)[0] / HUNDREDTHS),
            "all traits": off(traits[:, columns] @ weights / HUNDREDTHS),
        },
    )


def _positions(
    player: SowingPlayer,
    traits: Traits,
    lines: Iterable[str],
    on_game: Callable[[], None],
) -> Iterator[list[float]]:
    """Yield of each position its game, what was gained, and hoped for, and its traits.

    What came up by moves of chance is left out, but for the last of them, and so is
    what is no choice of a sowing.
    """
    engine = player.game.engine
    evaluate = engine.evaluate or by_score(engine)
    for number, (random_moves, boards, margin) in enumerate(player.read(lines)):
        for board in boards[max(random_moves - 1, 0) :]:
            claims = engine.claiming >= 0 and board[engine.claiming]
            if board[engine.over] or claims:
                continue
            sign, score = 1 - 2 * board[engine.turn], engine.score(board)
            hoped = (evaluate(board) + engine.insight(board)) / HUNDREDTHS - score
            yield [number, sign * (margin - score), sign * hoped, *traits.of(board)]
        on_game()
