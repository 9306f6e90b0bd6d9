"""What an event log says when it cannot do what was asked."""

from services.eventlog.records import State
from services.languages import Explained, Message


class EventLogError(Explained):
    """The event log could not do what was asked."""


class VersionConflict(EventLogError):
    """The stream is not at the expected version; carries what it is at."""

    def __init__(self, stream: str, expected: int, actual: State | None) -> None:
        """Keep both versions and the state, so that no second read is needed."""
        self.stream = stream
        self.expected = expected
        self.actual = actual
        self.version = actual.head.version if actual else 0
        super().__init__(
            Message(
                "{match} was expected at version {expected} and is at {version}",
                match=stream,
                expected=expected,
                version=self.version,
            )
        )


class KeyReused(EventLogError):
    """An idempotency key came again with another request."""

    def __init__(self, key: str) -> None:
        """Keep the key."""
        super().__init__(
            Message(
                "this idempotency key was used for a different request within the last "
                "hour; send the same request again, or use a new key"
            )
        )
        self.key = key


class LogDamaged(EventLogError):
    """State and events of a stream disagree; nothing may be written until repaired."""


UNREADABLE = (
    LogDamaged,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
)
"""What is raised by who reads an event that is not as it was recorded, or not as it is
known here; a log that is away is none of these."""


def later_format(name: str, written: object, own: object) -> LogDamaged:
    """Return what is said of something that a later version of Seedlog wrote."""
    return LogDamaged(
        Message(
            "{name!r} is in format {format}; this version reads {own}: run the version "
            "that wrote it, or a later one",
            name=name,
            format=written,
            own=own,
        )
    )


def disagreement(stream: str, version: int, count: int) -> LogDamaged:
    """Return what is said of a stream that holds more or fewer events than it says."""
    return LogDamaged(
        Message(
            "{match}: the state says version {version}, but the stream holds {count} "
            "events",
            match=stream,
            version=version,
            count=count,
        )
    )


class LogUnavailable(EventLogError):
    """The log cannot be reached, or cannot promise durability now. Try again later.

    The reason, in the words of others, may name hosts that are nobody's business: it is
    for logs and operators, who read `str` of this, and not for whoever asked.
    """

    def __init__(self, message: Message, reason: str = "") -> None:
        """Keep both; what is told over HTTP is the message alone."""
        super().__init__(message)
        self.reason = reason

    def __str__(self) -> str:
        """Say both, in English."""
        return f"{self.message}: {self.reason}" if self.reason else str(self.message)


def unreached(error: Exception, server: str = "") -> LogUnavailable:
    """Return what is raised where a server cannot be reached."""
    return LogUnavailable(
        Message("Redis cannot be reached"), naming(server, str(error))
    )


def naming(server: str, said: str) -> str:
    """Return what an error says, and of which server: many do not name it."""
    return said if server in said else f"{server}: {said}"


class LogFull(LogUnavailable):
    """The log takes nothing more until there is room; reading goes on."""


class LogGone(LogUnavailable):
    """It is not the log that was here before: of what that held nothing is in it."""


class TooFewReplicas(LogUnavailable):
    """So few replicas keep up that an event may be lost; reading goes on."""
