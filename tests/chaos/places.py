"""Where the log of a stack can be: in one Redis, or in several that fail over."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tests.chaos.parts import Group, Part, parts_of
from tests.chaos.run import WORKERS
from tests.support.cluster import running_cluster
from tests.support.sentinels import watched_by_sentinels
from tests.support.stack import Stack, running_stack

Place = AbstractContextManager[tuple[Stack, list[Part]]]


@contextmanager
def on_one_redis(folder: Path) -> Iterator[tuple[Stack, list[Part]]]:
    """Run a stack on the Redis that it starts itself."""
    with running_stack(folder, **WORKERS) as stack:
        yield stack, parts_of(stack)


@contextmanager
def on_sentinels(folder: Path) -> Iterator[tuple[Stack, list[Part]]]:
    """Run a stack on a master with two replicas, which both must hold an event.

    Sentinels go by figures that are seconds old: they may promote the one without it.
    """
    (folder / "log").mkdir()
    with (
        watched_by_sentinels(folder / "log") as group,
        running_stack(
            folder / "stack", **WORKERS, REDIS_URL=group.url, SEEDLOG_REPLICAS="2"
        ) as stack,
    ):
        yield stack, [*parts_of(stack), *Group(group).parts()]


@contextmanager
def on_a_cluster(folder: Path) -> Iterator[tuple[Stack, list[Part]]]:
    """Run a stack on three masters with a replica each, which must hold an event."""
    (folder / "log").mkdir()
    with (
        running_cluster(folder / "log") as cluster,
        running_stack(
            folder / "stack", **WORKERS, REDIS_URL=cluster.url, SEEDLOG_REPLICAS="1"
        ) as stack,
    ):
        yield stack, [*parts_of(stack), *Group(cluster).parts()]


PLACES: dict[str, Callable[[Path], Place]] = {
    "single": on_one_redis,
    "sentinel": on_sentinels,
    "cluster": on_a_cluster,
}
