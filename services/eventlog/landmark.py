"""A stream as it was once: by it a log is known again, and told from another one."""

from dataclasses import dataclass

from services.eventlog.errors import LogDamaged
from services.eventlog.event import chain_all, genesis
from services.eventlog.port import Streams


@dataclass(frozen=True, slots=True)
class Landmark:
    """The head hash that a stream had at a version."""

    stream: str
    version: int
    head: str

    def is_in(self, log: Streams) -> bool:
        """Tell whether a log holds the stream, as it was then or gone on since."""
        try:
            events = log.read(self.stream, 0, self.version)
        except LogDamaged:
            return False
        return chain_all(genesis(self.stream), events) == self.head
