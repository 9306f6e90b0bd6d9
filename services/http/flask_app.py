"""The Flask of API and streams."""

from collections.abc import Callable
from typing import Any, NoReturn

from flask import Flask
from werkzeug.routing import Rule


class MatchedRule(Rule):
    """A rule by which requests are matched; no address is built from one.

    To get ready for that is most of the time in which an app is made.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Callable[..., NoReturn]:
        def build(**_: object) -> NoReturn:
            raise NotImplementedError("no address is built from a rule")

        return build


class SyncFlask(Flask):
    """A Flask whose functions are all ordinary ones.

    It does not ask of each, several times in every request, whether it is a coroutine.
    """

    url_rule_class = MatchedRule

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function."""
        return func
