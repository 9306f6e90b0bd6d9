"""Which pages may read what is answered here: those of the allowed origins (CORS).

They send a token, and never a cookie: so an origin that is allowed can do no more than
any other client with that token, and credentials are not asked for.
"""

from dataclasses import dataclass
from urllib.parse import urlsplit

from flask import Flask, Response, g, request

from services.settings import Settings
from services.tenants import Tenants

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
KEPT = ("GET", "HEAD", "OPTIONS")
HEALTH = "health"
AWAY = 503


@dataclass(frozen=True, slots=True)
class Origins:
    """The origins whose pages may read the answers of a server.

    *named* may read all of it; what a tenant has named may read what is answered to who
    acts for that tenant, and what concerns none.
    """

    named: frozenset[str]
    tenants: Tenants
    with_own_host: bool = False

    @property
    def are_asked(self) -> bool:
        """Tell whether an answer can depend on the origin of a page at all."""
        return bool(
            self.named or self.with_own_host or self.tenants.origins.are_there()
        )

    def allow(self, origin: str, host: str, tenant: str = "") -> bool:
        """Tell whether pages of an origin may read what is answered at a host.

        Without a tenant it is one that any of them has named: whoever asks was not
        known yet, as before a preflight, or asked for nothing of a tenant's.
        """
        if self.names(origin, host):
            return True
        if tenant:
            return origin.lower() in self.tenants.origins.of(tenant)
        return self.tenants.origins.lets_in(origin.lower())

    def names(self, origin: str, host: str) -> bool:
        """Tell whether the settings let pages of an origin in, whoever they act for."""
        if ANY in self.named or origin.lower() in self.named:
            return True
        if not self.with_own_host:
            return False
        try:
            return urlsplit(origin).hostname == urlsplit(f"//{host}").hostname
        except ValueError:  # brackets: no browser has sent that
            return False

    def headers(self, origin: str, host: str) -> list[tuple[str, str]]:
        """Return what is told with a refusal that comes before it is known who asks.

        The loop of the server asks, which waits for nothing: so not what tenants say.
        """
        return told(origin) if origin and self.names(origin, host) else []


def told(origin: str) -> list[tuple[str, str]]:
    """Return what an answer tells a page that may read it."""
    return [
        ("Access-Control-Allow-Origin", origin),
        ("Access-Control-Expose-Headers", READ),
    ]


def origins_of_api(settings: Settings, tenants: Tenants) -> Origins:
    """Return whose pages may call the API, besides its own."""
    return Origins(_named(settings.origins), tenants)


def origins_of_streams(settings: Settings, tenants: Tenants) -> Origins:
    """Return whose pages may follow: those that may call, and our own page.

    Its port is another one there, and so its origin. `SEEDLOG_STREAM_ORIGINS` names all
    of them where `SEEDLOG_ORIGINS` is not set, as before there was that.
    """
    if settings.origins or not settings.stream_origins:
        return Origins(_named(settings.origins), tenants, with_own_host=True)
    return Origins(_named(settings.stream_origins), tenants)


def acts_for(tenant: str) -> None:
    """Note for which tenant a request acts: the pages that it has named may read on."""
    g.tenant = tenant


def register(app: Flask, origins: Origins) -> None:
    """Answer preflights, and let the pages of origins read every answer of an app."""

    def answer_preflight() -> Response | None:
        environ = request.environ
        if environ["REQUEST_METHOD"] != "OPTIONS":
            return None
        if "HTTP_ACCESS_CONTROL_REQUEST_METHOD" not in environ:
            return None
        if not origins.allow(request.headers.get("Origin", ""), request.host):
            return None
        response = Response()
        response.headers["Access-Control-Allow-Methods"] = METHODS
        response.headers["Access-Control-Allow-Headers"] = SENT
        response.headers["Access-Control-Max-Age"] = str(ASKED_AGAIN_S)
        return response

    def allow(response: Response) -> Response:
        environ = request.environ
        given = environ.get("HTTP_ORIGIN", "")
        if not given and environ["REQUEST_METHOD"] not in KEPT:
            return response  # no page asks, and nobody keeps it for one
        if not given and (request.blueprint == HEALTH or response.status_code == AWAY):
            return response  # one waits for nobody, the other has done so in vain
        if "Access-Control-Allow-Origin" in response.headers:
            return response  # a public file, for every origin
        if not origins.are_asked:
            return response
        response.vary.add("Origin")
        if given and origins.allow(given, request.host, g.get("tenant", "")):
            response.headers.extend(told(given))
        return response

    app.before_request(answer_preflight)
    app.after_request(allow)


def _named(setting: str) -> frozenset[str]:
    return frozenset(setting.lower().split())
