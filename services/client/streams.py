"""What can be followed: where its stream is, and its pages while that is away."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from services.client.following import NDJSON, Followed, Page
from services.client.pages import Request
from services.client.paths import part_of
from services.client.problems import Problem, Unreachable

OVER = ("finished", "aborted")


class Streams:
    """Finds the streams of a server; it is asked once where they are."""

    def __init__(self, request: Request, url: str, base: list[str]) -> None:
        """Ask the API at *url* by *request*, and keep in *base* what it says."""
        self._request = request
        self._is_secret = url.startswith("https:")
        self._base = base

    def of_match(self, match_id: str) -> Followed:
        """Return the events of a match."""
        path = f"/v1/matches/{part_of(match_id)}"

        def ask() -> str:
            return str(self._get(path, fields="stream_url")["stream_url"])

        def read(number: int) -> Page:
            # The status comes first: what is over then, has no event after these.
            status = self._get(path, fields="status")["status"]
            page = self._get(f"{path}/events", after=number, include="position")
            is_last = status in OVER and page["next_cursor"] is None
            return Page(page["data"], is_last)

        return Followed(lambda: self._where(f"{path}/stream", ask), read, "version")

    def of_analysis(self, analysis_id: str) -> Followed:
        """Return what is found of an analysis."""
        path = f"/v1/analyses/{part_of(analysis_id)}"

        def ask() -> str:
            return str(self._get(path)["stream_url"])

        def read(number: int) -> Page:
            has_ended = self._get(path)["ended_at"] is not None
            page = self._get(f"{path}/events", after=number)
            return Page(page["data"], has_ended and page["next_cursor"] is None)

        return Followed(lambda: self._where(f"{path}/stream", ask), read, "version")

    def of_feed(self) -> Followed:
        """Return the events of all matches of the app."""

        def read(number: int) -> Page:
            return Page(self._get("/v1/events", cursor=number)["data"], is_last=False)

        return Followed(lambda: self._where("/v1/stream", self._ask_feed), read, "seq")

    def _get(self, path: str, **query: Any) -> Any:
        """Ask once: who follows, asks again in any case."""
        return self._request("GET", path, query=query, retry_for_s=0)

    def _ask_feed(self) -> str:
        """Return where the feed is followed: whoever asks the API for it is told."""
        try:
            self._request(
                "GET", "/v1/events", headers={"Accept": NDJSON}, retry_for_s=0
            )
        except Problem as refused:
            if refused.type == "use-stream":
                return str(refused.facts["stream_url"])
            raise
        raise Unreachable("the API does not say where its streams are")

    def _where(self, path: str, ask: Callable[[], str]) -> str:
        if not self._base:
            told = urlsplit(ask())
            before = told.path.partition("/v1/")[0]
            self._base.append(f"{told.scheme}://{told.netloc}{before}")
        if self._is_secret and not self._base[0].startswith("https:"):
            raise Unreachable("the streams are not on https://, and the API is")
        return self._base[0] + path
