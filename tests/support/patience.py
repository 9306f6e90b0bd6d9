"""Waiting for what comes by itself, within one limit that a slow machine keeps, too."""

import subprocess
import time
from collections.abc import Callable
from typing import TypeVar

WITHIN_S = 60.0
LOOK_S = 0.02

Found = TypeVar("Found")


def wait_for(
    what: str,
    find: Callable[[], Found],
    process: "subprocess.Popen[bytes] | None" = None,
) -> Found:
    """Return what is found, as soon as it is something; what cannot be reached is not.

    :raises AssertionError: it did not come, or the process that should bring it ended.
    """
    deadline = time.monotonic() + WITHIN_S
    while time.monotonic() < deadline:
        assert process is None or process.poll() is None, f"{what}: the process ended"
        try:
            if found := find():
                return found
        except OSError:
            pass
        time.sleep(LOOK_S)
    raise AssertionError(f"{what}: not within {WITHIN_S:g} s")
