"""What Redis refuses for the moment is told as a log that is away."""

import pytest
from redis.exceptions import ResponseError

from services.eventlog import LogDamaged, LogUnavailable
from services.eventlog.refused import raise_refusal


@pytest.mark.parametrize(
    "said",
    [
        "BUSY Redis is busy running a script. You can only call SCRIPT KILL or "
        "SHUTDOWN NOSAVE.",
        "LOADING Redis is loading the dataset in memory",
        "MISCONF Errors writing to the AOF file: No space left on device",
    ],
)
def test_what_passes_may_be_waited_for(said: str) -> None:
    """So requests get a 503, and processes go on when it is over."""
    with pytest.raises(LogUnavailable, match=said[:20]):
        raise_refusal(ResponseError(said))


@pytest.mark.parametrize(
    "said",
    [
        "BUSYGROUP Consumer Group name already exists",
        "BUSYKEY Target key name already exists.",
    ],
)
def test_what_stays_as_it_is_is_told_as_it_is(said: str) -> None:
    with pytest.raises(ResponseError, match=said[:20]):
        raise_refusal(ResponseError(said))


@pytest.mark.parametrize("script", ["", "ERR Error running script (call to f_1): "])
def test_a_key_of_another_kind_is_damage(script: str) -> None:
    said = f"{script}WRONGTYPE Operation against a key holding the wrong kind of value"
    with pytest.raises(LogDamaged, match="a value of another kind"):
        raise_refusal(ResponseError(said))
