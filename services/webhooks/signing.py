"""Secrets of endpoints, and signatures by them, after Standard Webhooks.

A secret is derived from ours, the endpoint and a generation: none is stored anywhere,
a lost answer can be repeated, and a backup with the same ``SEEDLOG_SECRET`` signs on.
"""

import base64
import hashlib
import hmac

PREFIX = "whsec_"
ROTATION_MS = 24 * 3_600_000
"""So long after a rotation messages are signed by the secret before it, too."""


class Secrets:
    """Derives the secrets of all endpoints."""

    def __init__(self, secret: str) -> None:
        """Use a secret that all processes share."""
        self._secret = secret.encode()

    def derive(self, endpoint_id: str, generation: int) -> str:
        """Return the secret of an endpoint, as its receiver is told it once."""
        return PREFIX + base64.b64encode(self._key(endpoint_id, generation)).decode()

    def headers(
        self,
        endpoint_id: str,
        generations: list[int],
        message_id: str,
        body: bytes,
        at_s: int,
    ) -> dict[str, str]:
        """Return the headers that name, date and sign a message.

        *at_s* is the time of the attempt, in seconds since 1970.
        """
        signed = f"{message_id}.{at_s}.".encode() + body
        signatures = (
            hmac.digest(self._key(endpoint_id, generation), signed, hashlib.sha256)
            for generation in generations
        )
        return {
            "webhook-id": message_id,
            "webhook-timestamp": str(at_s),
            "webhook-signature": " ".join(
                f"v1,{base64.b64encode(signature).decode()}" for signature in signatures
            ),
        }

    def _key(self, endpoint_id: str, generation: int) -> bytes:
        message = f"webhook:{endpoint_id}:{generation}".encode()
        return hmac.digest(self._secret, message, hashlib.sha256)
