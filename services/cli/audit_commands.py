"""`seedlog verify`, `audit` and `signing-keys`: what the audit side can be asked for.

Verifying needs no Redis, no network and no settings: it reads files.
"""

import json
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import click

from services.audit import PublicKey, Verdict, verify_fully
from services.audit.page import export_of_page, words_finding
from services.audit.public_keys import UnreadableKeys, read_keys
from services.audit.signing_keys import SETTING, InvalidSigningKey, KeysAreGiven
from services.audit.whole_log import (
    Progress,
    UnreadableState,
    audit_log,
    audit_stream,
    count_matches,
)
from services.bootstrap import signing_keys_of
from services.cli.command import running_services, with_settings
from services.cli.failing import fail
from services.eventlog import LogUnavailable, Streams
from services.settings import Settings

OK, WRONG, UNREADABLE = 0, 1, 2
NOT_VOUCHED_FOR = (
    "export and words hold; what surrounds them in the page, script and markup, is "
    "signed by nobody"
)
SAVE_EVERY_S = 2.0
STATE = "audit.json"


@click.command("verify")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--keys",
    "keys_file",
    type=click.Path(path_type=Path),
    help="public keys to trust, as /.well-known/seedlog-keys.json has them; without "
    "them the key in each file is believed",
)
@click.option("--json", "as_json", is_flag=True, help="one JSON object for each file")
def verify_files(
    files: tuple[Path, ...], keys_file: Path | None, as_json: bool
) -> None:
    """Verify exported matches, offline: chain, signatures, and every rule.

    A page (`export?format=html`) is verified by the export that it holds.

    Exit code 0: all is well; 1: something is wrong, with a line for each finding; 2: a
    file cannot be read.
    """
    try:
        keys = None if keys_file is None else read_keys(keys_file.read_bytes())
    except (OSError, UnreadableKeys) as error:
        click.echo(f"{keys_file}: {_reason(error)}", err=True)
        sys.exit(UNREADABLE)
    sys.exit(max(_verify_file(file, keys, as_json) for file in files))


def _verify_file(
    file: Path, keys: Mapping[str, PublicKey] | None, as_json: bool
) -> int:
    try:
        data = file.read_bytes()
    except OSError as error:
        if as_json:
            said = {"file": str(file), "ok": False, "error": _reason(error)}
            click.echo(json.dumps(said))
        else:
            click.echo(f"{file}: cannot be read: {_reason(error)}", err=True)
        return UNREADABLE
    export = export_of_page(data)
    verified = verify_fully(export or data, keys)
    verdict = verified.verdict
    if export and (wrong := words_finding(data, verified.header)):
        verdict = replace(verdict, findings=[*verdict.findings, wrong])
    if as_json:
        click.echo(json.dumps({"file": str(file), **verdict.as_json()}))
    else:
        click.echo("\n".join(_lines(str(file), verdict)))
        if export and verdict.is_ok:
            click.echo(f"{file}: {NOT_VOUCHED_FOR}")
    return OK if verdict.is_ok else WRONG


def _lines(file: str, verdict: Verdict) -> Iterable[str]:
    """Yield a line for each finding, or one that says what holds."""
    if not verdict.is_ok:
        yield from (f"{file}: {finding}" for finding in verdict.findings)
        return
    by = f"signed by {verdict.key}"
    if not verdict.is_key_pinned:
        by += ", a key that stands in the file itself; --keys names those you trust"
    yield f"{file}: ok: {verdict.match}, {verdict.events} events, {by}"


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


@click.command("audit")
@click.argument("match_ids", metavar="MATCH...", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="every match of the log")
@click.option(
    "--state",
    type=click.Path(path_type=Path, dir_okay=False),
    help="where it is kept how far --all came; in the data folder without this",
)
@click.option("--restart", is_flag=True, help="do not go on with an interrupted --all")
@with_settings
def audit_matches(
    settings: Settings,
    match_ids: tuple[str, ...],
    everything: bool,
    state: Path | None,
    restart: bool,
) -> None:
    """Verify matches in the log itself: the hash chain, and every rule.

    Interrupted, --all goes on where it was when it is run again.

    Exit code 0: all is well; 1: something is wrong, with a line for each finding; 2: it
    did not come to the end.
    """
    if everything == bool(match_ids):
        raise click.UsageError("name matches, or say --all")
    log = running_services(settings).event_log
    try:
        if everything:
            sys.exit(_audit_all(log, state or settings.data / STATE, restart))
        sys.exit(max(_tell(audit_stream(log, name)) for name in match_ids))
    except (UnreadableState, LogUnavailable) as error:
        click.secho(f"seedlog: {error}", fg="red", err=True)
        sys.exit(UNREADABLE)


def _audit_all(log: Streams, state: Path, restart: bool) -> int:
    """Audit what is left of a log under a progress bar; keep how far it came."""
    progress = Progress() if restart else Progress.load(state)
    if progress.matches:
        begun = f"going on after {progress.matches} matches, {progress.wrong} wrong"
        click.echo(f"{begun}; --restart begins anew", err=True)
    try:
        progress.save(state)
    except OSError as error:
        said = f"{state} cannot be written: {error.strerror}; name another with --state"
        click.secho(f"seedlog: {said}", fg="red", err=True)
        return UNREADABLE
    total = max(count_matches(log), progress.matches)
    saved_at = time.monotonic()
    bar = click.progressbar(length=total, label="Auditing", file=sys.stderr)
    try:
        with bar:
            bar.update(progress.matches)
            for verdict in audit_log(log, progress):
                _tell(verdict, quiet=True)
                bar.update(1)
                if time.monotonic() - saved_at > SAVE_EVERY_S:
                    progress.save(state)
                    saved_at = time.monotonic()
    except (KeyboardInterrupt, LogUnavailable) as reason:
        progress.save(state)
        said = str(reason) or "interrupted"
        after = f"after {progress.matches} matches; run it again to go on"
        click.echo(f"{said} {after}", err=True)
        return UNREADABLE
    state.unlink(missing_ok=True)
    click.echo(
        f"{progress.matches} matches, {progress.events} events, {progress.wrong} wrong"
    )
    return WRONG if progress.wrong else OK


def _tell(verdict: Verdict, *, quiet: bool = False) -> int:
    """Print the findings of a match, or, unless *quiet*, that all is well."""
    for finding in verdict.findings:
        click.echo(f"{verdict.match}: {finding}")
    if verdict.is_ok and not quiet:
        click.echo(f"{verdict.match}: ok: {verdict.events} events")
    return OK if verdict.is_ok else WRONG


@click.group("signing-keys")
def signing_keys() -> None:
    """List and rotate the keys that exports are signed with."""


@signing_keys.command("list")
@with_settings
def list_signing_keys(settings: Settings) -> None:
    """List the public keys, the newest first."""
    try:
        keys = signing_keys_of(settings).public_keys()
    except InvalidSigningKey as error:
        fail(str(error))
    for key in keys:
        click.echo(_key_line(key))


@signing_keys.command("rotate")
@with_settings
def rotate_signing_keys(settings: Settings) -> None:
    """Make a new key; the earlier ones go on vouching for what they have signed."""
    try:
        click.echo(_key_line(signing_keys_of(settings).rotate()))
    except KeysAreGiven:
        fail(f"{SETTING} is set: put the new key before it, and a comma")
    except InvalidSigningKey as error:
        fail(str(error))


def _key_line(key: PublicKey) -> str:
    since, until = key.valid_from or "?", key.valid_until or "now"
    return f"{key.id}  {key.public}  {since} - {until}"
