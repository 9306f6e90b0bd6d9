"""The Flask of API and streams."""

from collections.abc import Callable
from typing import Any

from flask import Flask


class SyncFlask(Flask):
    """A Flask whose functions are all ordinary ones.

    It does not ask of each, several times in every request, whether it is a coroutine.
    """

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function."""
        return func
