"""Streams are served by a process of their own; here it is said where."""

from flask import request

from services.http.refusals import UseStream
from services.web.streams import stream_base

STREAMED = ("text/event-stream", "application/x-ndjson")


def stream_url(match_id: str) -> str:
    """Return where a match can be followed."""
    return f"{stream_base()}/v1/matches/{match_id}/stream"


def analysis_stream_url(analysis_id: str) -> str:
    """Return where an analysis can be followed."""
    return f"{stream_base()}/v1/analyses/{analysis_id}/stream"


def feed_stream_url() -> str:
    """Return where the feed of a tenant can be followed."""
    return f"{stream_base()}/v1/stream"


def refuse_streams(url: str) -> None:
    """Refuse whoever wants a stream rather than JSON.

    :raises UseStream: tells where the stream is.
    """
    wanted = request.accept_mimetypes
    best = wanted.best_match(["application/json", *STREAMED])
    if wanted and best in STREAMED:
        raise UseStream(url)
