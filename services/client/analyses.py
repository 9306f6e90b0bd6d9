"""Asking what moves are worth: positions, matches, hints; and hearing of it."""

import time
from collections.abc import Generator
from typing import Any, Protocol, cast

from services.client.pages import Request
from services.client.paths import given, match_path, part_of
from services.client.shapes import Analysis, FoundEvent

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 1.0


class Follow(Protocol):
    """Follows an analysis after a version, for so long."""

    def __call__(
        self, analysis_id: str, after: int, within_s: float | None
    ) -> Generator[Any, None, None]:
        """Yield what was found."""


class Analyses:
    """What is thought about when no match waits for a reply."""

    def __init__(self, request: Request, follow: Follow) -> None:
        """Send by *request*, follow by *follow*."""
        self._request = request
        self._follow = follow

    def of_position(self, game: str, **asked: Any) -> Analysis:
        """Ask what the best moves are worth; *asked* as in `analysePosition`."""
        body = {"game": game, **asked}
        return cast(Analysis, self._request("POST", "/v1/positions/analyses", body))

    def of_match(
        self, match_id: str, *, time_ms: int | None = None, nodes: int | None = None
    ) -> Analysis:
        """Ask what each move of a match was worth; the budget is that of each."""
        path = match_path(match_id, "analyses")
        body = given(time_ms=time_ms, nodes=nodes)
        return cast(Analysis, self._request("POST", path, body))

    def hint(self, match_id: str, **asked: Any) -> Analysis:
        """Ask what to play; *asked* as in `takeHint`, with an API key the ``seat``."""
        path = match_path(match_id, "hints")
        return cast(Analysis, self._request("POST", path, asked))

    def read(self, analysis_id: str) -> Analysis:
        """Show an analysis, with all that was found so far."""
        return cast(Analysis, self._request("GET", _path(analysis_id)))

    def cancel(self, analysis_id: str) -> None:
        """Let nobody think about it any more."""
        self._request("DELETE", _path(analysis_id))

    def follow(
        self, analysis_id: str, after: int = 0, *, within_s: float | None = None
    ) -> Generator[FoundEvent, None, None]:
        """Yield all that is found, once and in order, as it comes, until the end.

        :raises TimeoutError: it had not ended *within_s*.
        """
        yield from self._follow(analysis_id, after, within_s)

    def wait(self, analysis_id: str, within_s: float = 60.0) -> Analysis:
        """Return an analysis once it has ended, whether all was found or not.

        :raises TimeoutError: it had not ended in time.
        """
        until, pause_s = time.monotonic() + within_s, FIRST_PAUSE_S
        while (analysis := self.read(analysis_id))["ended_at"] is None:
            if time.monotonic() > until:
                raise TimeoutError(f"{analysis_id} has not ended in {within_s} s")
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, LONGEST_PAUSE_S)
        return analysis


def _path(analysis_id: str) -> str:
    return f"/v1/analyses/{part_of(analysis_id)}"
