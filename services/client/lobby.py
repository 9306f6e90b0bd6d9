"""Finding somebody to play with: by chance, by invitation, or the same once more."""

import time
from typing import Any, cast

from services.client.pages import Request
from services.client.paths import given, match_path, part_of
from services.client.problems import Problem
from services.client.shapes import Invitation, OpenedMatch, Seek, TakenSeat

WAIT_S = 25
PAUSE_S = 1.0
GONE = "no-such-seek"


class Lobby:
    """What looks for opponents; who was invited needs a client with the invitation."""

    def __init__(self, request: Request) -> None:
        """Send by *request*."""
        self._request = request

    def find_opponent(
        self, game: str, *, within_s: float = 120.0, **wanted: Any
    ) -> Seek | None:
        """Look for an opponent until there is one; None if none came in time.

        *wanted* as in `seekOpponent`: ``options``, ``clock``, ``player``,
        ``rating_within``... The seek ends with this call, however it ends; None also if
        the player has sought anew elsewhere.
        """
        until = time.monotonic() + within_s
        seek = self.seek(game, wait_s=_wait_s(until), **wanted)
        try:
            while seek["status"] == "waiting" and time.monotonic() < until:
                asked_at = time.monotonic()
                seek = self.go_on(seek["id"], wait_s=_wait_s(until))
                if time.monotonic() - asked_at < PAUSE_S:  # so many wait already
                    time.sleep(PAUSE_S)
        except Problem as problem:
            if problem.type != GONE:
                raise
            return None
        except BaseException:
            self.end(seek["id"])
            raise
        if seek["status"] == "waiting":
            return self.end(seek["id"])
        return seek if seek["status"] == "matched" else None

    def seek(self, game: str, *, wait_s: int = 0, **wanted: Any) -> Seek:
        """Look for an opponent, and wait for so long; ask on within 5 s (`go_on`)."""
        body = {"game": game, "wait_s": wait_s, **wanted}
        return cast(Seek, self._request("POST", "/v1/seeks", body, wait_s=wait_s))

    def go_on(self, seek_id: str, *, wait_s: int = 0) -> Seek:
        """Show a seek, which lasts on with it, and wait for so long."""
        query = {"wait_s": wait_s}
        return cast(
            Seek, self._request("GET", _path(seek_id), query=query, wait_s=wait_s)
        )

    def end(self, seek_id: str) -> Seek | None:
        """Look no longer; return the seek if it had found somebody just before."""
        try:
            self._request("DELETE", _path(seek_id))
        except Problem as problem:
            if problem.type != "already-matched":
                raise
            return self.go_on(seek_id)
        return None

    def invite(
        self,
        match_id: str,
        *,
        seat: str | None = None,
        player: str | None = None,
        expires_in_s: int | None = None,
    ) -> Invitation:
        """Return what lets somebody sit down, once; at that seat or any."""
        body = given(seat=seat, player=player, expires_in_s=expires_in_s)
        path = match_path(match_id, "invitations")
        return cast(Invitation, self._request("POST", path, body))

    def accept(self, match_id: str, *, name: str | None = None) -> TakenSeat:
        """Sit down where the invitation that this client holds leads to."""
        path = match_path(match_id, "invitations/acceptance")
        return cast(TakenSeat, self._request("POST", path, given(name=name)))

    def rematch(self, match_id: str) -> OpenedMatch:
        """Play again, seats changed: an app seats all, a seat itself."""
        path = match_path(match_id, "rematches")
        return cast(OpenedMatch, self._request("POST", path, {}))


def _path(seek_id: str) -> str:
    return f"/v1/seeks/{part_of(seek_id)}"


def _wait_s(until: float) -> int:
    return max(min(int(until - time.monotonic()), WAIT_S), 0)
