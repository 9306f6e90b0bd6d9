"""What `seedlog` understands; `seedlog --help` is a page worth reading."""

from collections import UserDict
from importlib import import_module
from typing import Any

import click

from services.cli.settings_help import help_text

HOMES = {
    "archive": "archive_commands",
    "archiver": "archive_commands",
    "backup": "archive_commands",
    "restore": "archive_commands",
    "audit": "audit_commands:audit_matches",
    "signing-keys": "audit_commands",
    "verify": "audit_commands:verify_files",
    "book": "book_command",
    "calibrate": "calibrate_command",
    "demo": "demo_command",
    "doctor": "doctor_command",
    "tables": "ending_commands",
    "engine": "engine_commands",
    "perft": "engine_commands",
    "solve": "engine_commands",
    "compile": "game_commands:compile_games",
    "new-game": "game_commands",
    "keys": "key_commands",
    "levels": "levels_command",
    "ai-worker": "process_commands",
    "analysis-worker": "process_commands",
    "api": "process_commands",
    "check": "process_commands",
    "dispatcher": "process_commands",
    "observer": "process_commands",
    "projector": "process_commands",
    "stream": "process_commands",
    "up": "process_commands",
    "webhook-worker": "process_commands",
    "tenants": "tenant_commands",
    "top": "top_command",
    "tune": "tune_commands",
    "rebuild": "view_commands",
}
"""The module of each command, and its name there where that is another one."""

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
  seedlog archive   archive now what is old enough
  seedlog rebuild   build a view anew from the log, while the stack runs
  seedlog check     check the settings, and start nothing
  seedlog top       show what a running stack does, again and again
  seedlog doctor    look at a running installation, and say what to do
  seedlog engine    answer questions about positions, line by line
  seedlog solve     find what a position is worth; `perft` counts ways to play
  seedlog new-game  write a package with a game of your own
  seedlog calibrate let the levels of a game play, and say what they are worth;
                    `levels` fits them to a game
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


class Commands(UserDict[str, Any]):
    """Imports a command when it is asked for: who verifies a file needs no Redis."""

    def __getitem__(self, name: str) -> click.Command:
        """Return a command by its name."""
        module, _, attribute = self.data[name].partition(":")
        home = import_module(f"{__package__}.{module}")
        command: click.Command = getattr(home, attribute or name.replace("-", "_"))
        return command


@click.group(
    commands=Commands(HOMES),
    help=HELP.format(settings=help_text()),
    context_settings={"max_content_width": 120, "terminal_width": 120},
)
@click.version_option(package_name="seedlog")
def main() -> None:
    """Understand a command."""
