"""The job of an analysis: thinks at leisure, and tells what it finds as it finds it.

It thinks in a thread of the lowest priority, for all time that a processor has left,
while its own thread says that it lives and looks whether it has to stop: a search in C
hears no signal. It may run twice, or die anywhere: whoever has the analysis tells, and
another goes on behind what was told.
"""

import os
import secrets
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import structlog

from rules_core import Position, restore
from rules_core.search.cancel import Cancel
from rules_core.search.root import final_margin
from rules_core.search.thinking import Budget, Line, Thought, think
from services.analysis import MATCH, Analyses, Analysis, Found, NoSuchAnalysis
from services.analysis.analyses import BELIEVED_MS
from services.analysis.analysis import DEPTH, PLY
from services.analysis.judging import judge
from services.bootstrap import Services, connect
from services.environment import from_environment
from services.eventlog import LogUnavailable
from services.match import Match, MatchService
from services.match.refusals import Refused
from workers import log_there

RENEW_S = 0.25
"""How often a worker says that it lives; as soon it hears that nobody wants to know."""
BELIEVED_S = BELIEVED_MS / 1000
TELL_EVERY_S = 0.05
SHARE_S = 10.0
"""After so long a match lets others go first; a position has a minute at the most."""
LONGEST_LINE = 12
LOWEST_PRIORITY = 19

Think = Callable[..., Thought]

log = structlog.get_logger()

_stop = threading.Event()


def stop_soon() -> None:
    """Let the job at hand give its analysis back; a worker that has to end asks."""
    _stop.set()


def run(analysis_id: str) -> None:
    """Carry an analysis on to its end; what RQ calls, with an id only."""
    services = _services()
    try:
        analyse(services.analyses, services.matches, analysis_id, _stop)
    except LogUnavailable as error:  # somebody goes on with it once the log is back
        log.warning("analysis waits", analysis=analysis_id, reason=str(error))
        log_there.doubt()


def analyse(
    analyses: Analyses,
    matches: MatchService,
    analysis_id: str,
    stop: threading.Event,
    think_about: Think = think,
    *,
    takes_hints: bool = True,
) -> None:
    """Think about an analysis until all is found, nobody wants it, or *stop* is set.

    With *takes_hints*, one that waits meanwhile is thought about beside it: a player
    waits, and an analysis may take minutes.
    """
    worker = secrets.token_hex(8)
    analysis = analyses.begin(analysis_id, worker)
    if analysis is None:
        log.info("analysis skipped", analysis=analysis_id)
        return
    job = Job(analyses, matches, analysis, worker, think_about)
    thread = threading.Thread(target=job.run, daemon=True)
    thread.start()
    beside = Beside(analyses, matches, stop, think_about) if takes_hints else None
    believed_until = time.monotonic() + BELIEVED_S
    try:
        while thread.is_alive() and not stop.is_set():
            thread.join(RENEW_S)
            try:
                if thread.is_alive() and not analyses.renew(analysis_id, worker):
                    break  # it was canceled, or believed to be left alone
                believed_until = time.monotonic() + BELIEVED_S
                if beside is not None:
                    beside.look()
            except LogUnavailable:  # nobody has died of that
                if time.monotonic() > believed_until:
                    raise
    finally:
        job.cancel.set()
        thread.join()
        if beside is not None:
            beside.join()
    if job.is_done:
        return
    if stop.is_set():
        analyses.give_back(analysis, worker)
    elif job.gives_way:
        analyses.give_way(analysis, worker)
    elif job.error is not None:
        _note(analyses, analysis, job.error)


def _note(analyses: Analyses, analysis: Analysis, error: Exception) -> None:
    """Say that an analysis has failed, unless the log is away: then another goes on."""
    if isinstance(error, LogUnavailable):
        raise error
    log.error("analysis failed", analysis=analysis.id, exc_info=error)
    reason = "match-unreadable" if isinstance(error, Refused) else "error"
    analyses.fail(analysis, reason)


class Beside:
    """A hint at a time, thought about while an analysis takes its time."""

    def __init__(
        self,
        analyses: Analyses,
        matches: MatchService,
        stop: threading.Event,
        think_about: Think,
    ) -> None:
        """Take what an analysis is thought about with."""
        self._given = (stop, think_about)
        self._analyses = analyses
        self._matches = matches
        self._thread: threading.Thread | None = None

    def look(self) -> None:
        """Begin with the hint that waits longest, unless one is thought about."""
        if self._thread is not None and self._thread.is_alive():
            return
        hint = self._analyses.next_hint()
        if hint is not None:
            self._thread = threading.Thread(target=self._think, args=(hint,))
            self._thread.start()

    def join(self) -> None:
        """Wait until the hint is found, or given back."""
        if self._thread is not None:
            self._thread.join()

    def _think(self, hint: str) -> None:
        try:
            analyse(
                self._analyses, self._matches, hint, *self._given, takes_hints=False
            )
        except (LogUnavailable, NoSuchAnalysis) as error:  # another one looks for it
            log.warning("hint waits", analysis=hint, reason=str(error))


class Job:
    """One analysis in the hands of one worker."""

    def __init__(
        self,
        analyses: Analyses,
        matches: MatchService,
        analysis: Analysis,
        worker: str,
        think_about: Think,
    ) -> None:
        """Take what the worker has begun with."""
        self.cancel = Cancel()
        self.is_done = False
        self.gives_way = False
        self.error: Exception | None = None
        self._analyses = analyses
        self._matches = matches
        self._analysis = analysis
        self._asked = analysis.question
        self._held = (analysis, worker)
        self._think_about = think_about
        self._version = analysis.version

    def run(self) -> None:
        """Find what is asked; what goes wrong is kept."""
        os.nice(LOWEST_PRIORITY)  # of this thread alone, where that is possible
        try:
            told = self._analyses.events(self._analysis.id)
            if self._asked.kind == MATCH:
                self._judge_match(told)
            else:
                self._value_position(told)
            if not self.cancel.is_set() and not self.gives_way:
                self._patiently(lambda: self._analyses.finish(*self._held))
                self.is_done = not self.cancel.is_set()
        except Exception as error:  # noqa: BLE001
            self.error = error

    def _value_position(self, told: list[Found]) -> None:
        asked = self._asked
        position = restore(asked.game, asked.options, asked.snapshot, asked.rules)
        depths = [found.data["depth"] for found in told if found.type == DEPTH]
        depth_told = max(depths, default=0)  # it may have been cancelled just now
        next_at = 0.0

        def tell(thought: Thought, *, at_last: bool = False) -> None:
            nonlocal depth_told, next_at
            now = time.monotonic()
            if thought.depth <= depth_told or (now < next_at and not at_last):
                return
            depth_told, next_at = thought.depth, now + TELL_EVERY_S
            self._tell(DEPTH, thought_json(thought))

        tell(self._think(position, asked.lines, tell), at_last=True)

    def _judge_match(self, told: list[Found]) -> None:
        """Value each position once: it judges the move to it, and offers the best."""
        match = self._matches.load_at(self._asked.match, self._asked.version)
        done = max((f.data["ply"] for f in told if f.type == PLY), default=0)
        moves = [move for _, move in match.line]
        position = first_position(match)
        for move in moves[:done]:
            position = position.play(move)
        thought = self._think(position, 1) if done < len(moves) else None
        share_ends = time.monotonic() + SHARE_S
        for ply, move in enumerate(moves[done:], start=done + 1):
            after = position.play(move)
            following = None if after.outcome else self._think(after, 1)
            if self.cancel.is_set():
                return
            assert thought is not None, "a move was made there"  # noqa: S101
            value = value_after(position, after, following)
            judged = judge(position, move, line_json(thought.lines[0]), value)
            effort = {"nodes": thought.nodes, "time_ms": _ms(thought.time_s)}
            self._tell(PLY, {"ply": ply, **judged, **effort})
            position, thought = after, following
            if ply < len(moves) and time.monotonic() > share_ends:
                self.gives_way = self._analyses.is_waited_for()
                if self.gives_way:
                    return

    def _think(
        self,
        position: Position,
        lines: int,
        on_depth: Callable[[Thought], None] | None = None,
    ) -> Thought:
        asked = self._asked
        budget = Budget(time_s=asked.time_ms / 1000, nodes=asked.nodes or None)
        return self._think_about(
            position,
            budget,
            lines=lines,
            on_depth=on_depth,
            cancel=self.cancel,
            once_at_least=True,
        )

    def _tell(self, kind: str, data: dict[str, Any]) -> None:
        told = (*self._held, kind, data, self._version)
        if self._patiently(lambda: self._analyses.tell(*told)):
            self._version += 1
        else:
            self.cancel.set()

    def _patiently(self, tell: Callable[[], bool]) -> bool:
        """Tell something as soon as the log can be told, unless it is time to end."""
        while True:
            try:
                return tell()
            except LogUnavailable:
                if self.cancel.is_set():
                    return False
                time.sleep(RENEW_S)


def first_position(match: Match) -> Position:
    """Return the position that the moves of a match begin from."""
    return match.position_at(0)


def value_after(
    before: Position, after: Position, thought: Thought | None
) -> tuple[float, bool]:
    """Return what a position is worth to whoever moved to it, and whether exactly."""
    mover = before.to_move
    if thought is None:
        margin = float(final_margin(after))
        return (margin if mover == before.game.seats[0] else -margin), True
    best = thought.lines[0]
    return (best.value if after.to_move == mover else -best.value), best.exact


def thought_json(thought: Thought) -> dict[str, Any]:
    """Return what is known of a position as far as one has looked."""
    return {
        "depth": thought.depth,
        "nodes": thought.nodes,
        "time_ms": _ms(thought.time_s),
        "lines": [line_json(line) for line in thought.lines],
    }


def line_json(line: Line) -> dict[str, Any]:
    """Return a line of play: its first move is what it is about."""
    return {
        "moves": list(line.moves[:LONGEST_LINE]),
        "value": line.value,
        "exact": line.exact,
        "depth": line.depth,
    }


def _ms(time_s: float) -> int:
    return round(time_s * 1000)


@cache
def _services() -> Services:
    """Connect once in the life of a worker."""
    return connect(from_environment())


def warm_up() -> Services:
    """Connect before the first job, which then begins at once."""
    return _services()
