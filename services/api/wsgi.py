"""What gunicorn loads: the app on the settings of the environment."""

from flask import Flask
from gunicorn.errors import AppImportError

from services.api import create_app
from services.api.memory import keep_heaps_small, keep_what_is_made
from services.bootstrap import UnusableKeys, begin_process, check_keys, connect
from services.environment import from_environment


def app() -> Flask:
    """Return the app of this process.

    :raises AppImportError: gunicorn says its message in one line, and ends.
    """
    keep_heaps_small()
    given = from_environment()
    try:
        check_keys(given)
    except UnusableKeys as error:
        raise AppImportError(f"seedlog: {error}") from error
    begin_process("api", given)
    made = create_app(connect(given))
    keep_what_is_made()
    return made
