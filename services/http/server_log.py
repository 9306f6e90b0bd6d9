"""What gunicorn says of itself and its workers, in our log and in its form."""

from typing import Any

from gunicorn.glogging import Logger

from services import logs
from services.bootstrap import configure_logs
from services.environment import from_environment


class ServerLog(Logger):  # type: ignore[misc]
    """The log of the server of the API; requests have lines of their own."""

    def setup(self, cfg: Any) -> None:
        """Write into our log, in the process that looks after the others, too."""
        super().setup(cfg)
        configure_logs("api", from_environment())
        self.error_log.handlers = [logs.LibraryLines()]

    def access(self, *_: object) -> None:
        """Say nothing: `observed` does, which knows what a request was about."""
