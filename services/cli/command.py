"""What every command needs: settings, the stack here, a way to fail with a message."""

import os
import sys
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

import click

from rules_core.plugins import BrokenPackage
from services import logs
from services import settings as settings_module
from services.archive import UnusableArchive
from services.bootstrap import Services, begin_process, configure_logs, connect
from services.cli.checks import complaints
from services.cli.ready import read_ready
from services.local_files import OTHERS
from services.settings import InvalidSetting, Settings, weaknesses


def fail(message: str) -> NoReturn:
    """End the command with a message on standard error and code 1."""
    click.secho(f"seedlog: {message}", fg="red", err=True)
    sys.exit(1)


def fail_unless_writable(path: Path, *, anew: bool = False) -> None:
    """End the command if a file cannot be written: rather now than after hours.

    *anew*: it takes the place of what is there, which a device must not lose.
    """
    takes_a_place = anew and path.exists() and not path.is_file()
    if takes_a_place or not os.access(path.absolute().parent, os.W_OK):
        fail(f"{path} cannot be written")


def with_settings(command: Any) -> Any:
    """Hand a command the settings of the environment; its logs go to standard error."""

    @wraps(command)
    def run(**arguments: Any) -> None:
        process = command.__name__.replace("_", "-")
        logs.configure(process)
        os.umask(OTHERS)  # what it makes, or its children, is for nobody else
        try:
            settings = settings_module.from_environment()
        except InvalidSetting as error:
            more = complaints(error.readable) if error.readable else []
            fail("\n".join([str(error), *more]))
        configure_logs(process, settings)
        try:
            command(settings, **arguments)
        except UnusableArchive as error:
            fail(f"SEEDLOG_ARCHIVE: {error}")
        except (BrokenPackage, InvalidSetting) as error:
            fail(str(error))

    return run


def with_running_stack(settings: Settings) -> Settings:
    """Return the settings with the Redis that is set, or that of the stack here."""
    if settings.redis_url:
        return settings
    ready = read_ready(settings.data)
    if ready is None:
        fail(
            f"no stack is running on {settings.data}; start one with `seedlog up`, "
            "or set REDIS_URL"
        )
    return replace(settings, redis_url=ready["redis_url"])


def running_services(settings: Settings) -> Services:
    """Return the services on the Redis that is set, or on that of the stack here."""
    return connect(with_running_stack(settings))


def begin(process: str, settings: Settings, *, queue: bool = False) -> None:
    """Begin a process, if the settings say where it has to look."""
    need_redis(settings, queue=queue)
    begin_process(process, settings)


def need_redis(settings: Settings, *, queue: bool = False) -> None:
    """End with a message if the settings name no Redis."""
    said = ""
    if not settings.redis_url:
        said = "REDIS_URL is not set; `seedlog up` starts a Redis of its own"
    elif queue and not settings.queue_url:
        said = "QUEUE_URL is not set; it may be the same server as REDIS_URL"
    if said:
        fail("\n".join([said, *weaknesses(settings, os.environ)]))
