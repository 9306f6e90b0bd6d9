"""Verifies what a webhook says, after Standard Webhooks."""

import base64
import binascii
import hashlib
import hmac
import json
import time
from collections.abc import Mapping

from services.client.problems import InvalidSignature
from services.client.shapes import WebhookBody

PREFIX = "whsec_"
TOLERANCE_S = 300


def verify_webhook(
    secret: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance_s: float = TOLERANCE_S,
    now_s: float | None = None,
) -> WebhookBody:
    """Return what a message says that was signed by a secret, minutes ago at most.

    *body* is what came, byte by byte; a message may come twice, by one ``webhook-id``.

    :raises InvalidSignature: it is not to be trusted.
    """
    named = {name.lower(): value for name, value in headers.items()}
    message_id = named.get("webhook-id", "")
    at = named.get("webhook-timestamp", "")
    given = named.get("webhook-signature", "")
    if not (message_id and given and at.isascii() and at.isdigit() and len(at) < 16):
        raise InvalidSignature("a header is missing: id, timestamp or signature")
    distance_s = abs((time.time() if now_s is None else now_s) - int(at))
    if distance_s > tolerance_s:
        raise InvalidSignature(f"it was signed {distance_s:.0f} s from now")
    signed = f"{message_id}.{at}.".encode() + body
    due = hmac.digest(_key_of(secret), signed, hashlib.sha256)
    due_text = f"v1,{base64.b64encode(due).decode()}".encode()
    # all of them are compared, and each in the same time, whatever it is
    fits = [hmac.compare_digest(due_text, each.encode()) for each in given.split(" ")]
    if not any(fits):
        raise InvalidSignature("it was not signed by this secret")
    said: WebhookBody = json.loads(body)
    return said


def _key_of(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error as error:
        raise ValueError("a secret is whsec_ and Base64") from error
