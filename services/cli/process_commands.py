"""`seedlog up`, and the processes that it starts: what serves, and what works."""

import os
import sys
from pathlib import Path
from tempfile import mkdtemp

import click

from services.cli.checks import check_settings
from services.cli.command import begin, need_redis, with_settings
from services.cli.failing import fail
from services.http.wire.framing import MAX_REQUEST_LINE
from services.metrics.serving import FOLDER, SHARED, gather_in
from services.presence import Presence
from services.settings import Settings
from services.signals import stop_on_signals


@click.command()
@click.option("--tables", is_flag=True, help="Make small tables of endings meanwhile.")
@with_settings
def up(settings: Settings, tables: bool) -> None:
    """Start everything, and keep it running until Ctrl-C."""
    from services.cli.preconditions import CannotStart
    from services.cli.supervisor import Supervisor

    try:
        sys.exit(Supervisor(settings, makes_tables=tables).run())
    except CannotStart as error:
        fail(str(error))


@click.command()
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


@click.command()
@click.option("--strict", is_flag=True, help="end with 1 where something is weak, too")
@with_settings
def check(settings: Settings, *, strict: bool) -> None:
    """Check the settings, and start nothing."""
    weak = check_settings(settings, whole_stack=True)
    click.echo("the settings can be used")
    if weak and strict:
        sys.exit(1)


@click.command()
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


@click.command()
@with_settings
def projector(settings: Settings) -> None:
    """Keep the views up to the log."""
    from services.bootstrap import connect
    from services.views import run_projectors

    begin("projector", settings)
    services = connect(settings)
    run_projectors(services.event_log, services.views, stop_on_signals())


@click.command()
@with_settings
def dispatcher(settings: Settings) -> None:
    """Turn events into jobs for AI workers."""
    from workers.run import run_dispatcher

    begin("dispatcher", settings, queue=True)
    run_dispatcher(settings)


@click.command()
@with_settings
def ai_worker(settings: Settings) -> None:
    """Play the turns of AIs; start as many as you like."""
    from workers.run import run_ai_worker

    begin("ai-worker", settings, queue=True)
    run_ai_worker(settings)


@click.command()
@with_settings
def analysis_worker(settings: Settings) -> None:
    """Think about analyses, whenever a processor has nothing else to do."""
    from workers.run import run_analysis_worker

    begin("analysis-worker", settings, queue=True)
    run_analysis_worker(settings)


@click.command()
@with_settings
def webhook_worker(settings: Settings) -> None:
    """Send webhooks; start as many as you like."""
    from workers.run import run_webhook_worker

    begin("webhook-worker", settings, queue=True)
    run_webhook_worker(settings)


@click.command()
@with_settings
def observer(settings: Settings) -> None:
    """Tell Prometheus what stands in log and queue, and the metrics of `up`."""
    from workers.run import run_observer

    if not settings.metrics_port:
        fail("SEEDLOG_METRICS_PORT is not set; it says where metrics are told")
    need_redis(settings, queue=True)
    Presence(settings.redis_url).keep("observer", settings.replicas)
    run_observer(settings)


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
