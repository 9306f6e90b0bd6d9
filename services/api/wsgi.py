"""What gunicorn loads: the app on the settings of the environment."""

from flask import Flask
from gunicorn.errors import AppImportError

from services import logs, settings
from services.api import create_app
from services.api.memory import keep_heaps_small, keep_what_is_made
from services.bootstrap import UnusableKeys, check_keys, connect
from services.metrics.serving import begin as begin_metrics


def app() -> Flask:
    """Return the app of this process.

    :raises AppImportError: gunicorn says its message in one line, and ends.
    """
    keep_heaps_small()
    given = settings.from_environment()
    logs.configure("api", given.log_level, has_access_log=bool(given.access_log))
    try:
        check_keys(given)
    except UnusableKeys as error:
        raise AppImportError(f"seedlog: {error}") from error
    begin_metrics(given)
    services = connect(given)
    services.presence.keep("api")
    made = create_app(services)
    keep_what_is_made()
    return made
