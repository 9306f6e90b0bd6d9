"""The `seedlog` command: the only way in for people."""

import signal


def main() -> None:
    """Understand a command; Ctrl-C, while all is still being imported, just ends it."""
    is_heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if is_heard:  # it is not in the background of a shell
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from services.cli import commands

    if is_heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    commands.main(prog_name="seedlog")
