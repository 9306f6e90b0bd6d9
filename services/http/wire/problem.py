"""A problem: how a refusal looks over HTTP (RFC 9457)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import orjson

from services.languages import Language, Message

MEDIA_TYPE = "application/problem+json"

Facts = Callable[[Any], dict[str, Any]]


def nothing(_: Exception) -> dict[str, Any]:
    """Return no further members."""
    return {}


@dataclass(frozen=True, slots=True)
class Problem:
    """How one kind of refusal looks over HTTP. ``facts`` gives its further members.

    The title is found for translation where it stands, as the third of the arguments.
    """

    status: int
    type: str
    title: str
    facts: Facts = nothing

    @property
    def heading(self) -> Message:
        """Return the title, to be told in any language."""
        return Message(self.title)

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
                "title": self.heading,
                "status": self.status,
                "detail": detail,
                **self.facts(error),
                "request_id": request_id,
            },
            default=language.tell,
        )
