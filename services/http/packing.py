"""Packs answers that are long, are the same for many, and are read by browsers."""

import gzip

from flask import Response, request


def packed(response: Response) -> Response:
    """Return the answer as gzip, for who takes that."""
    response.vary.add("Accept-Encoding")
    if request.accept_encodings.quality("gzip") > 0:
        response.set_data(gzip.compress(response.get_data(), 6, mtime=0))
        response.content_encoding = "gzip"
    return response
