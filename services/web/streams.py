"""Where the streams are served; the page and apps are told by the host they asked."""

import re
from urllib.parse import urlsplit

from flask import current_app, request

from services.settings import Settings

SETTINGS = "SEEDLOG_SETTINGS"

_HOST = re.compile(r"[a-z0-9_.-]+|[0-9a-f:.]*:[0-9a-f:.]*", re.IGNORECASE)


def stream_base() -> str:
    """Return the address of the streams: that of the settings, or on this host."""
    settings: Settings = current_app.config[SETTINGS]
    if settings.stream_url:
        return settings.stream_url.rstrip("/")
    host = urlsplit(f"//{request.host}").hostname or ""
    if not _HOST.fullmatch(host):  # a client's word that nothing may be built on
        host = settings.host
    host = f"[{host}]" if ":" in host else host
    return f"http://{host}:{settings.stream_port}"


def stream_origin() -> str:
    """Return scheme, host and port of the streams."""
    scheme, place, *_ = urlsplit(stream_base())
    return f"{scheme}://{place}"
