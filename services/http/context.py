"""The services of the app that answers a request."""

from flask import current_app

from services.bootstrap import Services

EXTENSION = "seedlog"


def services() -> Services:
    """Return the services of the app that answers this request."""
    known: Services = current_app.extensions[EXTENSION]
    return known
