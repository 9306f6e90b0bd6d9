"""The keys of webhooks in the Redis of the log, under one hash tag: layout 1.

One tag, so that scripts and transactions may touch several of them::

    {webhooks}:layout             the version of all this
    {webhooks}:cursors            how far the feed was planned, partition by partition
    {webhooks}:planned            until when, in ms, everything was planned
    {webhooks}:due                endpoints by the time at which one has to be sent to
    {webhooks}:of:<tenant>        the endpoints of a tenant, a set
    {webhooks}:request:<key>      idempotency of requests: digest, what came of it
    {webhooks}:e:<id>             an endpoint, a hash (see `endpoints`)
      ...:lanes                   match -> version planned up to, last sequence number
      ...:over                    matches that are over, by when that was planned
      ...:due                     lanes by the time of the next attempt
      ...:queue:<lane>            numbers of deliveries that wait, a list
      ...:deliveries              number -> delivery (see `deliveries`)
      ...:numbers                 all numbers, in order
      ...:settled                 numbers of those that wait no more, by when that was

A *lane* is a line of deliveries that go one after the other: a match, or a ping or
redelivery by itself.
"""

from services.names import redis_key

LAYOUT = "1"
TAG = "{webhooks}"
LAYOUT_KEY = f"{TAG}:layout"
CURSORS = f"{TAG}:cursors"
PLANNED = f"{TAG}:planned"
DUE = f"{TAG}:due"


def of_tenant(tenant: str) -> str:
    """Return the key of a tenant's endpoints."""
    return redis_key(f"{TAG}:of", tenant)


def request_key(key: str) -> str:
    """Return the key of what came of a request with an idempotency key."""
    return redis_key(f"{TAG}:request", key)


def endpoint_key(endpoint_id: str, *parts: str) -> str:
    """Return a key of an endpoint: its own, or that of a part of it."""
    return redis_key(f"{TAG}:e", endpoint_id, *parts)
