"""`seedlog top`: what a running stack does, in a terminal."""

import time
from dataclasses import replace
from datetime import UTC, datetime

import click

from services.cli.command import with_running_stack, with_settings
from services.cli.failing import fail
from services.cli.http_url import HTTP_URL
from services.cli.ready import read_ready
from services.settings import Settings


@click.command()
@click.option("--once", is_flag=True, help="print one table, of the last second")
@click.option(
    "--every",
    "every_s",
    type=click.FloatRange(0.2, 3600),
    default=2,
    show_default=True,
    help="seconds from one table to the next",
)
@click.option(
    "--metrics",
    "urls",
    multiple=True,
    type=HTTP_URL,
    help="where metrics are told; may be repeated. Without it that of the stack here",
)
@with_settings
def top(settings: Settings, once: bool, every_s: float, urls: tuple[str, ...]) -> None:
    """Show what a running stack does, again and again."""
    from services.cli.top import Between, look, table
    from workers.state import State

    ready = read_ready(settings.data) or {}
    settings = with_running_stack(settings)
    queue_url = settings.queue_url or str(ready.get("queue_url", ""))
    if not urls and (here := ready.get("metrics_url")):
        urls = (here,)
    state = State(replace(settings, queue_url=queue_url))
    try:
        before = look(state, urls)
        while True:
            time.sleep(1 if once else every_s)
            now = look(state, urls)
            lines = table(Between(before, now))
            if once:
                click.echo("\n".join(lines))
                return
            click.clear()
            click.secho(f"Seedlog, {datetime.now(UTC):%H:%M:%S} UTC\n", bold=True)
            click.echo("\n".join(lines))
            before = now
    except OSError as error:
        fail(f"metrics cannot be asked for: {error}")
    except KeyboardInterrupt:
        return
