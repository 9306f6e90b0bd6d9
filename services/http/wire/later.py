"""An answer that has to wait: the app gives its thread back meanwhile.

The app says what it waits for, and returns the answer that is given if that does not
come. If it comes, the request is put to the app once more.
"""

from collections.abc import Callable
from typing import Any

LATER = "seedlog.later"
"""Where the environment of a request has its `Later`, if its server can do so."""

Wake = Callable[[bool], None]
"""Called once: with True if the app has another answer, with False if it has none."""


class Later:
    """One request whose answer may wait; *told* is what the app tells in either."""

    __slots__ = ("begin", "body", "is_gone", "kept", "request", "request_id", "told")

    def __init__(self, request: Any, body: bytes) -> None:
        """Keep the request as it came, to be put to the app again."""
        self.request = request
        self.body = body
        self.request_id = ""
        self.begin: Callable[[Wake], bool] | None = None
        self.kept: Any = None
        self.told: Any = None
        self.is_gone: Callable[[], bool] = bool
        """Tells whether the client has closed its connection while it waits."""

    def wait(self, begin: Callable[[Wake], bool], kept: object) -> None:
        """Ask for a second turn, in which the app finds again what is *kept*.

        *begin* is called when the answer without it is there; it returns False if
        nothing is waited for after all, and never calls `Wake` then.
        """
        self.begin = begin
        self.kept = kept
