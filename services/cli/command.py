"""What every command needs: the settings, and a way to fail with a message."""

import sys
from functools import wraps
from typing import Any, NoReturn

import click

from services import settings as settings_module
from services.settings import InvalidSetting


def fail(message: str) -> NoReturn:
    """End the command with a message on standard error and code 1."""
    click.secho(f"seedlog: {message}", fg="red", err=True)
    sys.exit(1)


def with_settings(command: Any) -> Any:
    """Hand the settings of the environment to a command."""

    @wraps(command)
    def run(**arguments: Any) -> None:
        try:
            settings = settings_module.from_environment()
        except InvalidSetting as error:
            fail(str(error))
        command(settings, **arguments)

    return run
