"""Streams: whoever follows a match hears of every event once, in order, as it comes."""

from services.stream.server import serve

__all__ = ["serve"]
