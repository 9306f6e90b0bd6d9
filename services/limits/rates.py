"""Rates: how often somebody asks, counted in this process and told to the others.

A window slides: of the window before, as much counts as the present one has still to
come. A request is counted here, at the cost of a look-up; what has come together is
told to Redis beside the requests, at most once a second, and what the others have
counted is learnt with it. What is little is not told: all processes of a host together
keep a twentieth of a quota to themselves at most. So of one limit as much too much may
pass, and what comes within a second at other processes.

Where it has to be exact, `take_at_once` asks Redis each time.
"""

import math
import threading
import time
from collections.abc import Callable
from importlib.resources import files

import structlog

from services.eventlog import LogUnavailable
from services.eventlog.library import connect_redis
from services.limits.policies import Policy
from services.limits.refusals import RateExceeded
from services.logs import Absence
from services.names import redis_key

TOLD_EVERY_S = 1.0
UNTOLD_SHARE = 20
IDLE_TURNS = 10
ONCE_S = 3600
MOST_COUNTERS = 100_000
"""In memory; then those go that were not asked for lately: see `_make_room`."""

TAKE = files("services.limits").joinpath("take.lua").read_text("utf-8")
LOG_AWAY = Absence("rates are not shared", "rates are shared again")

log = structlog.get_logger()


Standing = tuple[Policy, int, int]
"""How somebody stands with a policy: what is left, and in how many seconds the window
ends."""


class _Counter:
    """What is known of one who is counted: in the window before, and in this one."""

    __slots__ = ("before", "is_due", "known", "policy", "untold", "who", "window")

    def __init__(self, policy: Policy, who: str, window: int) -> None:
        self.policy, self.who, self.window = policy, who, window
        self.before = self.known = self.untold = 0
        self.is_due = False

    def used(self, into: float) -> float:
        """Return what counts when so much of the window, 0 to 1, is over."""
        return self.known + self.untold + self.before * (1 - into)

    def pass_to(self, window: int) -> tuple[int, int]:
        """Go on to a window; return what was not told of which one."""
        late = (self.window, self.untold)
        total = self.known + self.untold
        self.before = total if window == self.window + 1 else 0
        self.window, self.known, self.untold = window, 0, 0
        return late


class Rates:
    """The counters of this process."""

    def __init__(
        self,
        redis_url: str,
        processes: int = 1,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        """Share counters with others over Redis, one of so many *processes* here."""
        self._redis = connect_redis(redis_url)
        self._take_exactly = self._redis.register_script(TAKE)
        self._now_s = now_s
        self._share = UNTOLD_SHARE * processes
        self._lock = threading.Lock()
        self._counters: dict[tuple[str, str], _Counter] = {}
        self._due: list[_Counter] = []
        self._late: list[tuple[Policy, str, int, int]] = []
        self._thread: threading.Thread | None = None

    def take(self, policy: Policy, who: str) -> Standing:
        """Count a request. One that is refused is not counted.

        :raises RateExceeded: there were as many as may be.
        """
        window, into = self._window(policy)
        with self._lock:
            counter = self._counter(policy, who, window)
            used = counter.used(into) + 1
            if used > policy.quota:
                raise _exceeded(policy, counter, into)
            counter.untold += 1
            if counter.untold * self._share >= policy.quota and not counter.is_due:
                self._tell_soon(counter)
        return policy, int(policy.quota - used), _rest_s(policy, into)

    def take_at_once(
        self,
        policy: Policy,
        who: str,
        refusal: type[RateExceeded] = RateExceeded,
        once: str = "",
    ) -> Standing:
        """Count a request with all others that are counted anywhere, exactly.

        Those that name the same *once* are counted once within an hour.

        :raises RateExceeded: as *refusal*: there were as many as may be.
        :raises LogUnavailable: Redis does not answer.
        """
        window, into = self._window(policy)
        counter = _Counter(policy, who, window)
        keys = [_key(policy, who, number) for number in (window, window - 1)]
        if once:
            keys.append(redis_key(_counted(policy, who), "once", once))
        is_counted, counter.known, counter.before = self._take_exactly(
            keys, [policy.quota, 1 - into, 2 * policy.window_s + 1, ONCE_S]
        )
        if not is_counted:
            raise _exceeded(policy, counter, into, refusal)
        remaining = max(int(policy.quota - counter.used(into)), 0)
        return policy, remaining, _rest_s(policy, into)

    def standing(self, policy: Policy, who: str) -> Standing:
        """Tell how somebody stands, as this process knows it; nothing is counted."""
        window, into = self._window(policy)
        with self._lock:
            used = self._counter(policy, who, window).used(into)
        remaining = max(int(policy.quota - used), 0)
        return policy, remaining, _rest_s(policy, into)

    def tell(self) -> None:
        """Tell Redis what has come together, and learn what the others have counted.

        :raises LogUnavailable: Redis does not answer; it is told another time.
        """
        with self._lock:
            due, self._due = self._due, []
            late, self._late = self._late, []
        try:
            while late:
                self._tell(*late[-1])
                late.pop()
            while due:
                self._settle(due[-1])
                due.pop()
        finally:
            with self._lock:
                self._due += due
                self._late += late[-MOST_COUNTERS:]

    # -- the counters; with the lock

    def _window(self, policy: Policy) -> tuple[int, float]:
        """Return the number of the present window, and how much of it is over."""
        windows = self._now_s() / policy.window_s
        number = int(windows)
        return number, windows - number

    def _counter(self, policy: Policy, who: str, window: int) -> _Counter:
        counter = self._counters.get((policy.name, who))
        if counter is None:
            if len(self._counters) >= MOST_COUNTERS:
                self._make_room()
            counter = _Counter(policy, who, window)
            self._counters[policy.name, who] = counter
        elif counter.window != window:
            number, untold = counter.pass_to(window)
            if untold * self._share >= policy.quota:
                self._late.append((policy, who, number, untold))
        return counter

    def _make_room(self) -> None:
        """Forget whom nobody has heard of for a window, or else the oldest tenth."""
        kept = {
            name: counter
            for name, counter in self._counters.items()
            if counter.window >= self._window(counter.policy)[0] - 1
        }
        for name in list(kept)[: max(len(kept) - MOST_COUNTERS * 9 // 10, 0)]:
            del kept[name]
        self._counters = kept

    def _tell_soon(self, counter: _Counter) -> None:
        counter.is_due = True
        self._due.append(counter)
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True, name="rates")
            self._thread.start()

    # -- the thread that tells; it ends when there has been nothing to tell for a while

    def _run(self) -> None:
        idle = 0
        while True:
            time.sleep(TOLD_EVERY_S)
            with self._lock:
                idle = 0 if self._due or self._late else idle + 1
                if idle > IDLE_TURNS:
                    self._thread = None
                    return
            try:
                self.tell()
                LOG_AWAY.over()
            except LogUnavailable as error:  # each process then counts for itself
                LOG_AWAY.note(error)
            except Exception:  # whatever it is: requests are counted on
                log.exception("rates were not told")

    def _settle(self, counter: _Counter) -> None:
        with self._lock:
            window, untold = counter.window, counter.untold
        known, before = self._tell(counter.policy, counter.who, window, untold)
        with self._lock:
            counter.is_due = False
            if counter.window != window:  # it has passed on, and was told as late, too
                return
            counter.untold -= untold
            counter.known = max(known, counter.known + untold)
            counter.before = max(before, counter.before)

    def _tell(
        self, policy: Policy, who: str, window: int, count: int
    ) -> tuple[int, int]:
        """Count on in Redis; return what that makes, and what the window before had."""
        key = _key(policy, who, window)
        with self._redis.pipeline(transaction=False) as pipe:
            pipe.incrby(key, count).expire(key, 2 * policy.window_s + 1)
            counted, _, before = pipe.get(_key(policy, who, window - 1)).execute()
        return int(counted), int(before or 0)


def _key(policy: Policy, who: str, window: int) -> str:
    return redis_key(_counted(policy, who), str(window))


def _counted(policy: Policy, who: str) -> str:
    """Return what keys begin with; the hash tag keeps those of a script together."""
    return f"rate:{{{redis_key(policy.name, who)}}}"


def _exceeded(
    policy: Policy,
    counter: _Counter,
    into: float,
    refusal: type[RateExceeded] = RateExceeded,
) -> RateExceeded:
    """Return the refusal: it says when one more request will be allowed."""
    room = policy.quota - 1
    present = counter.known + counter.untold
    if room < 0:
        windows = 1.0
    elif present <= room:  # the window before has to slide away, so far
        windows = 1 - (room - present) / counter.before - into
    else:  # so has this one, when it is over
        windows = 1 - into + 1 - room / present
    return refusal(policy, max(math.ceil(windows * policy.window_s), 1))


def _rest_s(policy: Policy, into: float) -> int:
    return math.ceil((1 - into) * policy.window_s)
