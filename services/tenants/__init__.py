"""Tenants: their API keys, the limits and the origins of each."""

from services.tenants.api_key import (
    KEY_PREFIX,
    LABEL_LENGTH,
    ROLES,
    ApiKey,
    key_prefix,
    make_key,
)
from services.tenants.keys import (
    GUEST_TENANT,
    LOCAL_TENANT,
    MOST_KEYS,
    InvalidKey,
    InvalidLabel,
    NoSuchKey,
    NoSuchTenant,
    TooManyKeys,
)
from services.tenants.origins import InvalidOrigin
from services.tenants.tenants import Tenants

__all__ = [
    "GUEST_TENANT",
    "KEY_PREFIX",
    "LABEL_LENGTH",
    "LOCAL_TENANT",
    "MOST_KEYS",
    "ROLES",
    "ApiKey",
    "InvalidKey",
    "InvalidLabel",
    "InvalidOrigin",
    "NoSuchKey",
    "NoSuchTenant",
    "Tenants",
    "TooManyKeys",
    "key_prefix",
    "make_key",
]
