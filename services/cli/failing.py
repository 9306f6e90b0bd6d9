"""How a command ends that cannot do what it was asked for."""

import os
import sys
from pathlib import Path
from typing import NoReturn

import click

DAMAGED = 3
"""The code of a command that did what it could, and met what is damaged."""


def fail(message: str, code: int = 1) -> NoReturn:
    """End the command with a message on standard error and a code."""
    click.secho(f"seedlog: {message}", fg="red", err=True)
    sys.exit(code)


def fail_unless_writable(path: Path, *, anew: bool = False) -> None:
    """End the command if a file cannot be written: rather now than after hours.

    *anew*: it takes the place of what is there, which a device must not lose.
    """
    takes_a_place = anew and path.exists() and not path.is_file()
    if takes_a_place or not os.access(path.absolute().parent, os.W_OK):
        fail(f"{path} cannot be written")
