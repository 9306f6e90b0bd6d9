"""The `seedlog` command, run in this process."""

from click.testing import CliRunner, Result

from services.cli.commands import main


def seedlog(*arguments: object, **environment: str) -> Result:
    runner = CliRunner(env=environment)
    return runner.invoke(main, [str(argument) for argument in arguments])
