"""A problem: how a refusal looks over HTTP (RFC 9457)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from services.languages import Language, Message

MEDIA_TYPE = "application/problem+json"

Facts = Callable[[Any], dict[str, Any]]
Kinds = tuple[type[Exception], ...]


def nothing(_: Exception) -> dict[str, Any]:
    """Return no further members."""
    return {}


def told(*members: str) -> Facts:
    """Return what takes members of an exception, each by the name that it has there."""
    return lambda error: {member: getattr(error, member) for member in members}


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """A type of problem: how it looks over HTTP, why it comes, and what to do then.

    It answers exceptions like its ``example``, which its page shows, and those that are
    ``also`` told so; ``facts`` gives its further members. ``detail`` is said where an
    exception has no message of its own.
    """

    status: int
    type: str
    title: Message
    cause: Message
    advice: Message
    example: Exception
    also: Kinds = ()
    facts: Facts = nothing
    detail: Message | str = ""

    def body(
        self,
        error: Exception,
        detail: Message | str,
        request_id: str,
        language: Language,
    ) -> bytes:
        """Return the JSON text of the problem that an exception is, to a request."""
        return orjson.dumps(
            {
                "type": f"/problems/{self.type}",
                "title": self.title,
                "status": self.status,
                "detail": detail,
                **self.facts(error),
                "request_id": request_id,
            },
            default=language.tell,
        )


def by_exception(problems: Iterable[Problem]) -> dict[type[Exception], Problem]:
    """Return the problem of each kind of exception."""
    return {
        kind: problem
        for problem in problems
        for kind in (type(problem.example), *problem.also)
    }


def look_up(
    problems: Mapping[type[Exception], Problem], error: Exception
) -> Problem | None:
    """Return the problem that an exception is, by its nearest kind; None: by none."""
    kinds = (kind for kind in type(error).__mro__ if kind in problems)
    return next((problems[kind] for kind in kinds), None)
