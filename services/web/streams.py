"""Where the streams are served; the page and apps are told by the host they asked."""

from urllib.parse import urlsplit

from flask import current_app, request

from services.setting_checks import SAME_ADDRESS
from services.settings import Settings

SETTINGS = "SEEDLOG_SETTINGS"


def stream_base() -> str:
    """Return the address of the streams: that of the settings, or on this host."""
    settings: Settings = current_app.config[SETTINGS]
    if settings.stream_url == SAME_ADDRESS:
        scheme = "https" if request.scheme == "https" else "http"
        return f"{scheme}://{request.host}"
    if settings.stream_url:
        return settings.stream_url.rstrip("/")
    # As it was checked: Werkzeug takes no name with "_", as containers have.
    given = request.environ.get("HTTP_HOST") or request.host
    host = urlsplit(f"//{given}").hostname or ""
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}:{settings.stream_port}"


def stream_origin() -> str:
    """Return scheme, host and port of the streams."""
    scheme, place, *_ = urlsplit(stream_base())
    return f"{scheme}://{place}"
