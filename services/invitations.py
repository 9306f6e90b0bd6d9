"""Invitations: `in_<match>.<seat>.<player>.<end>.<nonce>.<mac>`, to sit down once.

A token says itself which match and seat it is for, who may sit there if that is known,
and when it ends, in seconds since 1970; none is stored. No two are the same, and who
accepts each is somebody else. It is of no use once somebody sits there.
"""

import secrets
from dataclasses import astuple, dataclass, field

from services.eventlog import IdempotencyKey, Requests
from services.match.seat_tokens import SeatTokens

PREFIX = "in_"


@dataclass(frozen=True, slots=True)
class Invitation:
    """What a genuine token says; "" is any seat that is free, or anybody."""

    match_id: str
    seat: str
    player: str
    ends_s: int
    nonce: str = field(default_factory=lambda: secrets.token_hex(6))


class Invitations:
    """Issues invitations, and reads them."""

    def __init__(self, redis_url: str, tokens: SeatTokens) -> None:
        """Derive tokens as those of seats are."""
        self._requests = Requests(redis_url, "invitation")
        self._tokens = tokens

    def issue(
        self, invitation: Invitation, key: IdempotencyKey | None = None
    ) -> tuple[str, Invitation, bool]:
        """Return a token, what it says, and whether a repeated request had made it.

        :raises KeyReused: the key came before with another request.
        """
        token = self._token(invitation)
        if key and (earlier := self._requests.keep(key, token)):
            return earlier, self.read(earlier) or invitation, True
        return token, invitation, False

    def find_issued(self, key: IdempotencyKey) -> tuple[str, Invitation] | None:
        """Return what an earlier request with this key was given.

        :raises KeyReused: the key came before with another request.
        """
        token = self._requests.find(key)
        invitation = self.read(token) if token else None
        return (token, invitation) if token and invitation else None

    def read(self, token: str) -> Invitation | None:
        """Return what a token says, or None if it was not issued here."""
        text, _, mac = token.removeprefix(PREFIX).rpartition(".")
        if not self._tokens.is_derived("invitation", text, mac):
            return None
        match_id, seat, player, ends_s, nonce = text.split(".")
        return Invitation(match_id, seat, player, int(ends_s), nonce)

    def guest(self, token: str) -> str:
        """Return the reference of whoever accepts: the same one every time."""
        return f"ply_{self._tokens.derive('invited', token, 16)}"

    def _token(self, invitation: Invitation) -> str:
        match_id, seat, player, ends_s, nonce = astuple(invitation)
        text = f"{match_id}.{seat}.{player}.{ends_s}.{nonce}"
        return f"{PREFIX}{text}.{self._tokens.derive('invitation', text, 24)}"
