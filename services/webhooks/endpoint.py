"""An endpoint: where webhooks of a tenant go, what they tell, and how that has gone."""

from collections.abc import Mapping
from dataclasses import dataclass

import orjson

from services.languages import Counted, Explained, Message
from services.webhooks.payload import ALL
from services.webhooks.signing import ROTATION_MS

PREFIX = "whe_"
ENABLED, DISABLED = "enabled", "disabled"
GONE, FAILING, BACKLOG, REQUESTED = "gone", "failing", "backlog", "requested"
REASONS = (GONE, FAILING, BACKLOG, REQUESTED)
"""Why an endpoint is disabled: it answered 410, it took nothing for a week, more waited
than is kept, or its owner asked for it.
"""


class NoSuchEndpoint(Explained):
    """The tenant has no endpoint of that id."""

    def __init__(self, endpoint_id: str) -> None:
        """Keep the id."""
        super().__init__(
            Message("there is no webhook endpoint {endpoint!r}", endpoint=endpoint_id)
        )


class TooManyEndpoints(Explained):
    """The tenant has as many endpoints as it may have."""

    def __init__(self, limit: int, used: int) -> None:
        """Keep how many it may have, and has."""
        super().__init__(
            Counted(
                "a tenant may have {count} webhook endpoint; delete it first",
                "a tenant may have {count} webhook endpoints; delete one first",
                count=limit,
            )
            if limit
            else Message("a tenant may have no webhook endpoints here")
        )
        self.limit = limit
        self.used = used


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint as it is now; a time of 0 is none.

    ``generation`` counts its secrets; ``failing_since_ms`` is when the first attempt
    failed after the last one that did not; ``paused_ms`` is until when it was last left
    alone, if it has taken nothing since.
    """

    id: str
    tenant: str
    url: str
    events: tuple[str, ...]
    created_ms: int
    since_ms: int
    generation: int = 1
    rotated_ms: int = 0
    status: str = ENABLED
    reason: str = ""
    disabled_ms: int = 0
    delivered_ms: int = 0
    failing_since_ms: int = 0
    paused_ms: int = 0

    @property
    def is_silent(self) -> bool:
        """Tell whether it let us wait the last time, and nothing was taken since."""
        return self.paused_ms > 0

    @property
    def is_enabled(self) -> bool:
        """Tell whether it is told of events."""
        return self.status == ENABLED

    def wants(self, type_: str) -> bool:
        """Tell whether it has asked for a type of event."""
        return ALL in self.events or type_ in self.events

    def generations(self, now_ms: int) -> list[int]:
        """Return the secrets that are valid now, the newest first."""
        is_old_valid = self.generation > 1 and now_ms < self.rotated_ms + ROTATION_MS
        return [self.generation, *[self.generation - 1] * is_old_valid]

    def to_fields(self) -> dict[str, str | int]:
        """Return the fields that its owner decides on, as Redis keeps them."""
        return {
            "tenant": self.tenant,
            "url": self.url,
            "events": orjson.dumps(self.events).decode(),
            "created_ms": self.created_ms,
            "since_ms": self.since_ms,
            "generation": self.generation,
            "rotated_ms": self.rotated_ms,
            "status": self.status,
            "reason": self.reason,
            "disabled_ms": self.disabled_ms,
        }

    @classmethod
    def from_fields(cls, endpoint_id: str, fields: Mapping[str, str]) -> "Endpoint":
        """Return an endpoint as Redis keeps it."""
        numbers = (
            *("created_ms", "since_ms", "generation", "rotated_ms", "disabled_ms"),
            *("delivered_ms", "failing_since_ms", "paused_ms"),
        )
        return cls(
            id=endpoint_id,
            tenant=fields["tenant"],
            url=fields["url"],
            events=tuple(orjson.loads(fields["events"])),
            status=fields["status"],
            reason=fields.get("reason", ""),
            **{name: int(fields.get(name, 0)) for name in numbers},
        )


@dataclass(frozen=True, slots=True)
class Done:
    """What a request came to; ``replayed``: an earlier one with the same key did it."""

    endpoint: Endpoint
    replayed: bool = False
