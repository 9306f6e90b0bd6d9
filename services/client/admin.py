"""What takes an admin's key: webhook endpoints, and API keys."""

from collections.abc import Iterable, Iterator
from typing import Any, cast

from services.client.pages import Request, read_pages
from services.client.paths import given, part_of
from services.client.shapes import (
    ApiKey,
    Delivery,
    Endpoint,
    MadeEndpoint,
    MadeKey,
    MadeSecret,
    RotatedKey,
)


class Webhooks:
    """The webhook endpoints of an app."""

    def __init__(self, request: Request) -> None:
        """Send by *request*."""
        self._request = request

    def create(self, url: str, events: Iterable[str]) -> MadeEndpoint:
        """Be told of types of events at a URL; keep the ``secret`` of the answer."""
        body = {"url": url, "events": list(events)}
        return cast(MadeEndpoint, self._request("POST", "/v1/webhook-endpoints", body))

    def list(self) -> list[Endpoint]:
        """List the endpoints, oldest first."""
        answered = self._request("GET", "/v1/webhook-endpoints")
        return cast("list[Endpoint]", answered["data"])

    def read(self, endpoint_id: str) -> Endpoint:
        """Read an endpoint, and how it goes."""
        return cast(Endpoint, self._request("GET", _endpoint(endpoint_id)))

    def change(self, endpoint_id: str, **changes: Any) -> Endpoint:
        """Change its ``url``, ``events`` or ``status``."""
        path = _endpoint(endpoint_id)
        return cast(Endpoint, self._request("PATCH", path, changes))

    def delete(self, endpoint_id: str) -> None:
        """Forget an endpoint, and all that was sent to it."""
        self._request("DELETE", _endpoint(endpoint_id))

    def rotate_secret(self, endpoint_id: str) -> MadeSecret:
        """Make a new secret; messages are signed by both for a day."""
        path = _endpoint(endpoint_id, "secrets")
        return cast(MadeSecret, self._request("POST", path, {}))

    def ping(self, endpoint_id: str) -> Delivery:
        """Send an event that says nothing."""
        path = _endpoint(endpoint_id, "ping")
        return cast(Delivery, self._request("POST", path, {}))

    def deliveries(self, endpoint_id: str) -> Iterator[Delivery]:
        """Yield what was sent and what waits, newest first, page by page."""
        path = _endpoint(endpoint_id, "deliveries")
        yield from read_pages(self._request, path, {"limit": 200})

    def deliver_again(self, endpoint_id: str, delivery_id: str) -> Delivery:
        """Send a delivery again, at once."""
        part = part_of(delivery_id)
        path = _endpoint(endpoint_id, f"deliveries/{part}/redelivery")
        return cast(Delivery, self._request("POST", path, {}))


class Keys:
    """The API keys of an app."""

    def __init__(self, request: Request) -> None:
        """Send by *request*."""
        self._request = request

    def create(
        self,
        label: str = "",
        role: str = "play",
        expires_in_s: int | None = None,
        *,
        sandbox: bool = False,
    ) -> MadeKey:
        """Make a key: who may ``read``, ``play``, or decide as ``admin``."""
        made = {"label": label, "role": role, "sandbox": sandbox}
        body = made | given(expires_in_s=expires_in_s)
        return cast(MadeKey, self._request("POST", "/v1/keys", body))

    def list(self) -> list[ApiKey]:
        """List the keys, oldest first, also those that are no longer valid."""
        return cast("list[ApiKey]", self._request("GET", "/v1/keys")["data"])

    def rotate(self, key_id: str, overlap_s: int | None = None) -> RotatedKey:
        """Make a successor; the key itself stays valid for a day, or as it is said."""
        body = given(overlap_s=overlap_s)
        path = f"/v1/keys/{part_of(key_id)}/rotations"
        return cast(RotatedKey, self._request("POST", path, body))

    def revoke(self, key_id: str) -> None:
        """Make a key invalid, for ever."""
        self._request("DELETE", f"/v1/keys/{part_of(key_id)}")


def _endpoint(endpoint_id: str, act: str = "") -> str:
    path = f"/v1/webhook-endpoints/{part_of(endpoint_id)}"
    return f"{path}/{act}" if act else path
