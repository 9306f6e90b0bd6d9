"""What `seedlog` understands; `seedlog --help` is a page worth reading."""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any

import click

from services.cli import (
    archive_commands,
    audit_commands,
    book_command,
    calibrate_command,
    doctor_command,
    ending_commands,
    engine_commands,
    key_commands,
    levels_command,
    tenant_commands,
    top_command,
    tune_commands,
    view_commands,
)
from services.cli.checks import check_settings
from services.cli.command import begin, fail, need_redis, with_settings
from services.cli.settings_help import help_text
from services.http.wire.framing import MAX_REQUEST_LINE
from services.metrics.serving import FOLDER, SHARED, gather_in
from services.presence import Presence
from services.settings import Settings
from services.signals import stop_on_signals

HELP = """Seedlog: mancala games and Reversi over HTTP, on a log that loses nothing.

\b
  seedlog up        start everything: Redis, API and page, streams,
                    projector, dispatcher, workers of all kinds, until Ctrl-C
  seedlog demo      play a match of every game over HTTP, and prove it by replay
  seedlog keys      create, list, rotate and revoke the API keys of your apps
  seedlog tenants   give tenants limits of their own
  seedlog audit     verify matches in the log itself, or all of them
  seedlog verify    verify exported matches: signatures, hash chain, every rule
  seedlog signing-keys
                    rotate and list the keys that exports are signed with
  seedlog backup    write everything into one file; `restore` puts it back
  seedlog check     check the settings, and start nothing
  seedlog top       show what a running stack does, again and again
  seedlog doctor    look at a running installation, and say what to do
  seedlog engine    answer questions about positions, line by line
  seedlog solve     find what a position is worth; `perft` counts ways to play
  seedlog new-game  write a package with a game of your own
  seedlog calibrate let the levels of a game play, and say what they are worth
  seedlog compile   compile the rules of installed games, some hundred times faster
  seedlog tune      learn what positions of a game are worth, from self-play
  seedlog book      work out the opening book of a game, with values
  seedlog tables    work out every ending of few seeds, for those who think

Each process can also be started by itself, as the Docker stack does:

\b
  seedlog api | stream | projector | dispatcher | ai-worker | analysis-worker |
          webhook-worker | archiver | observer

Settings are environment variables; each that is secret (REDIS_URL, QUEUE_URL,
SEEDLOG_SECRET, SEEDLOG_SIGNING_KEY, OTEL_EXPORTER_OTLP_HEADERS) may stand in a file,
named by NAME_FILE:

\b
{settings}
"""


@click.group(
    help=HELP.format(settings=help_text()),
    context_settings={"max_content_width": 120, "terminal_width": 120},
)
@click.version_option(package_name="seedlog")
def main() -> None:
    """Understand a command."""


@main.command()
@click.option("--tables", is_flag=True, help="Make small tables of endings meanwhile.")
@with_settings
def up(settings: Settings, tables: bool) -> None:
    """Start everything, and keep it running until Ctrl-C."""
    from services.cli.supervisor import CannotStart, Supervisor

    try:
        sys.exit(Supervisor(settings, makes_tables=tables).run())
    except CannotStart as error:
        fail(str(error))


@main.command()
@with_settings
def api(settings: Settings) -> None:
    """Serve the API and the page."""
    need_redis(settings)
    check_settings(settings)
    if settings.metrics_port and settings.api_workers > 1 and SHARED not in os.environ:
        os.environ.update(gather_in(Path(mkdtemp(prefix="seedlog-"), FOLDER)))
    from gunicorn.app.wsgiapp import run

    sys.argv = ["gunicorn", *gunicorn(settings)]
    run()


@main.command()
@click.option("--strict", is_flag=True, help="end with 1 where something is weak, too")
@with_settings
def check(settings: Settings, *, strict: bool) -> None:
    """Check the settings, and start nothing."""
    weak = check_settings(settings, whole_stack=True)
    click.echo("the settings can be used")
    if weak and strict:
        sys.exit(1)


@main.command()
@with_settings
def stream(settings: Settings) -> None:
    """Serve the streams of matches to whoever follows them."""
    from services.bootstrap import connect
    from services.stream import serve

    begin("stream", settings)
    try:
        serve(connect(settings))
    except OSError as error:
        fail(
            f"port {settings.stream_port} of {settings.host} cannot be used "
            f"({error.strerror}); set SEEDLOG_STREAM_PORT to another one"
        )


@main.command()
@with_settings
def projector(settings: Settings) -> None:
    """Keep the views up to the log."""
    from services.bootstrap import connect
    from services.views import run_projectors

    begin("projector", settings)
    services = connect(settings)
    run_projectors(services.event_log, services.views, stop_on_signals())


@main.command()
@with_settings
def dispatcher(settings: Settings) -> None:
    """Turn events into jobs for AI workers."""
    from workers.run import run_dispatcher

    begin("dispatcher", settings, queue=True)
    run_dispatcher(settings)


@main.command()
@with_settings
def ai_worker(settings: Settings) -> None:
    """Play the turns of AIs; start as many as you like."""
    from workers.run import run_ai_worker

    begin("ai-worker", settings, queue=True)
    run_ai_worker(settings)


@main.command()
@with_settings
def analysis_worker(settings: Settings) -> None:
    """Think about analyses, whenever a processor has nothing else to do."""
    from workers.run import run_analysis_worker

    begin("analysis-worker", settings, queue=True)
    run_analysis_worker(settings)


@main.command()
@with_settings
def webhook_worker(settings: Settings) -> None:
    """Send webhooks; start as many as you like."""
    from workers.run import run_webhook_worker

    begin("webhook-worker", settings, queue=True)
    run_webhook_worker(settings)


@main.command()
@with_settings
def observer(settings: Settings) -> None:
    """Tell Prometheus what stands in log and queue, and the metrics of `up`."""
    from workers.run import run_observer

    if not settings.metrics_port:
        fail("SEEDLOG_METRICS_PORT is not set; it says where metrics are told")
    need_redis(settings, queue=True)
    Presence(settings.redis_url).keep("observer", settings.replicas)
    run_observer(settings)


@main.command()
@click.option(
    "--url", help="a running stack; without it that of SEEDLOG_DATA, or a new one"
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


@main.command()
@click.argument("name")
@click.option("--folder", default=".", type=click.Path(file_okay=False), help="where")
def new_game(name: str, folder: str) -> None:
    """Write a package with a running game, to be changed rule by rule."""
    from rules_core.plugins import BrokenPackage
    from services.cli.scaffold import InvalidName, write_game

    try:
        written = write_game(name, Path(folder))
    except (InvalidName, BrokenPackage) as error:
        fail(str(error))
    for path in written:
        click.echo(path)
    root = written[0].parent
    python = f"{sys.executable} -m"
    click.echo(f"\n{python} pip install pytest --editable {root}")
    click.echo(f"{python} services.cli compile")
    click.echo(f"{python} pytest {root}")


@main.command("compile")
def compile_games() -> None:
    """Compile the rules of every installed game that runs in plain Python."""
    from rules_core import all_games
    from rules_core.plugins import BrokenPackage
    from rules_core.translation.c.build import CannotCompile, build_in_place

    with TemporaryDirectory() as folder:
        try:
            made = build_in_place(all_games(), Path(folder))
        except (CannotCompile, BrokenPackage) as why:
            fail(f"not compiled: {why}")
    for path in made:
        click.echo(f"compiled {path}")
    click.echo("every game runs compiled; restart what is running")


audit_commands.add_to(main)
engine_commands.add_to(main)
key_commands.add_to(main)
tenant_commands.add_to(main)
archive_commands.add_to(main)
tune_commands.add_to(main)
book_command.add_to(main)
view_commands.add_to(main)
ending_commands.add_to(main)
calibrate_command.add_to(main)
levels_command.add_to(main)
top_command.add_to(main)
doctor_command.add_to(main)


def gunicorn(settings: Settings) -> list[str]:
    """Return the arguments that serve the API."""
    return [
        "--worker-class=services.http.wire.worker.Worker",
        f"--workers={settings.api_workers}",
        f"--threads={settings.api_threads}",
        f"--bind={settings.host}:{settings.port}",
        "--graceful-timeout=5",
        f"--limit-request-line={MAX_REQUEST_LINE}",
        "--log-level=warning",
        "--logger-class=services.http.server_log.ServerLog",
        "--no-control-socket",
        "services.api.wsgi:app()",
    ]
