"""The keys of the event log in Redis; whoever needs one asks here.

Keys, all of one partition under one hash tag, so that a cluster keeps them together::

    m:{p}:<stream>:ev        the events, id <version>-0, fields t a b d (see `packing`)
    m:{p}:<stream>:st        v version, h head hash, s snapshot, t tenant,
                             u version that replicas may not hold (see `replicas`)
    m:{p}:<stream>:i:<key>   idempotency: first and last version, digest
    feed:{p}                 s stream, f first, l last, t tenant, w who is awaited;
                             on a cluster also the channel of its bell (see `reading`)
    due:{p}                  deadlines of streams
    alarms:{p}               alarms of streams
    streams:{p}              names of streams by time of birth
    archive:{p}              where archived streams lie
    followers:{p}            what each follower has read, so that trimming spares it
    fence:{p}                nothing; it is written to wait for the replicas
"""

from functools import lru_cache
from typing import NamedTuple

from services.eventlog.records import partition_of

META = "seedlog:log"
"""The key that says how the log was laid out, and which one it is."""


class Keys(NamedTuple):
    """The keys that concern a stream: its own, and those of its partition."""

    events: str
    state: str
    feed: str
    due: str
    streams: str
    archive: str
    alarms: str


@lru_cache(maxsize=16384)
def keys_of(stream: str) -> Keys:
    """Return the keys that concern a stream."""
    p = partition_of(stream)
    return Keys(
        f"m:{{{p}}}:{stream}:ev",
        f"m:{{{p}}}:{stream}:st",
        *(key_of(name, p) for name in ("feed", "due", "streams", "archive", "alarms")),
    )


def idempotency_key(stream: str, key: str) -> str:
    """Return the key of what is known of a client's key."""
    return f"m:{{{partition_of(stream)}}}:{stream}:i:{key}"


def key_of(name: str, partition: int) -> str:
    """Return a key that belongs to a partition: feed, due, streams and so on."""
    return f"{name}:{{{partition}}}"
