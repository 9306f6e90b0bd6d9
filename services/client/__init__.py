"""A client of the API for Python: typed, patient, and never twice where once was meant.

It imports nothing of the other rooms, and of packages httpx alone (PyNaCl to verify the
signature of an export).
"""

from services.client.exports import VerifiedExport, verify_export
from services.client.problems import (
    FollowingEnded,
    InvalidExport,
    InvalidSignature,
    Problem,
    SeedlogError,
    Unreachable,
)
from services.client.seedlog import Seedlog
from services.client.signatures import verify_webhook

__all__ = [
    "FollowingEnded",
    "InvalidExport",
    "InvalidSignature",
    "Problem",
    "Seedlog",
    "SeedlogError",
    "Unreachable",
    "VerifiedExport",
    "verify_export",
    "verify_webhook",
]
