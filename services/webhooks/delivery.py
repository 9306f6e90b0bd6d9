"""A delivery: one event to one endpoint, with every attempt at it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import orjson

from services.languages import Explained, Message

PREFIX = "dlv_"
WAITING, DELIVERED, FAILED, CANCELED = "waiting", "delivered", "failed", "canceled"
STATUSES = (WAITING, DELIVERED, FAILED, CANCELED)
KEPT = 1_000
KEPT_MS = 7 * 24 * 3_600_000
"""So many settled deliveries of an endpoint are kept, for so long."""


class NoSuchDelivery(Explained):
    """The endpoint has no delivery of that id, or has it no more."""

    def __init__(self, delivery_id: str) -> None:
        """Keep the id."""
        super().__init__(
            Message(
                "there is no delivery {delivery!r}, or none any more: the last {kept} "
                "that are settled are kept, for a week",
                delivery=delivery_id,
                kept=KEPT,
            )
        )


@dataclass(frozen=True, slots=True)
class Attempt:
    """One try of a delivery: what was answered, or why nothing was (``error``)."""

    at_ms: int
    duration_ms: int
    http_status: int | None
    error: str = ""

    @property
    def is_success(self) -> bool:
        """Tell whether the receiver has taken it."""
        return self.http_status is not None and 200 <= self.http_status < 300


@dataclass(frozen=True, slots=True)
class Delivery:
    """One event to one endpoint; its id is the ``webhook-id`` of every attempt.

    ``tries`` counts the attempts since it was planned, or asked for again; ``next_ms``
    is when the next one is due.
    """

    endpoint: str
    number: int
    type: str
    created_ms: int
    match: str = ""
    version: int = 0
    sequence: int = 0
    status: str = WAITING
    tries: int = 0
    next_ms: int = 0
    attempts: tuple[Attempt, ...] = ()

    @property
    def id(self) -> str:
        """Return its id."""
        return f"{PREFIX}{self.endpoint.partition('_')[2]}_{self.number}"

    def to_text(self) -> str:
        """Return what Redis keeps of it."""
        kept = asdict(self)
        del kept["endpoint"], kept["number"]
        return orjson.dumps({k: v for k, v in kept.items() if v}).decode()

    @classmethod
    def from_text(
        cls, endpoint_id: str, number: int, text: str, *, is_settled: bool
    ) -> "Delivery":
        """Return a delivery as Redis keeps it.

        Whether it is settled stands elsewhere. One that is, and does not say how, was
        canceled.
        """
        kept = orjson.loads(text)
        attempts = tuple(Attempt(**attempt) for attempt in kept.pop("attempts", ()))
        status = kept.pop("status", WAITING)
        if not is_settled:
            status = WAITING
        elif status == WAITING:
            status = CANCELED
        return cls(endpoint_id, number, status=status, attempts=attempts, **kept)


@dataclass(frozen=True, slots=True)
class Planned:
    """What one entry of the feed tells an endpoint: types and versions, in order."""

    endpoint: str
    match: str
    last: int
    is_over: bool
    events: Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Asked:
    """A delivery that a request asked for; ``replayed``: an earlier one did."""

    delivery: Delivery
    replayed: bool = False
