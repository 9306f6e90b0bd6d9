"""`seedlog archive`, `archiver`, `backup`, `restore`: what leaves Redis and returns."""

import os
import threading
from collections.abc import Callable
from pathlib import Path

import click
import structlog

from services.archive import (
    Archiver,
    InvalidBackup,
    Vanishing,
    restore_backup,
    write_backup,
)
from services.archive.damage import TellDamage
from services.audit.signing_keys import SETTING, KeysAreGiven
from services.bootstrap import Services, check_archive, connect, now_ms
from services.cli.beside_the_log import (
    UNREADABLE_KEYS,
    described,
    kept_beside,
    number_anew,
    put_back,
)
from services.cli.command import begin, running_services, with_settings
from services.cli.failing import DAMAGED, fail
from services.eventlog import UNREADABLE, EventLogError
from services.eventlog.library import connect_redis
from services.local_files import BeingWritten, draft_of, is_own_file
from services.logs import Absence
from services.match.timekeeper import Timekeeper
from services.settings import ACTING, Settings
from services.signals import pause, stop_on_signals
from services.views import LeaseLost, RebuildRuns, TenantFeed

HOUR_MS = 3_600_000
ERASURES_EVERY_S = 5.0

ABSENCE = Absence("erased names wait", "erased names are seen to again")

log = structlog.get_logger()


def build_archiver(
    services: Services, tell_damage: TellDamage | None = None
) -> Archiver:
    """Return the archiver of the settings."""
    settings = services.settings
    return Archiver(
        services.event_log,
        services.matches,
        services.archive,
        now_ms,
        archive_after_ms=settings.archive_after_hours * HOUR_MS,
        abandon_after_ms=settings.abandon_after_hours * HOUR_MS,
        vanishing=Vanishing(
            services.event_log,
            now_ms,
            settings.sandbox_hours * HOUR_MS,
            services.forget_match,
        ),
        tell_damage=tell_damage,
    )


def trim_feeds(services: Services) -> int:
    """Trim what is as old as archived matches are from the feeds of tenants.

    The last hour stays in any case, for followers who are away for a moment.
    """
    kept_ms = max(services.settings.archive_after_hours, 1) * HOUR_MS
    until_ms = now_ms() - kept_ms

    def is_old(match_id: str, version: int) -> bool:
        try:
            events = services.event_log.read(match_id, version - 1, 1)
        except UNREADABLE:  # it cannot be told any more, whatever its age
            return True
        return not events or events[0].at_ms <= until_ms

    return services.tenant_feed.trim(is_old)


def let_names_go(services: Services, should_stop: Callable[[], bool]) -> None:
    """See to it that erased names leave the disk, until told to stop."""
    while not should_stop():
        try:
            services.erasures.run_once(now_ms())
            ABSENCE.over()
        except EventLogError as error:
            ABSENCE.note(error)
        except Exception:
            log.exception("erased names wait")  # whatever it is, nobody else asks
        pause(ERASURES_EVERY_S, should_stop)


@click.command()
@click.option("--reindex", is_flag=True, help="write the index anew from the segments")
@with_settings
def archive(settings: Settings, reindex: bool) -> None:
    """Archive now what is old enough."""
    services, damage = running_services(settings), _Damage()
    if reindex:
        found = services.archive.reindex(damage.tell)
        click.echo(f"{found} matches found in segments, which the index lacked")
        damage.end("of the segments cannot be read; restore these files")
        return
    moved = build_archiver(services, damage.tell).run_once()
    click.echo(f"{moved} matches archived, {services.archive.count()} in the archive")
    click.echo(f"{trim_feeds(services)} old entries trimmed from the feeds of tenants")
    damage.end("of the matches cannot be read, and were left where they are")


@click.command()
@with_settings
def archiver(settings: Settings) -> None:
    """Archive, and call the times that run out, for as long as it runs."""
    begin("archiver", settings)
    should_stop, services = stop_on_signals(), connect(settings)
    check_archive(settings)
    arguments = (services, should_stop)
    threading.Thread(target=let_names_go, args=arguments, daemon=True).start()
    Timekeeper(services.event_log, services.matches, now_ms).start(should_stop)
    build_archiver(services).run(should_stop, lambda: trim_feeds(services))


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--with-signing-keys",
    is_flag=True,
    help="put the private keys in too: whoever has the file can sign exports",
)
@click.option(
    "--continue",
    "goes_on",
    is_flag=True,
    help="go on with FILE.part, which an interrupted backup has left; what it holds by "
    "then is not read again",
)
@with_settings
def backup(
    settings: Settings, file: Path, with_signing_keys: bool, goes_on: bool
) -> None:
    """Write everything into one file, while the stack runs."""
    services = running_services(settings)
    redis, damage = connect_redis(services.settings.redis_url), _Damage()
    try:
        beside = kept_beside(services, with_private=with_signing_keys)
        with _progress("backing up") as bar:
            count = write_backup(
                services.event_log,
                redis,
                file,
                lambda: bar.update(1),
                beside,
                damage.tell,
                goes_on=goes_on,
            )
    except KeysAreGiven:
        fail(f"{SETTING} is set: keep that setting with the backup, without the flag")
    except OSError as error:
        fail(f"{file} cannot be written: {error.strerror}. {_what_is_left_of(file)}")
    except (*UNREADABLE_KEYS, BeingWritten, InvalidBackup) as error:
        fail(str(error))
    click.echo(f"{count} matches, {os.path.getsize(file)} bytes in {file}")
    click.echo(described(beside))
    damage.end("of these matches are damaged: no restore will put them back")


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@with_settings
def restore(settings: Settings, file: Path) -> None:
    """Put everything from a file into an empty log; run it again if interrupted."""
    services = running_services(settings)
    redis, damage = connect_redis(services.settings.redis_url), _Damage()
    said: list[str] = []
    try:
        with _progress("restoring") as bar:
            count = restore_backup(
                services.event_log,
                services.matches,
                redis,
                file,
                lambda: bar.update(1),
                lambda name, value: said.append(put_back(services, name, value)),
                damage.tell,
            )
        number_anew(services)
    except OSError as error:
        fail(f"{settings.data} cannot be written: {error.strerror}")
    except (*UNREADABLE_KEYS, InvalidBackup) as error:
        fail(str(error))
    except (RebuildRuns, LeaseLost) as refused:
        fail(f"all is restored, but {TenantFeed.name} is not rebuilt: {refused}")
    click.echo(f"{count} matches restored, each replayed by its rules to its head")
    for line in filter(None, said):
        click.echo(line)
    if any(services.presence.count(ACTING).values()):
        click.echo("processes that ran before the log was emptied: start them again")
    damage.end("of these matches were not put back; all others were")


class _Damage:
    """What is damaged, told as soon as it is met; it gives the command its code."""

    def __init__(self) -> None:
        self._names = set[str]()

    def tell(self, name: str, reason: str) -> None:
        self._names.add(name)
        click.secho(f"{name}: {reason}", fg="red", err=True)

    def end(self, said: str) -> None:
        """End the command if there was any."""
        if self._names:
            fail(f"{len(self._names)} {said}", DAMAGED)


def _what_is_left_of(file: Path) -> str:
    draft = draft_of(file)
    if not os.path.lexists(draft):
        return "Nothing is left of it: begin anew"
    if not is_own_file(draft.lstat()):
        return f"{draft} is in the way: remove it"
    return (
        f"{draft} holds what was written, {os.path.getsize(draft)} bytes: make room and"
        " go on with --continue, or delete it"
    )


def _progress(label: str) -> "click._termui_impl.ProgressBar[int]":
    return click.progressbar(length=0, label=label, show_pos=True)
