"""What the container of a process allows it, asked before it is needed."""

from pathlib import Path

from services.settings import InvalidSetting, Settings

LIMITS = (
    Path("/sys/fs/cgroup/pids.max"),
    Path("/sys/fs/cgroup/pids/pids.max"),  # cgroup v1
)
SPARE = 16  # beside the threads that answer: of each process, and of the container


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
