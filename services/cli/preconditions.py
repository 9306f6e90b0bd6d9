"""What has to be right before a stack starts: its folder, its ports, its Redis."""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path

import click

from rules_core.search.ending_tables import FOLDER as ENDINGS
from services.audit.signing_keys import FOLDER
from services.audit.trust import FILE as TRUSTED_KEYS
from services.cli.durability import TO_MASTER, shortcomings
from services.cli.ports import PortTaken, check_port
from services.cli.ready import NAME as READY
from services.eventlog import LogUnavailable
from services.eventlog.library import connect_redis
from services.eventlog.pools import place_of
from services.eventlog.room import REPLICA, is_replica
from services.local_files import NotPrivate, keep_private, make_private_folder
from services.metrics.serving import FOLDER as METRICS
from services.settings import Settings

OWN_NAMES = (
    *("log", "queue", "archive", FOLDER, "secret", "api_key"),
    *(TRUSTED_KEYS, READY, "lock", ENDINGS, METRICS),
)
"""What stands in a data folder; all else in it is somebody else's."""


class CannotStart(Exception):
    """Something has to be put right before the stack can start."""


@contextlib.contextmanager
def locked(data: Path) -> Iterator[None]:
    """Hold the data folder; two stacks on one folder would disagree."""
    with (data / "lock").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise CannotStart(
                f"another stack is running on {data}; stop it, or set SEEDLOG_DATA"
            ) from error
        yield


def prepare_folder(data: Path) -> None:
    """Make the data folder, or take from other users what they could read in it."""
    try:
        make_private_folder(data)
    except OSError as error:
        raise CannotStart(
            f"SEEDLOG_DATA: {data} cannot be a folder ({error.strerror})"
        ) from error
    try:
        mended = keep_private(data, OWN_NAMES)
    except NotPrivate as error:
        raise CannotStart(f"SEEDLOG_DATA: {error}") from error
    if mended:
        count = f"{mended[0]}" + (f" and {len(mended) - 1} more" * (len(mended) > 1))
        say(f"other users could read {count}; they cannot any more")


def check_ports(settings: Settings) -> None:
    """Refuse to start beside who has one of the ports."""
    try:
        check_port(settings.host, settings.port, "SEEDLOG_PORT")
        check_port(settings.host, settings.stream_port, "SEEDLOG_STREAM_PORT")
        if port := settings.metrics_port:
            names = ("SEEDLOG_METRICS_PORT", "SEEDLOG_METRICS_HOST")
            check_port(settings.metrics_host, port, *names)
    except PortTaken as error:
        raise CannotStart(str(error)) from error


def check_servers(url: str) -> None:
    """Say which servers of a log that was given lose what they have acknowledged.

    :raises CannotStart: one takes no writes, or does not answer.
    """
    try:
        for redis in connect_redis(url).servers():
            if is_replica(redis):
                remedy = TO_MASTER.format(setting="REDIS_URL")
                raise CannotStart(f"REDIS_URL: {REPLICA}; {remedy}")
            if wrong := shortcomings(redis):
                place = place_of(redis.connection_pool) or "the master"
                say(
                    f"acknowledged moves can be lost: at {place} {', '.join(wrong)}; "
                    "CONFIG SET each, and write it into the configuration"
                )
    except LogUnavailable as error:
        raise CannotStart(str(error)) from error


def say(message: str) -> None:
    """Tell whoever started the stack."""
    click.secho(f"seedlog: {message}", fg="yellow", err=True)
