"""`seedlog tenants`: what each tenant may have of its own."""

from typing import Any

import click

from services.cli.command import with_running_stack, with_settings
from services.cli.failing import fail
from services.limits.quotas import LIMITS
from services.settings import Settings
from services.tenants import InvalidOrigin, NoSuchTenant, Tenants

MOST = 1_000_000_000
DEFAULT = "default"
HELP = {
    "open_matches": "matches that are not over; 0: any number",
    "followers": "open streams; 0: any number",
    "webhook_endpoints": "webhook endpoints; 0: none",
    "seeks": "players who look for an opponent at once; 0: none",
    "open_analyses": "analyses that have not ended; 0: any number",
    "requests": "requests a minute with each of its API keys; 0: any number",
    "analyses": "positions a minute that are computed for it; 0: any number",
}


@click.group()
def tenants() -> None:
    """Give tenants limits of their own, and say whose pages may call for them."""


class Limit(click.ParamType):  # type: ignore[type-arg]  # generic since click 8.5
    """A whole number, or the word that takes a limit back."""

    name = f"NUMBER or {DEFAULT}"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Refuse what is neither."""
        text = str(value)
        is_number = text.isascii() and text.isdigit() and len(text) < 11
        if text != DEFAULT and not (is_number and int(text) <= MOST):
            self.fail(
                f"{value!r} is neither a number up to {MOST} nor {DEFAULT}.", param, ctx
            )
        return text


def with_limits(command: Any) -> Any:
    """Give a command an option for each limit."""
    for name in reversed(LIMITS):
        option = f"--{name.replace('_', '-')}"
        command = click.option(option, type=Limit(), help=HELP[name])(command)
    return command


@tenants.command("limit")
@click.argument("tenant")
@with_limits
@with_settings
def limit(settings: Settings, tenant: str, **given: str | None) -> None:
    """Give a tenant, by name or id, limits of its own, and show those that it has.

    `default` takes one back: then that of the settings applies. Running processes
    notice within 5 s.
    """
    changes = {
        name: None if text == DEFAULT else int(text)
        for name, text in given.items()
        if text is not None
    }
    try:
        store = Tenants(with_running_stack(settings).redis_url)
        kept = store.limits.give(tenant, changes)
    except NoSuchTenant as error:
        fail(str(error))
    for name in LIMITS:
        click.echo(f"{name}  {kept.get(name, DEFAULT)}")


@tenants.command("origins")
@click.argument("tenant")
@click.argument("origins", nargs=-1)
@click.option("--none", "nobody", is_flag=True, help="let no pages in any more")
@with_settings
def let_in(
    settings: Settings, tenant: str, origins: tuple[str, ...], *, nobody: bool
) -> None:
    """Let pages of these ORIGINS, and no others, call for a tenant, by name or id.

    They may show its matches and play in them (see `embed.js`), and have the page of
    a match in a frame. Without any it shows those that are let in. Running processes
    notice within 5 s.
    """
    if nobody and origins:
        fail("either name origins, or say --none")
    wanted = () if nobody else origins or None
    try:
        store = Tenants(with_running_stack(settings).redis_url)
        named = store.origins.let_in(tenant, wanted)
    except (NoSuchTenant, InvalidOrigin) as error:
        fail(str(error))
    for origin in named:
        click.echo(origin)
