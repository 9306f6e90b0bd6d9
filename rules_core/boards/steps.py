"""The visible moments of a move, for animation and explanation."""

from __future__ import annotations

from dataclasses import dataclass

KINDS = (
    "lift",  # *count* seeds are taken in hand from *at*
    "sow",  # one seed from the hand falls on *at* (a store is named by its seat)
    "lap",  # *count* seeds are taken up from *at*, to be sown on
    "capture",  # *count* seeds go from *at* to the store of *to*
    "enter",  # *count* captured seeds are taken in hand from *at*, to be sown
    "place",  # a disc of *to* is placed on *at*
    "flip",  # the disc on *at* is turned to *to*
    "give",  # the opponent hands a disc to *to*
    "claim",  # *to* claims the pit *at* for this round
    "refill",  # *count* seeds go from the store of *to* back to the pit *at*
    "burn",  # the pit *at* is out of play in this round
    "pass",  # *to* has to miss a turn
    "sweep",  # *count* seeds left on *at* go to the store of *to*
    "swap",  # *to* takes the other's place: what lies on `A` and `a` changes over, ...
)


@dataclass(frozen=True, slots=True)
class Step:
    """One visible moment of a move.

    Replaying the steps on the board before the move gives the board after it.
    """

    kind: str
    at: str | None = None
    count: int = 0
    to: str | None = None

    def as_json(self) -> dict[str, str | int]:
        """Return the step without what does not apply to its kind."""
        fields: dict[str, str | int] = {"kind": self.kind}
        if self.at is not None:
            fields["at"] = self.at
        if self.count:
            fields["count"] = self.count
        if self.to is not None:
            fields["to"] = self.to
        return fields
