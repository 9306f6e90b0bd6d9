"""A seek: somebody looks for an opponent; and a pairing: there is one."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import orjson

from services.eventlog import later_format
from services.match.commands import OpenMatch, Player

FORMAT = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What two have to agree on to play each other, and who asked for it."""

    tenant: str
    game: str
    options: Mapping[str, Any]
    by: str
    clock: Mapping[str, int] | None = None
    rated: bool = True

    @property
    def pool(self) -> bytes:
        """Return what has to be the same to the letter."""
        wanted = [self.tenant, self.game, self.options, self.clock, self.rated]
        return orjson.dumps(wanted, option=orjson.OPT_SORT_KEYS)

    @property
    def text(self) -> str:
        """Return all of it as it is kept."""
        return orjson.dumps({"format": FORMAT, **asdict(self)}).decode()

    @classmethod
    def read(cls, text: str) -> Self:
        """Return what was kept.

        :raises LogDamaged: it was kept by a later version.
        """
        known = orjson.loads(text)
        if (written := known.pop("format")) != FORMAT:
            raise later_format(cls.__name__.lower(), written, FORMAT)
        return cls(**known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seek(Terms):
    """What somebody wants to play, and how strong they are.

    ``player`` is a reference; ``within`` is how much stronger or weaker the opponent
    may be at the most, 0 for any; ``request`` is the digest of the request that made
    it, if that may be repeated; ``name`` is what the player is called, kept here until
    there is a match: who finds nobody leaves no name behind.
    """

    id: str
    player: str
    since_ms: int
    rating: float = 1500.0
    deviation: float = 350.0
    within: int = 0
    request: str = ""
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing(Terms):
    """Two who play each other: the match that they get, and who sits where.

    It says all that the match needs: whoever of the two comes first opens it, and the
    other comes to the same. ``seats`` gives the reference of each player, ``seeks`` the
    seat of each seek, ``requests`` the digest of what had made it, ``names`` what
    players are called, by reference.
    """

    match_id: str
    seats: Mapping[str, str]
    seeks: Mapping[str, str] = field(default_factory=dict)
    requests: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)

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
