"""The headers of what browsers are served: nothing from elsewhere, nothing kept."""

from flask import Response

from services.web.streams import stream_origin

POLICY = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self' {stream}",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors {ancestors}",
)
NOBODY = "'none'"


def guarded(response: Response, *more: str, ancestors: str = NOBODY) -> Response:
    """Return a response with these headers; *more* are directives of the policy.

    *ancestors* are the origins whose pages may have it in a frame.
    """
    facts = {"stream": stream_origin(), "ancestors": ancestors}
    policy = "; ".join((*POLICY, *more)).format(**facts)
    response.headers["Content-Security-Policy"] = policy
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "no-referrer"
    response.headers["Cache-Control"] = "no-cache"
    return response
