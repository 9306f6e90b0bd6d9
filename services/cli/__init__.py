"""The `seedlog` command: the only way in for people."""

import errno

from services.signals import ended_by_ctrl_c


def main() -> None:
    """Understand a command; Ctrl-C, while all is still being imported, just ends it."""
    with ended_by_ctrl_c():
        from services.cli import commands
    try:
        commands.main(prog_name="seedlog")
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        from services.cli.failing import fail

        fail(f"the disk that this writes to is full: {error.strerror}")
