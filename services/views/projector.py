"""The projector: folds the feed into a view, and remembers how far.

Each view has a projector of its own, with cursors of its own: one that stops, or is
rebuilt, holds up no other.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Protocol

import structlog
from redis.exceptions import RedisError

from services.eventlog import PARTITIONS, Feed, LogUnavailable, Streams
from services.signals import pause
from services.views.folding import PoisonEvent
from services.views.generations import View

BATCH = 200
BUILT_AT_ONCE = 50
TRIM_EVERY_S = 30.0
STOPPED_S = 15.0
ASK_EVERY_S = 0.5
GATHER_S = 0.05
"""So long what comes at once is gathered: a view costs by steps, not by events."""

SPARED_S = 60.0  # streams follow the feed without a place of their own

log = structlog.get_logger()


class ProjectedLog(Streams, Feed, Protocol):
    """What a view is built of: streams first, then what the feed tells of them."""


class Projector:
    """Keeps one view up to the feed."""

    def __init__(self, event_log: ProjectedLog, view: View) -> None:
        """Read from a log, write to a view."""
        self._log = event_log
        self._view = view
        self._at = view
        self._cursors: dict[int, str] = {}
        self._folder = view.folder(event_log)
        self._duty = view.duty()

    def begin(self) -> None:
        """Go on where the view says; build a view without cursors from the streams.

        The feed may have been trimmed, the streams never are: a rebuild folds these,
        from the ends of the feed that were noted before it began.
        """
        self._clear()
        self._at = self._view.present()
        self._cursors = self._at.cursors()
        self._folder = self._view.folder(self._log)
        if not self._cursors:
            self._build(self._follower, self._duty.keep, _nothing)
        else:  # what was taken in just before the last end
            self._at.settle(self._duty.keep)
        self._log.keep_from(self._follower, self._cursors)

    def rebuild(self, progress: Callable[[], None] | None = None) -> int:
        """Build a new generation beside the present one, and switch over to it.

        Whoever follows the feed meanwhile notices, and goes on with the new one. Return
        the number of rows. *progress* is called after each stream.

        :raises RebuildRuns: another process is rebuilding this view.
        :raises LeaseLost: it was held up for so long that it has to be run again.
        """
        lease = self._view.lease()
        try:
            self._at = self._view.new_generation(lease)
            self._folder = self._view.folder(self._log)
            self._build(
                self._builder(lease.generation), lease.keep, progress or _nothing
            )
            while self.run_once():  # what was recorded while it was built
                lease.keep()
            self._at.take_over(lease)
            return self._at.count()
        finally:
            lease.give_back()
            self._clear()

    def run_once(self, wait_s: float = 0) -> int:
        """Fold what is new into the view; return the number of feed entries."""
        entries = self._log.follow(self._cursors, BATCH, wait_s, GATHER_S)
        if entries:
            changes = self._folder.fold(entries)
            cursors = {entry.partition: entry.cursor for entry in entries}
            self._at.write(changes, cursors)
            self._cursors.update(cursors)
            if changes:
                self._at.settle(_nothing)
        return len(entries)

    def run(self, should_stop: Callable[[], bool]) -> None:
        """Follow the feed until told to stop, through any absence of the log.

        Where another process does so, wait until it does no longer. A poison event
        stops the view, loudly; it is tried again from time to time, for another program
        may know what to make of it.
        """
        trimmed_at = 0.0
        begun = is_well = False
        while not should_stop():
            try:
                if not self._duty.take():
                    begun = False
                    pause(ASK_EVERY_S, should_stop)
                    continue
                if not begun or self._is_past():
                    self.begin()
                    begun = True
                    log.info("projector ready", view=self._view.name)
                self._follow()
                if not is_well:
                    self._view.note_stop("")
                    is_well = True
                if time.monotonic() - trimmed_at > TRIM_EVERY_S:
                    trimmed_at = time.monotonic()
                    self._clear()
                    self._log.keep_from(self._follower, self._cursors)
                    self._log.trim(keep_s=SPARED_S)
            except LogUnavailable as error:
                log.warning("projector waits for the log", reason=str(error))
                begun = False
                time.sleep(0.5)
            except PoisonEvent as poison:
                log.error("view stopped", view=self._view.name, reason=str(poison))  # noqa: TRY400
                self._view.note_stop(str(poison))
                begun = is_well = False
                pause(STOPPED_S, should_stop)
        self._duty.give_back()

    def _follow(self) -> None:
        """Fold what is new, unless another generation has taken over meanwhile.

        What this one held is removed then, and half of it is not what it should be.
        """
        try:
            self.run_once(wait_s=1.0)
        except (ValueError, LookupError, RedisError):
            if not self._is_past():
                raise

    def _is_past(self) -> bool:
        return self._at.generation() != self._view.generation()

    @property
    def _follower(self) -> str:
        return f"view:{self._view.name}"

    def _builder(self, generation: str) -> str:
        """Return whom the log knows as the builder of a generation."""
        return f"rebuild:{self._view.name}:{generation}"

    def _clear(self) -> None:
        """Remove what dead rebuilds have left: generations, and what was spared."""
        builders = {f for f in self._log.followers() if f.startswith(self._builder(""))}
        building = self._view.sweep()
        for builder in builders - {self._builder(building)}:
            self._log.forget(builder)

    def _build(
        self,
        follower: str,
        get_on: Callable[[], None],
        progress: Callable[[], None],
    ) -> None:
        """Fold every stream, from the ends of the feed that were noted before.

        What comes after these is spared for the *follower*, however long it takes.
        """
        ends = self._log.feed_ends()
        cursors = {p: ends.get(p, "0-0") for p in range(PARTITIONS)}
        self._log.keep_from(follower, cursors)
        changes = []
        for partition in range(PARTITIONS):
            live = set(self._log.streams(partition, live=True))
            for stream in self._log.streams(partition):
                fold = self._folder.whole
                if stream not in live:
                    fold = self._folder.whole_archived
                if (change := fold(stream)) is not None:
                    changes.append(change)
                if len(changes) == BUILT_AT_ONCE:
                    self._at.write(changes, {})
                    changes = []
                get_on()
                progress()
        self._at.write(changes, cursors)
        self._at.settle(get_on)
        self._cursors = cursors
        log.info("view built", view=self._view.name, rows=self._at.count())


def _nothing() -> None:
    """Do nothing: the present generation needs no lease."""


def run_projectors(
    event_log: ProjectedLog, views: Sequence[View], should_stop: Callable[[], bool]
) -> None:
    """Keep several views up to the feed, each in a thread, until told to stop."""
    failures: list[BaseException] = []

    def keep(view: View) -> None:
        try:
            Projector(event_log, view).run(lambda: bool(failures) or should_stop())
        except BaseException as failure:  # noqa: BLE001
            failures.append(failure)

    threads = [threading.Thread(target=keep, args=(view,)) for view in views]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:  # a mistake of ours: end, and be started again
        raise failures[0]
