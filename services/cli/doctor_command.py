"""`seedlog doctor`: look at a running installation, and say what to do."""

import sys
from dataclasses import replace

import click

from services.cli.command import with_running_stack, with_settings
from services.cli.http_url import HTTP_URL
from services.cli.ports import reachable
from services.cli.ready import read_ready
from services.settings import Settings

COLOURS = {"ok": "green", "look": "yellow", "wrong": "red"}


@click.command()
@click.option(
    "--url",
    type=HTTP_URL,
    help="where the API answers; without it as the settings say",
)
@click.option("--stream-url", type=HTTP_URL, help="where the streams answer")
@with_settings
def doctor(settings: Settings, url: str | None, stream_url: str | None) -> None:
    """Look at a running installation, and say what to do.

    Exit code 0: nothing is wrong, though something may be worth a look; 1: it is.
    """
    from services.cli.doctor import Patient, examine

    ready = read_ready(settings.data) or {}
    settings = with_running_stack(settings)
    queue_url = settings.queue_url or str(ready.get("queue_url", ""))
    settings = replace(settings, queue_url=queue_url)
    host = f"http://{reachable(settings.host)}"
    patient = Patient(
        settings,
        url or str(ready.get("url") or f"{host}:{settings.port}"),
        stream_url or str(ready.get("stream_url") or f"{host}:{settings.stream_port}"),
    )
    is_well = True
    for finding in examine(patient):
        is_well &= finding.condition != "wrong"
        click.secho(f"{finding.condition:<6}", fg=COLOURS[finding.condition], nl=False)
        click.echo(finding.what)
        if finding.remedy:
            click.echo(f"      -> {finding.remedy}")
    sys.exit(0 if is_well else 1)
