"""`seedlog demo`: a match of every game, seen from outside."""

from typing import Any

import click

from services.cli.command import with_settings
from services.cli.failing import fail
from services.cli.http_url import HTTP_URL
from services.settings import Settings


@click.command()
@click.option(
    "--url",
    type=HTTP_URL,
    help="a running stack; without it that of SEEDLOG_DATA, or a new one",
)
@click.option("--key", envvar="SEEDLOG_KEY", help="an API key of it, or SEEDLOG_KEY")
@click.option(
    "--game", "games", multiple=True, help="play only this game; may be repeated"
)
@click.option(
    "--level",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="level of the AI",
)
@click.option("--seed", default=1, show_default=True, help="seed of the random player")
@click.option("--quiet", is_flag=True, help="draw no boards")
@with_settings
def demo(settings: Settings, **arguments: Any) -> None:
    """Play a whole match of every game over HTTP, then prove it by replay."""
    from services.cli.demo import DemoFailed, run_demo
    from services.client import SeedlogError

    try:
        run_demo(settings, **arguments)
    except (DemoFailed, SeedlogError) as error:
        fail(str(error))
