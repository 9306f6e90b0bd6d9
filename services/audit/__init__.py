"""The audit: signed exports of matches, and the verifier that finds what is wrong."""

from services.audit.export import export_lines
from services.audit.findings import Finding, Verdict
from services.audit.public_keys import PublicKey
from services.audit.signing_keys import SigningKeys
from services.audit.verify import audit_match, verify, verify_fully

__all__ = [
    "Finding",
    "PublicKey",
    "SigningKeys",
    "Verdict",
    "audit_match",
    "export_lines",
    "verify",
    "verify_fully",
]
