"""What the processes of a server are, and what they hold."""

from contextlib import suppress
from pathlib import Path


def children(parents: list[int]) -> list[int]:
    """Return what processes have started, in whichever of their threads."""
    pids = []
    for parent in parents:
        for begun in Path(f"/proc/{parent}/task").glob("*/children"):
            with suppress(FileNotFoundError, ProcessLookupError):  # it has just ended
                pids += [int(pid) for pid in begun.read_text().split()]
    return pids


def memory_kb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])
