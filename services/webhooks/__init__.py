"""Webhooks: what happens in matches, told to the apps that asked for it."""

from services.webhooks.addresses import UnusableUrl, parse_url
from services.webhooks.deliveries import Deliveries
from services.webhooks.delivery import Attempt, Delivery, NoSuchDelivery
from services.webhooks.endpoint import Endpoint, NoSuchEndpoint, TooManyEndpoints
from services.webhooks.endpoints import Endpoints
from services.webhooks.follower import Follower
from services.webhooks.payload import ALL, TYPES
from services.webhooks.webhooks import Webhooks

__all__ = [
    "ALL",
    "TYPES",
    "Attempt",
    "Deliveries",
    "Delivery",
    "Endpoint",
    "Endpoints",
    "Follower",
    "NoSuchDelivery",
    "NoSuchEndpoint",
    "TooManyEndpoints",
    "UnusableUrl",
    "Webhooks",
    "parse_url",
]
