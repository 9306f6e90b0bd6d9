"""The `seedlog` command: the only way in for people."""

from services.signals import ended_by_ctrl_c


def main() -> None:
    """Understand a command; Ctrl-C, while all is still being imported, just ends it."""
    with ended_by_ctrl_c():
        from services.cli import commands
    commands.main(prog_name="seedlog")
