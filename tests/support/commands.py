"""The `seedlog` command, run in this process."""

from click.testing import CliRunner, Result

from services.bootstrap import Services
from services.cli.commands import main


def seedlog(*arguments: object, **environment: str) -> Result:
    runner = CliRunner(env=environment)
    return runner.invoke(main, [str(argument) for argument in arguments])


def seedlog_of(stack: Services, *arguments: object, **environment: str) -> Result:
    """Run it where the services of a stack have their log and their folder."""
    settings = stack.settings
    given = {"REDIS_URL": settings.redis_url, "SEEDLOG_DATA": str(settings.data)}
    return seedlog(*arguments, **given, **environment)
