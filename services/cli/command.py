"""What every command needs: settings, and the stack here."""

import os
from dataclasses import replace
from functools import wraps
from typing import Any

from rules_core.plugins import BrokenPackage
from services import logs
from services.archive import UnusableArchive
from services.bootstrap import Services, begin_process, configure_logs, connect
from services.cli.checks import complaints
from services.cli.failing import fail
from services.cli.ready import read_ready
from services.environment import from_environment, weaknesses
from services.eventlog import EventLogError
from services.local_files import OTHERS
from services.settings import InvalidSetting, Settings


def with_settings(command: Any) -> Any:
    """Hand a command the settings of the environment; its logs go to standard error."""

    @wraps(command)
    def run(**arguments: Any) -> None:
        process = command.__name__.replace("_", "-")
        logs.configure(process)
        os.umask(OTHERS)  # what it makes, or its children, is for nobody else
        try:
            settings = from_environment()
        except InvalidSetting as error:
            more = complaints(error.readable) if error.readable else []
            fail("\n".join([str(error), *more]))
        configure_logs(process, settings)
        try:
            command(settings, **arguments)
        except UnusableArchive as error:
            fail(f"SEEDLOG_ARCHIVE: {error}")
        except (BrokenPackage, EventLogError, InvalidSetting) as error:
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
