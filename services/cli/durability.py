"""Whether a Redis keeps what it acknowledges: the promise of the log rests on it.

The doctor and `seedlog up` judge by this alone.
"""

from typing import Any

from redis.exceptions import ResponseError

from services.cli.redis_server import DURABLE

TO_MASTER = "set {setting} to its master, or to Sentinels that know it"
"""What to do where a setting leads to a replica."""

KEEPING = ("appendonly", "appendfsync", "maxmemory-policy")


def shortcomings(redis: Any) -> list[str] | None:
    """Return how a server keeps data otherwise than it should; None: it does not tell.

    :raises LogUnavailable: it does not answer.
    """
    try:
        told = {name: redis.config_get(name).get(name) for name in KEEPING}
    except ResponseError:  # hosts of Redis servers keep CONFIG to themselves
        return None
    return [
        f"{name} is {told[name]!r}, not {DURABLE[name]!r}"
        for name in KEEPING
        if told[name] != DURABLE[name]
    ]
