"""A seek: somebody looks for an opponent; and a pairing: there is one."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import orjson

from services.match.commands import OpenMatch, Player

FORMAT = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seek:
    """What somebody wants to play, and how strong they are.

    ``player`` is a reference; ``within`` is how much stronger or weaker the opponent
    may be at the most, 0 for any; ``request`` is the digest of the request that made
    it, if that may be repeated; ``name`` is what the player is called, kept here until
    there is a match: who finds nobody leaves no name behind.
    """

    id: str
    tenant: str
    player: str
    game: str
    options: Mapping[str, Any]
    by: str
    since_ms: int
    clock: Mapping[str, int] | None = None
    rated: bool = True
    rating: float = 1500.0
    deviation: float = 350.0
    within: int = 0
    request: str = ""
    name: str = ""

    @property
    def pool(self) -> bytes:
        """Return what two have to agree on, to the letter, to play each other."""
        return _pool(self)

    @property
    def text(self) -> str:
        """Return the seek as it is kept while it lasts."""
        return orjson.dumps({"format": FORMAT, **asdict(self)}).decode()

    @classmethod
    def read(cls, text: str) -> Self:
        """Return a seek that was kept."""
        known = orjson.loads(text)
        known.pop("format")
        return cls(**known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Two who play each other: the match that they get, and who sits where.

    It says all that the match needs: whoever of the two comes first opens it, and the
    other comes to the same. ``seats`` gives the reference of each player, ``seeks`` the
    seat of each seek, ``requests`` the digest of what had made it, ``names`` what
    players are called, by reference.
    """

    match_id: str
    tenant: str
    game: str
    options: Mapping[str, Any]
    by: str
    seats: Mapping[str, str]
    seeks: Mapping[str, str] = field(default_factory=dict)
    requests: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)
    clock: Mapping[str, int] | None = None
    rated: bool = True

    @property
    def pool(self) -> bytes:
        """Return what the two have agreed on."""
        return _pool(self)

    @property
    def command(self) -> OpenMatch:
        """Return the command that opens the match."""
        return OpenMatch(
            game=self.game,
            tenant=self.tenant,
            options=self.options,
            clock=self.clock,
            rated=self.rated,
            seats={
                seat: Player(kind="human", player=reference)
                for seat, reference in self.seats.items()
            },
        )

    @property
    def text(self) -> str:
        """Return the pairing as it is kept until both have heard of it."""
        return orjson.dumps({"format": FORMAT, **asdict(self)}).decode()

    @classmethod
    def read(cls, text: str) -> Self:
        """Return a pairing that was kept."""
        known = orjson.loads(text)
        known.pop("format")
        return cls(**known)


def paired(one: Seek, other: Seek, match_id: str, seats: tuple[str, str]) -> Pairing:
    """Return the pairing of two seeks; *seats* are theirs, in this order."""
    return Pairing(
        match_id=match_id,
        tenant=one.tenant,
        game=one.game,
        options=one.options,
        by=one.by,
        seats=dict(zip(seats, (one.player, other.player), strict=True)),
        seeks=dict(zip((one.id, other.id), seats, strict=True)),
        requests={one.id: one.request, other.id: other.request},
        names={seek.player: seek.name for seek in (one, other) if seek.name},
        clock=one.clock,
        rated=one.rated,
    )


def _pool(agreed: Seek | Pairing) -> bytes:
    wanted = [agreed.tenant, agreed.game, agreed.options, agreed.clock, agreed.rated]
    return orjson.dumps(wanted, option=orjson.OPT_SORT_KEYS)
