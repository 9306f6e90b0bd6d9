"""What gunicorn loads: the app on the settings of the environment."""

from flask import Flask

from services import logs, settings
from services.api import create_app
from services.bootstrap import connect


def app() -> Flask:
    """Return the app of this process."""
    logs.configure("api")
    return create_app(connect(settings.from_environment()))
