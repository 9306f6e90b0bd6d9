"""`seedlog keys`: the API keys of your apps."""

import math
from collections.abc import Mapping
from typing import Any

import click

from services.bootstrap import now_ms
from services.cli.command import with_running_stack, with_settings
from services.cli.failing import fail
from services.eventlog import format_time
from services.names import InvalidName
from services.settings import Settings
from services.tenants import (
    LOCAL_TENANT,
    ROLES,
    ApiKey,
    InvalidKey,
    InvalidLabel,
    NoSuchKey,
    Tenants,
)

DAY_MS = 86_400_000


class Finite(click.FloatRange):
    """A number within bounds, and one at all."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Refuse what is no number, which is within all bounds."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


@click.group()
def keys() -> None:
    """Create, list, rotate and revoke API keys."""


@keys.command("create")
@click.option(
    "--tenant",
    default=LOCAL_TENANT,
    show_default=True,
    help="its name, which players never see, or its id",
)
@click.option("--label", default="", help="what the key is for")
@click.option(
    "--role",
    type=click.Choice(ROLES),
    default="admin",
    show_default=True,
    help="what it may do: read; also play; also decide about keys and webhooks",
)
@click.option(
    "--sandbox",
    is_flag=True,
    help="for trying out: AIs answer at once, and matches are gone after a day",
)
@click.option("--expires-days", type=Finite(0.001, 3650), help="without it: never")
@with_settings
def create_key(
    settings: Settings,
    tenant: str,
    label: str,
    role: str,
    expires_days: float | None,
    *,
    sandbox: bool,
) -> None:
    """Create a key and show it, this once."""
    tenants = _tenants(settings)
    ends_ms = now_ms() + int(expires_days * DAY_MS) if expires_days else 0
    try:
        secret, key = tenants.create_key(tenant, label, role, ends_ms, sandbox=sandbox)
    except (InvalidName, InvalidLabel) as error:
        fail(str(error))
    click.echo(f"{secret}\n{_key_line(key, {})}")


@keys.command("list")
@with_settings
def list_keys(settings: Settings) -> None:
    """List all keys, without the keys themselves."""
    tenants = _tenants(settings)
    used = tenants.last_used_ms()
    for key in tenants.list_keys():
        click.echo(_key_line(key, used))


@keys.command("rotate")
@click.argument("key_id")
@click.option(
    "--overlap-hours",
    type=Finite(0, 720),
    default=24.0,
    show_default=True,
    help="how long the key itself goes on",
)
@with_settings
def rotate_key(settings: Settings, key_id: str, overlap_hours: float) -> None:
    """Create the successor of a key and show it, this once."""
    overlap_ms = int(overlap_hours * 3_600_000)
    try:
        rotated = _tenants(settings).rotate_key(key_id, overlap_ms)
    except (NoSuchKey, InvalidKey) as error:
        fail(str(error))
    click.echo(rotated.secret)
    for key in (rotated.successor, rotated.former):
        click.echo(_key_line(key, {}))


@keys.command("revoke")
@click.argument("key_id")
@with_settings
def revoke_key(settings: Settings, key_id: str) -> None:
    """Make a key invalid; running processes notice within 5 s."""
    try:
        click.echo(_key_line(_tenants(settings).revoke_key(key_id), {}))
    except NoSuchKey:
        fail(f"there is no key {key_id!r}; `seedlog keys list` shows them")


def _tenants(settings: Settings) -> Tenants:
    """Return the keys of the Redis that is set, or of the stack that runs here."""
    return Tenants(with_running_stack(settings).redis_url)


def _key_line(key: ApiKey, used: Mapping[str, int]) -> str:
    tenant = f"{key.tenant} ({key.tenant_name})" if key.tenant_name else key.tenant
    state = key.status(now_ms())
    times = ""
    if key.expires_at_ms:
        times += f"  expires {format_time(key.expires_at_ms)}"
    if key.id in used:
        times += f"  used {format_time(used[key.id])}"
    return f"{key.id}  {tenant}  {state}  {key.role}{times}  {key.label}".rstrip()
