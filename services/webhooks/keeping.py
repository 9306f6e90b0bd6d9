"""What a backup holds of webhooks: endpoints, and how far each match was told.

Not what was sent and what waits, and no secret: those are derived from ours. A restored
endpoint is told of what happens from then on. Its deliveries have numbers far above
those of the former installation, for a receiver knows an event by them.
"""

from typing import Any

from redis import Redis

from services.webhooks import keys

FORMAT = "seedlog-webhooks 1"
LATER_NUMBERS = 10**9
OF_ENDPOINT = ("delivered_ms", "failing_since_ms", "paused_ms")
"""Facts of the former installation, which are not put back."""


def kept(redis: "Redis") -> dict[str, Any]:
    """Return all endpoints, as a backup holds them."""
    endpoints = []
    for of_tenant in sorted(redis.scan_iter(match=f"{keys.of_tenant('')}*")):
        members: Any = redis.smembers(of_tenant)
        for endpoint_id in sorted(members):
            fields: Any = redis.hgetall(keys.endpoint_key(endpoint_id))
            lanes: Any = redis.hgetall(keys.endpoint_key(endpoint_id, "lanes"))
            if fields:
                facts = {k: v for k, v in fields.items() if k not in OF_ENDPOINT}
                endpoints.append({"id": endpoint_id, "fields": facts, "lanes": lanes})
    return {"format": FORMAT, "endpoints": endpoints}


def put_back(redis: "Redis", value: dict[str, Any], redis_ms: int) -> int:
    """Put endpoints back that are not there; return how many a backup holds.

    *redis_ms* is the time of Redis: nothing of before is told.
    """
    for endpoint in value["endpoints"]:
        name = keys.endpoint_key(endpoint["id"])
        if redis.exists(name):
            continue
        fields = dict(endpoint["fields"])
        number = int(fields.get("number", 0)) + LATER_NUMBERS
        fields |= {"since_ms": redis_ms, "number": number}
        with redis.pipeline() as pipeline:
            pipeline.set(keys.LAYOUT_KEY, keys.LAYOUT)
            pipeline.sadd(keys.of_tenant(fields["tenant"]), endpoint["id"])
            pipeline.hset(name, mapping=fields)
            if endpoint["lanes"]:
                lanes = keys.endpoint_key(endpoint["id"], "lanes")
                pipeline.hset(lanes, mapping=endpoint["lanes"])
            pipeline.execute()
    return len(value["endpoints"])
