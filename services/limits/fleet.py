"""The computer players of all tenants together: how many turns may wait for one."""

from collections.abc import Callable

from services.cache import Cache
from services.languages import Explained, Message

LOOK_EVERY_S = 1.0


class TooManyTurns(Explained):
    """So many turns wait for a computer player that no further match is taken on."""

    def __init__(self, waiting: int, limit: int) -> None:
        """Keep how many wait, and how many may."""
        super().__init__(
            Message(
                "{waiting} turns wait for a computer player, and {limit} may; matches "
                "that have begun go on",
                waiting=waiting,
                limit=limit,
            )
        )
        self.waiting = waiting
        self.limit = limit


class Fleet:
    """Says whether a match against a computer player can begin now."""

    def __init__(self, waiting: Callable[[], int], most: int) -> None:
        """Let so many turns wait at the *most*; 0: any number."""
        self._waiting = waiting
        self._most = most
        self._seen: Cache[str, int] = Cache(1, life_s=LOOK_EVERY_S)

    def admit(self) -> None:
        """Let a match begin, as far as was seen within the last second.

        :raises TooManyTurns: too many wait already.
        """
        if not self._most:
            return
        waiting = self._seen.get("turns")
        if waiting is None:
            waiting = self._seen.put("turns", self._waiting())
        if waiting >= self._most:
            raise TooManyTurns(waiting, self._most)
