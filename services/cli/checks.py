"""What is checked before anything starts, beyond the form of each setting."""

import os
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile

import click

from rules_core import all_games
from services.bootstrap import UnusableKeys, check_archive, check_keys
from services.container import check_room_for_threads, check_room_in_memory
from services.environment import weaknesses
from services.settings import InvalidSetting, Settings


def check_settings(settings: Settings, *, whole_stack: bool = False) -> list[str]:
    """Return what is weak, if all that is set can be used in this place.

    What is weak is said. API and streams of a *whole stack* listen at one host; in
    containers their ports may be the same.

    :raises InvalidSetting: something cannot be used; says all of it.
    :raises BrokenPackage: a package that is installed brings no game.
    """
    all_games()
    weak = weaknesses(settings, os.environ)
    for each in weak:
        click.secho(f"seedlog: {each}", fg="yellow", err=True)
    further = (_check_ports_differ, _check_data) if whole_stack else ()
    if wrong := complaints(settings, *further):
        raise InvalidSetting("\n".join(wrong))
    return weak


def complaints(settings: Settings, *further: Callable[[Settings], None]) -> list[str]:
    """Return what cannot be used in this place, well written though it is."""
    wrong = []
    room = (check_room_for_threads, check_room_in_memory)
    for check in (check_archive, *room, check_keys, *further):
        try:
            check(settings)
        except (InvalidSetting, UnusableKeys) as error:
            wrong.append(str(error))
        except OSError as error:  # as of a name that is too long
            wrong.append(f"{error.filename}: {error.strerror}")
    return wrong


def _check_data(settings: Settings) -> None:
    """Try to write where the data folder is, or would be made.

    But not where the log is kept elsewhere: a container may have no folder to write to.
    """
    if settings.redis_url:
        return
    there = next(each for each in _and_above(settings.data) if os.path.lexists(each))
    try:
        with TemporaryFile(dir=there):
            return
    except OSError as error:
        raise InvalidSetting(
            f"SEEDLOG_DATA: {there} cannot be written ({error.strerror}); name a "
            "folder that can, or can be made"
        ) from error


def _and_above(path: Path) -> tuple[Path, ...]:
    whole = path.absolute()
    return whole, *whole.parents


def _check_ports_differ(settings: Settings) -> None:
    if settings.port == settings.stream_port:
        raise InvalidSetting(
            f"SEEDLOG_PORT and SEEDLOG_STREAM_PORT are both {settings.port}; "
            "API and streams need one each"
        )
    if settings.metrics_port in (settings.port, settings.stream_port):
        raise InvalidSetting(
            f"SEEDLOG_METRICS_PORT is {settings.metrics_port}, where clients call; "
            "metrics need a port that they do not reach"
        )
