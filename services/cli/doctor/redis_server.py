"""What a Redis server says of itself, and what helps where it says nothing."""

from typing import Any

from redis import exceptions as driver

from services.cli.doctor.finding import Finding, Findings
from services.cli.durability import TO_MASTER
from services.eventlog.room import REPLICA, info, is_replica

OLDEST_REDIS = (6, 2)
GOOD_REDIS = (7, 0)

OF_A_REDIS: dict[type[Exception], str] = {
    driver.AuthenticationError: (
        "set {setting} with its password, and its user if it has any: "
        "redis://USER:PASSWORD@HOST"
    ),
    driver.NoPermissionError: "give the user of {setting} all commands and all keys",
    driver.InvalidResponse: "no Redis answers there: set {setting} to where it is",
    driver.TimeoutError: (
        "look whether it is stopped, or waits for its disk; or set {setting} with TLS "
        "(rediss://) or without (redis://), as that Redis speaks"
    ),
}
"""What to do about a Redis that does not answer, by what its driver says."""


def remedy(setting: str, error: Exception) -> str:
    """Return what helps where a Redis does not answer, or will not let us in."""
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return f"append ?ssl_ca_certs=FILE to {setting}: who signed its certificate"
    why = error.__cause__ or error.__context__ or error
    for kind, what in OF_A_REDIS.items():
        if isinstance(why, kind):
            return what.format(setting=setting)
    return (
        f"start its Redis, or set {setting} to where and what it is: redis://, "
        "rediss:// with TLS, redis+sentinel://, redis+cluster://"
    )


def check_role(redis: Any, setting: str) -> Findings:
    """Yield a finding where the server of a setting takes no writes."""
    if is_replica(redis):
        yield Finding(
            "wrong",
            REPLICA,
            TO_MASTER.format(setting=setting),
        )


def check_version(redis: Any, name: str) -> Finding:
    """Say whether a server, of this name, is new enough."""
    told = str(info(redis, "server").get("redis_version", ""))
    numbers = tuple(int(part) for part in told.split(".")[:2] if part.isdigit())
    what = f"{name}: Redis {told}"
    if not numbers:
        untold = f"{name}: this Redis does not tell its version"
        return Finding("look", untold, "see that it is Redis 7")
    if numbers < OLDEST_REDIS:
        return Finding("wrong", what, "use Redis 7")
    if numbers < GOOD_REDIS:
        return Finding("look", what, "use Redis 7 for anything but trying out")
    return Finding("ok", what)
