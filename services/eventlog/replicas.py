"""What the replicas hold: nothing is told of a stream before enough of them have it.

An append that was recorded, but not acknowledged for want of replicas, must not be
learned of in another way: a replica that takes over does not know it. So an append
marks its stream, in the same atomic step, until the replicas are known to hold it.
Whoever finds a mark waits for them before telling what was read; all others go on.
"""

import threading

from services.eventlog.connection import Argument, Connections
from services.eventlog.errors import TooFewReplicas
from services.eventlog.keys import key_of
from services.eventlog.records import PARTITIONS, Replication
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
# A full server refuses a script that begins with what takes room, as it does a command.
FENCE = "redis.call('DEL', KEYS[1]) return redis.call('SET', KEYS[1], '')"

KEEPS_UP_S = 5
"""A replica not heard of for longer is taken for gone; it speaks once a second."""

ASKED = 4
"""So often the replicas are asked within the time. `WAIT` asks whoever is there when it
begins, once: one that comes back meanwhile would speak by itself, a second later."""

Command = tuple[Argument, ...]


def fence(key: str) -> Command:
    """Return a write to a key that is for this alone; a full server takes it, too."""
    return ("EVAL", FENCE, 1, key)


def waits(wanted: int, timeout_ms: int) -> list[Command]:
    """Return the commands that wait for what their connection has written.

    They have to follow a write in the same exchange, or a `fence`. On a connection
    without one they count whoever is there, whatever they hold; and a lost connection
    is replaced. The reply of the last one counts.
    """
    time_ms = max(1, timeout_ms // ASKED)  # 0 would be for ever
    return [("WAIT", wanted, time_ms)] * ASKED


def refuse_too_few(held: int, wanted: int) -> None:
    """Do nothing if so many replicas are enough.

    :raises TooFewReplicas: they are too few.
    """
    if held < wanted:
        raise TooFewReplicas(
            Message(
                "recorded, but only {held} of {wanted} replicas hold it yet",
                held=held,
                wanted=wanted,
            )
        )


class Replicas:
    """Waits for the replicas of each server; with none wanted, never."""

    def __init__(
        self,
        redis: Connections,
        wanted: int,
        timeout_ms: int,
        *,
        is_spread: bool = False,
    ) -> None:
        """Wait for *wanted* replicas, for so long at most.

        *is_spread*: partitions stand on several servers, and each is written to by
        itself, or one that is away would hold up the others.
        """
        self._redis = redis
        self._is_spread = is_spread
        self.wanted = wanted
        self._timeout_ms = timeout_ms
        # Of each partition, state key to version: marks to be removed.
        self._held: dict[int, dict[str, str]] = {}
        self._lock = threading.Lock()

    @property
    def wait(self) -> list[Command]:
        """Return the commands that wait for what their connection has written."""
        return waits(self.wanted, self._timeout_ms)

    def check(self, held: int) -> None:
        """Do nothing if so many replicas are enough.

        :raises TooFewReplicas: they are too few.
        """
        if held < self.wanted:
            # Cut off from its own, it knows of no other master; Sentinels do.
            self._redis.close()
        refuse_too_few(held, self.wanted)

    def await_all(self, partition: int) -> None:
        """Return when they hold all that was written until now, by whomever.

        Asked once, on the connection of this thread: a server that has followed
        another, or has its slot now, would vouch for what was read there, and only
        that one had.

        :raises LogUnavailable: too few of them do so in time.
        """
        if not self.wanted:
            return
        written = fence(key_of("fence", partition))
        asked = [*self.take_unmarks(partition), written, *self.wait]
        self.check(self._redis.call_all_there(asked)[-1])

    def await_everywhere(self) -> None:
        """Return when they hold all that was written to any partition.

        :raises LogUnavailable: too few of them do so in time.
        """
        for partition in range(PARTITIONS if self._is_spread else 1):
            self.await_all(partition)  # the first that too few hold ends it

    def await_marked(self, state_key: str, partition: int, mark: str | None) -> None:
        """Return when they hold what was read of a stream that bears this *mark*.

        :raises LogUnavailable: too few of them do so in time.
        """
        with self._lock:
            held = self._held.get(self._place(partition), {})
            is_held = mark is None or held.get(state_key) == mark
        if not is_held:
            self.await_all(partition)
            self.note_held(state_key, partition, str(mark))

    def note_held(self, state_key: str, partition: int, version: str) -> None:
        """Note that a stream is held up to there; its mark goes with a later write."""
        with self._lock:
            self._held.setdefault(self._place(partition), {})[state_key] = version

    def take_unmarks(self, partition: int | None = None) -> list[Command]:
        """Return the commands that remove marks, to be sent with the next write.

        That is one to this *partition*, or to anywhere. Sent alone they would cost each
        append a second write. One that is lost leaves a mark, which costs the next
        reader a wait.
        """
        with self._lock:
            if partition is None:
                taken, self._held = [*self._held.values()], {}
            else:
                taken = [self._held.pop(self._place(partition), {})]
        return [
            ("EVAL", UNMARK, 1, key, version)
            for held in taken
            for key, version in held.items()
        ]

    def count(self) -> Replication:
        """Return how many are wanted, and how many keep up."""
        if not self.wanted:
            return Replication(0, 0)
        servers = self._redis.call_everywhere("INFO", "replication")
        found = min(sum(map(_keeps_up, told.splitlines())) for told in servers)
        return Replication(self.wanted, found)

    def _place(self, partition: int) -> int:
        return partition if self._is_spread else 0


def _keeps_up(line: str) -> bool:
    """Tell whether a line of INFO is of a replica that keeps up."""
    name, _, text = line.partition(":")
    if not (name.startswith("slave") and name[5:].isdigit()):
        return False
    facts = dict(fact.split("=", 1) for fact in text.split(","))
    return facts["state"] == "online" and int(facts["lag"]) <= KEEPS_UP_S
