"""Which pages may read what is answered here: those of the allowed origins (CORS).

They send a token, and never a cookie: so an origin that is allowed can do no more than
any other client with that token, and credentials are not asked for.
"""

from dataclasses import dataclass
from urllib.parse import urlsplit

from flask import Flask, Response, request

from services.settings import Settings

ANY = "*"
METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE"
SENT = (
    "Accept-Language, Authorization, Content-Type, Idempotency-Key, If-Match, "
    "If-None-Match, Last-Event-ID, X-Request-Id"
)
READ = (
    "Allow, Content-Language, ETag, Location, RateLimit, RateLimit-Policy, "
    "Retry-After, WWW-Authenticate, X-Request-Id"
)
ASKED_AGAIN_S = 7200


@dataclass(frozen=True, slots=True)
class Origins:
    """The origins whose pages may read the answers of a server."""

    named: frozenset[str]
    with_own_host: bool = False

    def allow(self, origin: str, host: str) -> bool:
        """Tell whether pages of an origin may read what is answered at a host."""
        if ANY in self.named or origin.lower() in self.named:
            return True
        if not self.with_own_host:
            return False
        try:
            return urlsplit(origin).hostname == urlsplit(f"//{host}").hostname
        except ValueError:  # brackets: no browser has sent that
            return False

    def headers(self, origin: str, host: str) -> list[tuple[str, str]]:
        """Return what an answer tells a page of an origin."""
        if not origin or not self.allow(origin, host):
            return []
        return [
            ("Access-Control-Allow-Origin", origin),
            ("Access-Control-Expose-Headers", READ),
        ]


def origins_of_api(settings: Settings) -> Origins | None:
    """Return whose pages may call the API; None: nobody's but its own."""
    return Origins(_named(settings.origins)) if settings.origins else None


def origins_of_streams(settings: Settings) -> Origins:
    """Return whose pages may follow: those that may call, and our own page.

    Its port is another one there, and so its origin. `SEEDLOG_STREAM_ORIGINS` names all
    of them where `SEEDLOG_ORIGINS` is not set, as before there was that.
    """
    if settings.origins or not settings.stream_origins:
        return Origins(_named(settings.origins), with_own_host=True)
    return Origins(_named(settings.stream_origins))


def register(app: Flask, origins: Origins) -> None:
    """Answer preflights, and let the pages of origins read every answer of an app."""

    def answer_preflight() -> Response | None:
        asked = request.headers.get("Access-Control-Request-Method")
        if request.method != "OPTIONS" or asked is None:
            return None
        if not origins.allow(request.headers.get("Origin", ""), request.host):
            return None
        response = Response()
        response.headers["Access-Control-Allow-Methods"] = METHODS
        response.headers["Access-Control-Allow-Headers"] = SENT
        response.headers["Access-Control-Max-Age"] = str(ASKED_AGAIN_S)
        return response

    def allow(response: Response) -> Response:
        if "Access-Control-Allow-Origin" in response.headers:
            return response  # a public file, for every origin
        response.vary.add("Origin")
        given = request.headers.get("Origin", "")
        response.headers.extend(origins.headers(given, request.host))
        return response

    app.before_request(answer_preflight)
    app.after_request(allow)


def _named(setting: str) -> frozenset[str]:
    return frozenset(setting.lower().split())
