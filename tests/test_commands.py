"""The table of commands: every one is in it, by its name, and costs what it needs."""

import subprocess
import sys
from importlib import import_module
from pkgutil import iter_modules

import click
import pytest

from services import cli
from services.cli.commands import HOMES, main
from tests.support.commands import seedlog


def test_every_command_that_is_written_can_be_called_by_its_name() -> None:
    within: set[str] = set()
    written: set[str] = set()
    for module in iter_modules(cli.__path__):
        if not module.name.endswith(("_command", "_commands")):
            continue
        for found in vars(import_module(f"{cli.__name__}.{module.name}")).values():
            if isinstance(found, click.Group):
                within |= set(found.commands)
            if isinstance(found, click.Command):
                written.add(str(found.name))

    assert written - within == set(HOMES) - within
    for name in HOMES:
        found = main.get_command(click.Context(main), name)
        assert found is not None
        assert found.name == name


def test_whoever_misspells_a_command_is_told_which_one_there_is() -> None:
    """The names are known before any command is imported."""
    said = seedlog("chekc")

    assert said.exit_code == 2
    assert "'check'" in said.output


@pytest.mark.parametrize(
    "asked",
    [
        ("demo", "--url"),
        ("doctor", "--url"),
        ("doctor", "--stream-url"),
        ("top", "--metrics"),
    ],
)
def test_what_is_no_url_is_refused_at_once(asked: tuple[str, str]) -> None:
    said = seedlog(*asked, "example.org")

    assert said.exit_code == 2
    assert "example.org does not begin with http:// or https://" in said.output


def test_whoever_writes_to_a_full_disk_is_told_so() -> None:
    command = f'exec "{sys.executable}" -m services.cli perft kalah 1 >/dev/full'

    ran = subprocess.run(["sh", "-c", command], capture_output=True, text=True)

    assert ran.returncode == 1
    assert ran.stderr.splitlines() == [
        "seedlog: the disk that this writes to is full: No space left on device"
    ]


NAMING_MODULES = """
import sys
from services.cli.commands import main

main(sys.argv[1:], standalone_mode=False)
print(*sys.modules)
"""


def test_what_needs_no_server_is_understood_without_one() -> None:
    """An engine's answers should not wait for a web framework to be imported."""
    for command in ("engine", "perft", "new-game"):
        run = subprocess.run(
            [sys.executable, "-c", NAMING_MODULES, command, "--help"],
            capture_output=True,
            text=True,
            check=True,
        )

        assert not {"flask", "redis", "rq"} & set(run.stdout.split()), command
