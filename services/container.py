"""What the container of a process allows it, asked before it is needed.

`python -m services.container` checks that, and the settings, with Python alone: so
`deploy/up` does before there is an image.
"""

import sys
from pathlib import Path

from services.environment import from_environment
from services.settings import InvalidSetting, Settings

LIMITS = (
    Path("/sys/fs/cgroup/pids.max"),
    Path("/sys/fs/cgroup/pids/pids.max"),  # cgroup v1
)
SPARE = 16  # beside the threads that answer: of each process, and of the container

MEMORY_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),  # cgroup v1
)
MEBIBYTE = 1024 * 1024
PROCESS_MIB = 128
"""What a process takes once it has played every game; so does each of the API."""

BESIDE_MIB = 48
"""What starts and watches the processes, and what is under way in `/tmp`."""


def check_room_for_threads(
    settings: Settings, limits: tuple[Path, ...] = LIMITS
) -> None:
    """Do nothing if the API may have all threads that its settings ask for.

    :raises InvalidSetting: otherwise its processes would die under load.
    """
    needed = settings.api_workers * (settings.api_threads + SPARE) + SPARE
    for limit in limits:
        allowed = limit.read_text("ascii").strip() if limit.exists() else "max"
        if allowed != "max" and int(allowed) < needed:
            raise InvalidSetting(
                f"SEEDLOG_API_WORKERS={settings.api_workers} and "
                f"SEEDLOG_API_THREADS={settings.api_threads} may need {needed} "
                f"processes and threads; this container is allowed {allowed} "
                "(pids_limit)"
            )


def check_room_in_memory(
    settings: Settings, limits: tuple[Path, ...] = MEMORY_LIMITS
) -> None:
    """Do nothing if the container has the memory that its processes will take.

    :raises InvalidSetting: otherwise they would be killed again and again.
    """
    needed = settings.api_workers * PROCESS_MIB + BESIDE_MIB
    for limit in limits:
        allowed = limit.read_text("ascii").strip() if limit.exists() else "max"
        if allowed != "max" and int(allowed) < needed * MEBIBYTE:
            raise InvalidSetting(
                f"SEEDLOG_API_WORKERS={settings.api_workers} takes about {needed} MiB "
                f"of memory; this container is allowed {int(allowed) // MEBIBYTE} MiB "
                "(mem_limit): give it more, or set fewer"
            )


def main() -> None:
    """Check the settings of the environment, and whether this container is enough."""
    wrong = []
    try:
        settings = from_environment()
    except InvalidSetting as error:
        wrong.append(str(error))
        settings = error.readable or Settings()
    for check in (check_room_for_threads, check_room_in_memory):
        try:
            check(settings)
        except InvalidSetting as error:
            wrong.append(str(error))
    if wrong:
        sys.exit("seedlog: " + "\n".join(wrong))


if __name__ == "__main__":
    main()
