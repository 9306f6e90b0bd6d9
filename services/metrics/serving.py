"""Where a process leaves its figures, and tells them over HTTP.

A process by itself keeps them in memory. Processes that share a folder write them there
(the multi-process mode of the library), and one of them tells those of all: of the
processes of an API whichever has the port, under `seedlog up` the observer.
"""

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any

import structlog

from services.local_files import make_private_folder
from services.metrics.kinds import Figure
from services.settings import Settings

FOLDER = "metrics"
SHARED = "PROMETHEUS_MULTIPROC_DIR"
"""Where the library looks for the folder, as it is imported."""
AGAIN_S = 2.0
LIVE_GAUGES = "gauge_live*_*.db"

log = structlog.get_logger()


def gather_in(folder: Path) -> dict[str, str]:
    """Return the environment of processes that leave their figures in a folder.

    What former ones have left there is removed.
    """
    rmtree(folder, ignore_errors=True)
    make_private_folder(folder)
    return {SHARED: str(folder)}


def begin(settings: Settings) -> None:
    """Record from now on, and tell it where nobody else does; if metrics are wanted."""
    if not settings.metrics_port:
        return
    for figure in Figure.known:
        figure.record()
    if os.environ.get(SHARED) != str(settings.data / FOLDER):
        serve(settings)


def serve(settings: Settings, *further: Any) -> None:
    """Tell the figures of this process, or of all that share its folder, from a thread.

    And those of *further* collectors of the library. While another process has the
    port, this one waits to take its place.
    """
    from prometheus_client import REGISTRY, CollectorRegistry

    registry = REGISTRY
    if shared := os.environ.get(SHARED):
        registry = CollectorRegistry()
        registry.register(Gathered(Path(shared)))
    for collector in further:
        registry.register(collector)
    where = (settings.metrics_port, settings.metrics_host, registry)
    threading.Thread(target=_serve, args=where, name="metrics", daemon=True).start()


class Gathered:
    """The figures of all processes that leave theirs in a folder."""

    def __init__(self, folder: Path) -> None:
        """Read a folder, whenever somebody asks."""
        self._folder = folder

    def describe(self) -> list[Any]:
        """Return nothing: to look into the folder would be to collect."""
        return []

    def collect(self) -> Iterator[Any]:
        """Yield what was recorded; of processes that are gone only what was counted."""
        from prometheus_client.multiprocess import (
            MultiProcessCollector,
            mark_process_dead,
        )

        for left in self._folder.glob(LIVE_GAUGES):
            pid = left.stem.rpartition("_")[2]
            if not Path("/proc", pid).exists():
                mark_process_dead(int(pid), str(self._folder))
        yield from MultiProcessCollector(None, str(self._folder)).collect()


def _serve(port: int, host: str, registry: Any) -> None:
    from services.metrics.server import make_server

    has_said_so = False
    while True:
        try:
            server = make_server(port, host, registry)
        except OSError as error:
            if not has_said_so:
                has_said_so = True
                told = "metrics wait for their port"
                log.info(told, port=port, reason=error.strerror)
            time.sleep(AGAIN_S)
        else:
            server.serve_forever()
