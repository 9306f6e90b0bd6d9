"""Waits for opponents, for seeks that ask for them, by looking into their lobbies.

While somebody waits, the thread keeps their seeks alive, takes its turn in giving those
to each other who fit, and looks for what was found, here or by another process. Whose
connection is closed, is given nobody, unless another connection asks for the seek.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from services.api.waiting import Waiting
from services.http.wire.later import Wake
from services.lobby import Lobby, Seek

SEEKING = "seedlog.seeking"
MOST_WAITING = 2000
LOOK_S = 0.2


@dataclass(frozen=True, eq=False, slots=True)
class Waiter:
    """A request that waits for what a seek finds."""

    seek: Seek
    until: float
    is_gone: Callable[[], bool]
    wake: Wake

    @property
    def topic(self) -> str:
        """Return the tenant, whose lobby it is."""
        return self.seek.tenant


class Seeking(Waiting[Waiter]):
    """The requests of this process that wait for an opponent, so many at the most."""

    def __init__(self, lobby: Lobby, most: int = MOST_WAITING) -> None:
        """Look into a lobby; nothing is read before somebody waits."""
        super().__init__("seeks", most)
        self._lobby = lobby

    def wait(
        self, seek: Seek, within_s: float, is_gone: Callable[[], bool], wake: Wake
    ) -> bool:
        """Wake somebody with True once a seek is no more, or else with False in time.

        False: as many wait as may; nobody is woken.
        """
        return self._add(Waiter(seek, time.monotonic() + within_s, is_gone, wake))

    # -- the thread

    def _follow(self) -> None:
        """Look into the lobby of each tenant who waits, now and then."""
        for tenant in self._topics():
            self._look(self._lobby.of(tenant), self._those(tenant))
        self._end_late()
        time.sleep(LOOK_S)

    def _look(self, lobby: Lobby, waiting: set[Waiter]) -> None:
        gone = {waiter for waiter in waiting if waiter.is_gone()}
        lobby.let_go(waiter.seek.id for waiter in gone)
        self._wake(gone, is_there=False)
        present = waiting - gone
        ids = [waiter.seek.id for waiter in present]
        lobby.renew(ids)
        lobby.match_up()
        over = lobby.have_found(ids)
        self._wake([w for w in present if w.seek.id in over], is_there=True)
