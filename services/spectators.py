"""Tokens of spectators: `sp_<match>.<generation>.<end>.<mac>`, to look on with.

A token says itself which match it is for and when it ends, in seconds since 1970; none
is stored. All tokens of a match are revoked together: by a new generation, which stands
beside the log from then on. Matches of which none was revoked have no record.
"""

from dataclasses import dataclass

from services.cache import Cache
from services.eventlog import IdempotencyKey, Requests
from services.eventlog.library import connect_redis
from services.match.seat_tokens import SeatTokens
from services.names import redis_key

PREFIX = "sp_"
RECORDS = "spectators"
GENERATION = "generation"
BELIEVED_S = 4.0
BELIEVED_MATCHES = 10_000


@dataclass(frozen=True, slots=True)
class SpectatorClaim:
    """What a genuine token says; it ends at a time in seconds since 1970."""

    match_id: str
    generation: int
    ends_s: int


@dataclass(frozen=True, slots=True)
class Issued:
    """A token, what it says, and whether an earlier request has made it."""

    token: str
    claim: SpectatorClaim
    replayed: bool = False


class Spectators:
    """Issues tokens of spectators, and knows which were revoked."""

    def __init__(self, redis_url: str, secrets: SeatTokens) -> None:
        """Derive tokens as those of seats are, and keep generations beside the log."""
        self._redis = connect_redis(redis_url)
        self._requests = Requests(redis_url, "spectator")
        self._secrets = secrets
        self._believed: Cache[str, int] = Cache(BELIEVED_MATCHES, life_s=BELIEVED_S)

    def issue(
        self, match_id: str, ends_s: int, key: IdempotencyKey | None = None
    ) -> Issued:
        """Return a token; the same one for a request that is repeated.

        :raises KeyReused: the key came before with another request.
        """
        claim = SpectatorClaim(match_id, self._read_generation(match_id), ends_s)
        record = f"{claim.generation} {claim.ends_s}"
        if key and (earlier := self._requests.keep(key, record)):
            generation, ended_s = earlier.split(" ")
            claim = SpectatorClaim(match_id, int(generation), int(ended_s))
            return Issued(self._token(claim), claim, replayed=True)
        return Issued(self._token(claim), claim)

    def read(self, token: str) -> SpectatorClaim | None:
        """Return what a token says, or None if it was not issued here."""
        text, _, mac = token.removeprefix(PREFIX).rpartition(".")
        if not self._secrets.is_derived("spectator", text, mac):
            return None
        match_id, generation, ends_s = text.split(".")
        return SpectatorClaim(match_id, int(generation), int(ends_s))

    def is_current(self, claim: SpectatorClaim) -> bool:
        """Tell whether a token was not revoked; that is noticed within 5 s."""
        known = self._believed.get(claim.match_id)
        if known is None:
            generation = self._read_generation(claim.match_id)
            known = self._believed.put(claim.match_id, generation)
        return claim.generation == known

    def revoke(self, match_id: str) -> None:
        """Revoke all tokens of a match that were issued until now."""
        generation = self._redis.hincrby(_key(match_id), GENERATION, 1)
        self._believed.put(match_id, int(generation))

    def forget(self, match_id: str) -> None:
        """Forget what was revoked of a match that is no more."""
        self._redis.delete(_key(match_id))

    def _token(self, claim: SpectatorClaim) -> str:
        text = f"{claim.match_id}.{claim.generation}.{claim.ends_s}"
        return f"{PREFIX}{text}.{self._secrets.derive('spectator', text, 24)}"

    def _read_generation(self, match_id: str) -> int:
        return int(self._redis.hget(_key(match_id), GENERATION) or 0)


def _key(match_id: str) -> str:
    return redis_key(RECORDS, match_id)
