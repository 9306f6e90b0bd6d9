"""The HTTP API: reads a request, calls one service, answers."""

from services.api.app import create_app

__all__ = ["create_app"]
