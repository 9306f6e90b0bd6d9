"""The job that plays an AI's turn: it thinks, and comes in by the same door as all."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial

import structlog

from rules_core import Position
from rules_core.search.cancel import Cancel
from rules_core.search.thinking import Thought
from services.bootstrap import Services, connect, now_ms
from services.environment import from_environment
from services.eventlog import LogUnavailable
from services.match import Match, MatchService, PlayMove
from services.match.refusals import MatchOver, NotYourTurn, PositionChanged, Refused
from services.metrics.figures import (
    NODES,
    OVERSHOOT_SECONDS,
    REPLY_SECONDS,
    THINK_SECONDS,
    TURNS,
)
from services.names import is_sandbox
from workers import log_there
from workers.ai import choose
from workers.ai.levels import TIME_S

ATTEMPTS = 3
"""So often an AI may fail before its weakest level moves in its place."""

WAIT_FOR_LOG_S = 5.0
HASTY_LEVEL = 1
"""How every AI of a sandbox thinks, whatever its level: for a millisecond or so."""

LOOK_EVERY_S = 0.1
"""How often an AI looks whether its turn is still to be played, while it thinks."""

SHARE, OF_GAIN, LEAST_S = 20, 0.7, 0.005

Choose = Callable[..., str]
"""Position, level and seed to a move, until *cancel* is set; in *time_s* seconds."""

log = structlog.get_logger()


def run(match_id: str, version: int, attempt: int) -> None:
    """Play a turn; what RQ calls, with ids and numbers only."""
    services = _services()
    chance = services.seat_tokens.derive("ai", f"{match_id} {version}", 16)
    seed = int.from_bytes(chance.encode())
    deadline = time.monotonic() + WAIT_FOR_LOG_S
    choose_move = partial(choose, note=note_thought)
    while True:
        try:
            play_turn(services.matches, match_id, version, attempt, seed, choose_move)
        except LogUnavailable as error:  # it restarts: sooner than the sweep notices
            if time.monotonic() > deadline:
                # Not a failure of the AI: the sweep asks again once the log is there.
                facts = {"match": match_id, "version": version, "reason": str(error)}
                log.warning("turn left to the sweep", **facts)
                TURNS.add("left")
                log_there.doubt()
                return
            time.sleep(0.1)
        else:
            return


def play_turn(
    matches: MatchService,
    match_id: str,
    version: int,
    attempt: int,
    seed: int,
    choose_move: Choose,
) -> None:
    """Play a move on the position of *version*; do nothing if it has moved on.

    Safe to run twice: the second run finds a newer position and stops.
    """
    match = matches.load(match_id)
    ai = match.ai_to_move
    if ai is None or match.position is None or match.position_version > version:
        _note_turn("skipped", match_id, version)
        return
    failed = attempt - 1 if attempt > ATTEMPTS else 0
    level = HASTY_LEVEL if failed else ai.level
    is_hasty = is_sandbox(match.tenant)
    choose_in_time = choose_move
    if (time_s := time_to_think(match, now_ms())) < TIME_S:
        choose_in_time = partial(choose_move, time_s=time_s)
    level_now = HASTY_LEVEL if is_hasty else level
    with _watched(matches, match) as cancel:
        move = choose_in_time(
            match.position, level_now, seed, cancel=cancel, ladder=ai.ladder
        )
    if cancel.is_set():
        _note_turn("overtaken", match_id, version)
        return
    command = PlayMove(seat=_seat(match), move=move, failed=failed)
    try:
        matches.handle(
            match_id, command, by=f"ai:{level}", expected_version=match.version
        )
    except (PositionChanged, NotYourTurn, MatchOver):
        _note_turn("overtaken", match_id, version)
    else:
        TURNS.add("played")
        REPLY_SECONDS.observe(max(now_ms() - match.updated_at_ms, 0) / 1000)


def note_thought(position: Position, thought: Thought, time_s: float) -> None:
    """Measure how an AI has thought, and whether longer than it had."""
    game = position.game.key
    THINK_SECONDS.observe(thought.time_s, game)
    NODES.add(game, by=thought.nodes)
    OVERSHOOT_SECONDS.observe(max(thought.time_s - time_s, 0))


def _note_turn(outcome: str, match_id: str, version: int) -> None:
    TURNS.add(outcome)
    log.info(f"turn {outcome}", match=match_id, version=version)


@contextmanager
def _watched(matches: MatchService, match: Match) -> Iterator[Cancel]:
    """Yield what is set as soon as the turn is no longer there to be played."""
    cancel, done = Cancel(), threading.Event()

    def look() -> None:
        version = match.version
        while not cancel.is_set() and not done.wait(LOOK_EVERY_S):
            try:
                if matches.head(match.id).version == version:
                    continue
                latest = matches.load(match.id)
            except (LogUnavailable, Refused):
                return  # whoever thinks is told when it comes with its move
            version = latest.version
            is_same = latest.position_version == match.position_version
            if latest.ai_to_move is None or not is_same:
                cancel.set()

    thread = threading.Thread(target=look, name="turn", daemon=True)
    thread.start()
    try:
        yield cancel
    finally:
        done.set()
        thread.join()


def time_to_think(match: Match, at_ms: int) -> float:
    """Return the seconds an AI may think at a time: a share of what its clock has left.

    A twentieth, and most of what the move earns or is spared; so it lasts for a match.
    """
    clock = match.clock
    if clock is None or not clock.turn:
        return TIME_S
    gain_ms = 1000 * sum(clock.control.get(n, 0) for n in ("increment_s", "delay_s"))
    left_ms = clock.left(clock.turn, at_ms)
    share_ms = left_ms / SHARE + min(gain_ms, left_ms) * OF_GAIN
    return min(max(share_ms / 1000, LEAST_S), TIME_S)


def _seat(match: Match) -> str:
    seat = match.to_move
    assert seat is not None, "an AI is to move"  # noqa: S101
    return seat


@cache
def _services() -> Services:
    """Connect once in the life of a worker."""
    return connect(from_environment())


def warm_up() -> Services:
    """Connect before the first job, which then starts at once."""
    return _services()
