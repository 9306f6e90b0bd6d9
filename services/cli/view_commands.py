"""`seedlog rebuild VIEW`: builds a view anew while the stack runs."""

import sys

import click

from services.audit.whole_log import count_matches
from services.cli.command import running_services, with_settings
from services.cli.failing import fail
from services.eventlog import EventLogError
from services.settings import Settings
from services.views import (
    LeaseLost,
    MatchList,
    PoisonEvent,
    Projector,
    Ratings,
    RebuildRuns,
    TenantFeed,
)

VIEWS = (MatchList.name, TenantFeed.name, Ratings.name)


@click.command()
@click.argument("view", type=click.Choice(VIEWS))
@with_settings
def rebuild(settings: Settings, view: str) -> None:
    """Build a view anew from the log, beside the present one, and switch over."""
    services = running_services(settings)
    [chosen] = [each for each in services.views if each.name == view]
    projector = Projector(services.event_log, chosen)
    try:
        total = count_matches(services.event_log)
        label = f"rebuilding {view}"
        with click.progressbar(length=total, label=label, file=sys.stderr) as bar:
            rows = projector.rebuild(lambda: bar.update(1))
    except (PoisonEvent, RebuildRuns, LeaseLost, EventLogError) as error:
        fail(f"{view} stays as it was: {error}")
    click.echo(f"{view}: {rows} matches")
