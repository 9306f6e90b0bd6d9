"""Where the log of a stack can be: in one Redis, or in several that fail over.

With a network, log and queue are on hosts of their own, and one AI worker more is, too:
these can be cut off.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path

from services.cli import redis_server
from tests.chaos.beside import SIGNED, Beside, shared
from tests.chaos.parts import Harmed, Part, parts_of
from tests.chaos.run import WORKERS
from tests.support.cluster import running_cluster
from tests.support.group import Group, single_server
from tests.support.network import Network
from tests.support.sentinels import Sentinels, watched_by_sentinels
from tests.support.stack import Stack, running_stack

Place = AbstractContextManager[tuple[Stack, list[Part]]]


@contextmanager
def on_one_redis(
    folder: Path, network: Network | None
) -> Iterator[tuple[Stack, list[Part]]]:
    """Run a stack on one Redis: its own, unless that is to be cut off."""
    if network is None:
        with _stack_of({}, folder, network) as (stack, parts):
            yield stack, parts
        return
    with (
        single_server(folder / "log", redis_server.DURABLE, network) as log,
        _stack_of({"REDIS_URL": log.url}, folder, network) as (stack, parts),
    ):
        yield stack, [*parts, Harmed(log).part("redis (log)")]


@contextmanager
def on_several(
    running: Callable[..., AbstractContextManager[Group]],
    replicas: int,
    folder: Path,
    network: Network | None,
) -> Iterator[tuple[Stack, list[Part]]]:
    """Run a stack on masters with replicas, so many of which must hold an event."""
    (folder / "log").mkdir()
    with running(folder / "log", network=network) as group:
        given = {"REDIS_URL": group.url, "SEEDLOG_REPLICAS": str(replicas)}
        with _stack_of(given, folder, network) as (stack, parts):
            yield stack, [*parts, *Harmed(group).parts()]


@contextmanager
def _stack_of(
    given: dict[str, str], folder: Path, network: Network | None
) -> Iterator[tuple[Stack, list[Part]]]:
    """Run a stack with settings, and beside it what can be cut off of any."""
    given = {**SIGNED, **given}
    if network is None:
        with (
            running_stack(folder / "stack", **WORKERS, **given) as stack,
            shared(stack, given) as beside,
        ):
            yield stack, parts_of(stack, beside)
        return
    with single_server(folder / "queue", redis_server.VOLATILE, network) as queue:
        given = {**given, "QUEUE_URL": queue.url}
        afar = network.host()
        with (
            running_stack(folder / "stack", **WORKERS, **given) as stack,
            shared(stack, given) as beside,
            closing(Beside(stack, "ai-worker", given, afar)) as outpost,
        ):
            cut = lambda _: network.cut(afar)  # noqa: E731
            parts = parts_of(stack, beside)
            parts.append(Harmed(queue).part("redis (queue)"))
            find = lambda: [outpost.pid]  # noqa: E731
            parts.append(Part("ai-worker afar", find, outpost.mend, cut))
            yield stack, parts


@contextmanager
def seen_to(folder: Path, network: Network | None) -> Iterator[Sentinels]:
    """Run a master, two replicas and Sentinels, seen to as `deploy` does."""
    with watched_by_sentinels(folder, network=network) as group:
        group.see_to_all()
        yield group


# Of two replicas both have to hold an event: Sentinels go by figures that are seconds
# old, and may promote the one without it.
PLACES: dict[str, Callable[[Path, Network | None], Place]] = {
    "single": on_one_redis,
    "sentinel": partial(on_several, seen_to, 2),
    "sentinel-with-one": partial(on_several, seen_to, 1),
    "cluster": partial(on_several, running_cluster, 1),
}
