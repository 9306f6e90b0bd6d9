"""The timekeeper: records that a time ran out when nobody else has noticed.

Any number of them may run. What one records is the same whoever does it, at whatever
moment, and the append lets one through. So nothing is decided here, only noticed.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Thread

import structlog

from services.eventlog import Alarms, LogUnavailable
from services.logs import Absence, Seldom
from services.match.refusals import Refused
from services.match.service import MatchService

LOOK_EVERY_MS = 40
AHEAD_MS = 1_000
"""Matches whose time comes so soon are read before it comes."""

AT_ONCE = 2_000
CALLS_AT_ONCE = 16
"""Each waits until the disk has it, and the disk takes many at once as fast as one."""

QUARANTINE_MS = 3_600_000
AWAY_MS = 2_000
"""So much later a match is called whose server cannot be asked for it now."""

FAILED_MS = 500
"""So long all rests after what nobody has foreseen."""

BEHIND_MS = 60
"""So much later a stand-in looks: it finds only what the first one has left."""

STAND_IN_LOOKS_EVERY_MS = 100

LOG_AWAY = Absence("timekeeper waits", "timekeeper goes on")
TIMES_WAIT = Seldom(60)

log = structlog.get_logger()


class Timekeeper:
    """Waits for the alarms of a log, and calls time."""

    def __init__(
        self,
        alarms: Alarms,
        matches: MatchService,
        now_ms: Callable[[], int],
        *,
        is_stand_in: bool = False,
    ) -> None:
        """Watch a log; as a stand-in a little later, for when nobody else does."""
        self._log = alarms
        self._matches = matches
        self._now_ms = now_ms
        self._behind_ms = BEHIND_MS if is_stand_in else 0
        self._ahead_ms = 0 if is_stand_in else AHEAD_MS
        self._every_ms = STAND_IN_LOOKS_EVERY_MS if is_stand_in else LOOK_EVERY_MS
        self._ready: dict[str, int] = {}
        self._pool = ThreadPoolExecutor(CALLS_AT_ONCE)

    def start(self, should_stop: Callable[[], bool]) -> Thread:
        """Begin a thread that keeps time until told to stop."""
        thread = Thread(target=self.run, args=(should_stop,), daemon=True)
        thread.start()
        return thread

    def run(self, should_stop: Callable[[], bool]) -> None:
        """Keep time until told to stop, through any absence of the log."""
        while not should_stop():
            try:
                self.run_once()
                LOG_AWAY.over()
            except LogUnavailable as error:
                LOG_AWAY.note(error)
                pause(self._every_ms)
            except Exception:  # the process lives on, and nobody else may keep time
                log.exception("timekeeper failed")
                pause(FAILED_MS)

    def run_once(self) -> int:
        """Call what runs out until the next look; return how many times were ours."""
        next_look = self._now() + self._every_ms
        calls: list[Future[bool]] = []
        coming = self._log.alarms(self._now() + self._ahead_ms, AT_ONCE)
        self._ready = {s: at for s, at in self._ready.items() if coming.get(s) == at}
        waiting = [(s, at) for s, at in coming.items() if s not in self._ready]
        for match_id, at_ms in coming.items():
            while self._now() < min(at_ms, next_look) and waiting:
                self._make_ready(*waiting.pop(0))
            pause(min(at_ms, next_look) - self._now())
            if self._now() < at_ms:
                break
            calls.append(self._pool.submit(self._call, match_id))
        pause(next_look - self._now())
        return sum(call.result() for call in calls)

    def _now(self) -> int:
        return self._now_ms() - self._behind_ms

    def _make_ready(self, match_id: str, at_ms: int) -> None:
        """Read a match now, so that its time costs nothing but an append."""
        self._ready[match_id] = at_ms
        try:
            self._matches.load(match_id)
        except Refused as refusal:  # a warning, when its time comes
            log.info("time to come", match=match_id, reason=str(refusal))

    def _call(self, match_id: str) -> bool:
        try:
            return self._matches.call_time(match_id)
        except LogUnavailable as error:  # its server; those of others may be well
            TIMES_WAIT.warn("match", "time waits", match=match_id, reason=str(error))
            self._log.put_off({match_id: self._now() + AWAY_MS})
            return False
        except Exception:  # whatever it is: the times of others go on
            log.exception("time not called", match=match_id)
            self._log.put_off({match_id: self._now() + QUARANTINE_MS})
            return False


def pause(ms: int) -> None:
    """Wait for so many milliseconds, if any."""
    if ms > 0:
        time.sleep(ms / 1000)
