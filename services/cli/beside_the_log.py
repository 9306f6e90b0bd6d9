"""What a backup holds beside the log: keys, and how far the feeds were numbered.

Public keys always travel, so that exports of the former installation go on verifying
here. Private ones travel when asked for. The secret of seat tokens never does.
"""

from typing import Any

from services.audit.public_keys import PublicKey, UnreadableKeys, keys_json
from services.audit.signing_keys import InvalidSigningKey, OtherKeys
from services.audit.trust import list_keys, listed_keys
from services.bootstrap import Services
from services.views import Projector

PRIVATE, PUBLIC, TRUSTED = "signing_keys", "public_keys", "trusted_keys"
NUMBERED, WEBHOOKS = "tenant_feed_generations", "webhooks"
LATER_GENERATIONS = 10
"""As many rebuilds may have come after the backup: their numbers were told, too."""

UNREADABLE_KEYS = (InvalidSigningKey, UnreadableKeys)


def kept_beside(services: Services, *, with_private: bool) -> dict[str, Any]:
    """Return what a backup holds beside the log, by name.

    :raises KeysAreGiven: the private keys are a setting, not in files.
    """
    keys, data = services.signing_keys, services.settings.data
    # The private keys come first: the public ones then need not be kept apart.
    private = {PRIVATE: keys.private_keys()} if with_private else {}
    return {
        **private,
        PUBLIC: keys_json(keys.made_keys()),
        TRUSTED: keys_json(listed_keys(data).values()),
        NUMBERED: services.tenant_feed.made(),
        WEBHOOKS: services.webhooks.kept(),
    }


def put_back(services: Services, name: str, value: Any) -> str:
    """Put something back that a backup held; return what there is to say about it."""
    keys = services.signing_keys
    if name == PRIVATE:
        try:
            keys.restore_private(value)
        except OtherKeys:
            return "the signing keys here go on signing; those of the backup do not"
        return f"signing keys: {len(value)}"
    if name == PUBLIC:
        keys.restore_public(_keys(value))
    elif name == TRUSTED:
        list_keys(services.settings.data, _keys(value))
    elif name == NUMBERED:
        services.tenant_feed.begin_after(value + LATER_GENERATIONS)
    elif name == WEBHOOKS:
        return f"webhook endpoints: {services.webhooks.put_back(value)}"
    return ""


def number_anew(services: Services) -> None:
    """Give the feeds of tenants higher numbers than the former installation did.

    Whoever comes back with an old number then misses nothing.

    :raises RebuildRuns: somebody else is doing so.
    """
    Projector(services.event_log, services.tenant_feed).rebuild()


def described(beside: dict[str, Any]) -> str:
    """Return what is beside the log, in words."""
    public, private = len(beside[PUBLIC]["keys"]), len(beside.get(PRIVATE, ()))
    return f"{public} public signing keys, {private} private ones"


def _keys(published: dict[str, Any]) -> list[PublicKey]:
    return [PublicKey.from_json(key) for key in published["keys"]]
