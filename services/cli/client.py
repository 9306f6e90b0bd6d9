"""A small HTTP client of the API, with the standard library alone."""

import json
import time
import urllib.error
import urllib.request
from typing import Any


class ApiError(Exception):
    """The API answered with a problem."""

    def __init__(self, status: int, problem: dict[str, Any]) -> None:
        """Keep status and problem."""
        super().__init__(f"{status} {problem.get('type')}: {problem.get('detail')}")
        self.status = status
        self.problem = problem


class Client:
    """Speaks JSON with one API, as the holder of one token."""

    def __init__(self, url: str, token: str) -> None:
        """Remember where the API is and who speaks."""
        self._url = url.rstrip("/")
        self._token = token

    def holding(self, token: str) -> "Client":
        """Return a client of the same API for another token."""
        return Client(self._url, token)

    def get(self, path: str) -> Any:
        """Read a resource.

        :raises ApiError: it was refused.
        """
        return self._send("GET", path, None, {})

    def post(self, path: str, body: dict[str, Any], **headers: str) -> Any:
        """Send a body; header names are written with underscores.

        :raises ApiError: it was refused.
        """
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        return self._send("POST", path, body, sent)

    def _send(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | None,
        headers: dict[str, str],
    ) -> Any:
        request = urllib.request.Request(  # noqa: S310
            self._url + path,
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/json",
                **headers,
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            with error:
                raise ApiError(error.code, _problem(error.read())) from error

    def events(self, match_id: str) -> list[dict[str, Any]]:
        """Return all events of a match, page by page."""
        events: list[dict[str, Any]] = []
        after: str | None = "0"
        while after is not None:
            path = f"/v1/matches/{match_id}/events?after={after}&limit=1000"
            page = self.get(path)
            events += page["data"]
            after = page["next_cursor"]
        return events

    def wait_for(
        self, match_id: str, seat: str, timeout_s: float = 30
    ) -> dict[str, Any]:
        """Return the match once a seat is to move or the match is over.

        :raises TimeoutError: the other seat did not reply in time.
        """
        deadline = time.monotonic() + timeout_s
        pause = 0.005
        while time.monotonic() < deadline:
            match: dict[str, Any] = self.get(f"/v1/matches/{match_id}")
            if match["to_move"] == seat or match["outcome"]:
                return match
            time.sleep(pause)
            pause = min(pause * 1.5, 0.25)
        raise TimeoutError(f"{match_id}: no reply within {timeout_s:.0f} s")


def _problem(body: bytes) -> dict[str, Any]:
    try:
        problem = json.loads(body)
    except ValueError:
        problem = {"detail": body.decode("utf-8", "replace")}
    return problem if isinstance(problem, dict) else {"detail": str(problem)}
