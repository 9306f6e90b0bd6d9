"""What the replicas hold: nothing is told of a stream before enough of them have it.

An append that was recorded, but not acknowledged for want of replicas, must not be
learned of in another way: a replica that takes over does not know it. So an append
marks its stream, in the same atomic step, until the replicas are known to hold it.
Whoever finds a mark waits for them before telling what was read; all others go on.
"""

import threading

from services.eventlog.connection import Argument, Connections
from services.eventlog.errors import LogUnavailable
from services.eventlog.records import Replication
from services.languages import Message

MARK = "u"
"""The field of a stream's state: the version that may not be held yet."""

# Only the mark that was seen: a later append has set another, which stands.
UNMARK = f"""
if redis.call('HGET', KEYS[1], '{MARK}') == ARGV[1] then
    return redis.call('HDEL', KEYS[1], '{MARK}')
end
return 0
"""
KEEPS_UP_S = 5
"""A replica not heard of for longer is taken for gone; it speaks once a second."""

Command = tuple[Argument, ...]


class Replicas:
    """Waits for the replicas of one server; with none wanted, never."""

    def __init__(self, redis: Connections, wanted: int, timeout_ms: int) -> None:
        """Wait for *wanted* replicas, for so long at most."""
        self._redis = redis
        self.wanted = wanted
        self._timeout_ms = timeout_ms
        self._held: dict[str, str] = {}  # state key to version: marks to be removed
        self._lock = threading.Lock()

    @property
    def wait(self) -> Command:
        """Return the command that waits for what its connection has written.

        It has to follow a write in the same exchange. On a connection without one it
        counts whoever is there, whatever they hold; and a lost connection is replaced.
        """
        return ("WAIT", self.wanted, self._timeout_ms)

    def check(self, held: int) -> None:
        """Do nothing if so many replicas are enough.

        :raises LogUnavailable: they are too few.
        """
        if held < self.wanted:
            raise LogUnavailable(
                Message(
                    "recorded, but only {held} of {wanted} replicas hold it yet",
                    held=held,
                    wanted=self.wanted,
                )
            )

    def await_all(self, partition: int) -> None:
        """Return when they hold all that was written until now, by whomever.

        :raises LogUnavailable: too few of them do so in time.
        """
        if not self.wanted:
            return
        write = ("SET", f"fence:{{{partition}}}", "")
        self.check(self._redis.call_all([*self.take_unmarks(), write, self.wait])[-1])

    def await_marked(self, state_key: str, partition: int, mark: str | None) -> None:
        """Return when they hold what was read of a stream that bears this *mark*.

        :raises LogUnavailable: too few of them do so in time.
        """
        with self._lock:
            is_held = mark is None or self._held.get(state_key) == mark
        if not is_held:
            self.await_all(partition)
            self.note_held(state_key, str(mark))

    def note_held(self, state_key: str, version: str) -> None:
        """Note that a stream is held up to there; its mark goes with a later write."""
        with self._lock:
            self._held[state_key] = version

    def take_unmarks(self) -> list[Command]:
        """Return the commands that remove marks, to be sent with the next write.

        Sent alone they would cost each append a second write. One that is lost leaves
        a mark, which costs the next reader a wait.
        """
        with self._lock:
            held, self._held = self._held, {}
        return [("EVAL", UNMARK, 1, key, version) for key, version in held.items()]

    def count(self) -> Replication:
        """Return how many are wanted, and how many keep up."""
        if not self.wanted:
            return Replication(0, 0)
        lines = self._redis.call("INFO", "replication").splitlines()
        return Replication(self.wanted, sum(map(_keeps_up, lines)))


def _keeps_up(line: str) -> bool:
    """Tell whether a line of INFO is of a replica that keeps up."""
    name, _, text = line.partition(":")
    if not (name.startswith("slave") and name[5:].isdigit()):
        return False
    facts = dict(fact.split("=", 1) for fact in text.split(","))
    return facts["state"] == "online" and int(facts["lag"]) <= KEEPS_UP_S
