"""What Redis refuses for the moment: whoever asked may wait, and ask again."""

import re
from typing import NoReturn

from redis.exceptions import (
    AskError,
    ClusterDownError,
    InvalidResponse,
    MasterDownError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from services.eventlog.errors import (
    LogDamaged,
    LogFull,
    LogUnavailable,
    TooFewReplicas,
)
from services.languages import Message
from services.logs import Seldom

# Redis answers these while it starts, fails over, is full or runs a long script: later
# may be better. Redis 6.2 puts what a script was refused into the middle of a sentence.
PASSING_REFUSALS = re.compile(r"(?:^|[ -])(BUSY|LOADING|NOREPLICAS|MISCONF|OOM) ")
PASSING_ERRORS = (
    OutOfMemoryError,
    AskError,  # what comes of these when they are not to be followed, or in vain
    TryAgainError,
    ClusterDownError,
)
SAID_EVERY_S = 10.0

NO_REPLY = (RedisConnectionError, RedisTimeoutError, InvalidResponse, OSError)
"""What is raised where no reply comes, or what comes is none: a server of another
kind may have got the address of one that is away."""

_refusals = Seldom(SAID_EVERY_S)


def is_demoted(error: ResponseError) -> bool:
    """Tell whether the server is, or becomes, a replica: the master is another.

    It may become one between an append and the wait for those that are to hold it.
    """
    demoted = isinstance(error, (MasterDownError, ReadOnlyError))
    return demoted or str(error).startswith(("UNBLOCKED ", "WAIT cannot be used with"))


def raise_refusal(error: ResponseError) -> NoReturn:
    """Say what an error reply means to whoever asked.

    :raises LogFull, TooFewReplicas, LogUnavailable: it is for the moment.
    :raises LogDamaged: there is something else under a key than belongs there.
    :raises ResponseError: waiting cannot help.
    """
    text = str(error)
    if "WRONGTYPE" in text:  # a script puts its own words before it
        said = Message("a key of the log holds a value of another kind")
        raise LogDamaged(said) from error
    passing = PASSING_REFUSALS.search(text)
    is_passing = passing or is_demoted(error) or isinstance(error, PASSING_ERRORS)
    if not is_passing and "loading the dataset" not in text:
        raise error
    is_full = isinstance(error, OutOfMemoryError) or (passing and passing[1] == "OOM")
    _refusals.warn(type(error).__name__, "Redis refuses commands", reason=text)
    if is_full:
        raise LogFull(
            Message(
                "the event log is full: reading goes on, but nothing is recorded until "
                "its operator has made room"
            ),
            text,
        ) from error
    if passing and passing[1] == "NOREPLICAS":
        said = Message("too few replicas would hold it; nothing was recorded")
        raise TooFewReplicas(said, text) from error
    raise LogUnavailable(Message("Redis cannot serve now"), text) from error
