"""The projector: folds the feed into a view, and remembers how far.

Each view has a projector of its own, with cursors of its own: one that stops, or is
rebuilt, holds up no other.

What a projector knows of its view may be from before a fail-over: a server that was
replaced goes on answering for some seconds, and what is written there is lost. So
a write is refused that does not go on from where the view is; and what one knows is
compared with what the view says, now and then, and before the feed is trimmed.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import structlog
from redis.exceptions import RedisError

from services.eventlog import PARTITIONS, Feed, FeedEntry, LogUnavailable, Streams
from services.logs import Absence
from services.signals import pause
from services.views.folding import PoisonEvent
from services.views.generations import Overtaken, View
from services.views.lease import Lease, LeaseLost

BATCH = 200
WRITTEN_AT_ONCE = 500
"""So many entries, of what came during an absence, hold up the server by one write."""

BUILT_AT_ONCE = 50
TOLD_AFTER_BUILDS = 3
TRIM_EVERY_S = 30.0
STOPPED_S = 15.0
ASK_EVERY_S = AGAIN_S = 0.5
COMPARE_EVERY_S = WAIT_S = 1.0
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
        self._compared_at = 0.0
        self._failed_builds = 0
        self._folder = view.folder(event_log)
        self._duty = view.duty()

    def begin(self) -> None:
        """Go on where the view says; build a view without cursors from the streams.

        The feed may have been trimmed, the streams never are: a rebuild folds these,
        from the ends of the feed that were noted before it began.
        """
        self._clear()
        self._at = self._view.present()
        self._cursors, self._compared_at = self._at.cursors(), time.monotonic()
        self._folder = self._view.folder(self._log)
        if not self._cursors:
            self._failed_builds += 1
            self._build(self._follower, self._duty.keep, _nothing)
        else:  # what was taken in just before the last end
            self._at.settle(self._duty.keep)
        self._failed_builds = 0
        self._log.keep_from(self._follower, self._cursors)

    def rebuild(self, progress: Callable[[], None] | None = None) -> int:
        """Build a new generation beside the present one, and switch over to it.

        Whoever follows the feed meanwhile notices, and goes on with the new one. Return
        the number of rows. *progress* is called after each stream.

        :raises RebuildRuns: another process is rebuilding this view.
        :raises LeaseLost: it has to be run again: it was held up for too long, or what
            it had written is gone.
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
            rows = self._at.count()
            self._at.take_over(lease)
        except Overtaken as error:
            raise LeaseLost(
                "what the rebuild had built is not there any more, maybe by a "
                "fail-over; run it again"
            ) from error
        finally:
            self._give_way(lease)
        return rows

    def run_once(self, wait_s: float = 0) -> int:
        """Fold what is new into the view; return the number of feed entries."""
        entries = self._log.follow(self._cursors, BATCH, wait_s, GATHER_S)
        is_changed = False
        for some in _slices(entries):
            changes = self._folder.fold(some)
            cursors = {entry.partition: entry.cursor for entry in some}
            self._at.write(changes, cursors, self._cursors)
            self._cursors.update(cursors)
            is_changed = is_changed or bool(changes)
        if is_changed:
            self._at.settle(_nothing)
        return len(entries)

    def run(self, should_stop: Callable[[], bool]) -> None:
        """Follow the feed until told to stop, through any absence of the log.

        Where another process does so, wait until it does no longer. A poison event
        stops the view, loudly; it is tried again from time to time, for another program
        may know what to make of it.
        """
        trimmed_at = 0.0
        begun = is_well = was_away = False
        absence = Absence("projector waits for the log", "projector goes on")
        while not should_stop():
            try:
                if not self._duty.take():
                    begun = False
                    pause(ASK_EVERY_S, should_stop)
                    continue
                if not begun or self._is_past():
                    self.begin()
                    begun = True
                    if not was_away:  # else it goes on
                        log.info("projector ready", view=self._view.name)
                    was_away = False
                elif time.monotonic() - self._compared_at > COMPARE_EVERY_S:
                    self._compare()
                self._follow()
                absence.over(view=self._view.name)
                if not is_well:
                    self._view.note_stop("")
                    is_well = True
                if time.monotonic() - trimmed_at > TRIM_EVERY_S:
                    trimmed_at = time.monotonic()
                    self._trim()
            except Overtaken as error:
                log.warning("projector begins again", reason=str(error))
                begun = False
                pause(AGAIN_S, should_stop)
            except LogUnavailable as error:
                absence.note(error, view=self._view.name)
                begun, was_away = False, True
                if self._failed_builds >= TOLD_AFTER_BUILDS:
                    self._note_stop(f"it is not built yet: {error}")
                    is_well = False
                pause(AGAIN_S, should_stop)
            except PoisonEvent as poison:
                log.error("view stopped", view=self._view.name, reason=str(poison))  # noqa: TRY400
                self._note_stop(str(poison))
                begun = is_well = False
                pause(STOPPED_S, should_stop)
        self._duty.give_back()

    def _trim(self) -> None:
        """Let go of what the view does not need any more, nor a beginning after this.

        It is asked how far it is, at the server that is the master now. What came while
        another one was taken for it is younger than what is spared.

        :raises Overtaken: the view is elsewhere.
        """
        self._clear()
        self._view.look_again()
        self._compare()
        self._log.keep_from(self._follower, self._cursors)
        self._log.trim(keep_s=SPARED_S)

    def _note_stop(self, reason: str) -> None:
        """Say that the view stands still, unless nobody can be told now."""
        try:
            self._view.note_stop(reason)
        except LogUnavailable as error:
            log.warning("a stop is not noted", view=self._view.name, reason=str(error))

    def _follow(self) -> None:
        """Fold what is new, unless another generation has taken over meanwhile.

        What this one held is removed then, and half of it is not what it should be.
        """
        try:
            self.run_once(WAIT_S)
        except (ValueError, LookupError, RedisError):
            if not self._is_past():
                raise

    def _is_past(self) -> bool:
        return self._at.generation() != self._view.generation()

    def _compare(self) -> None:
        """Do nothing if the view is where it was left.

        :raises Overtaken: it is elsewhere.
        """
        self._compared_at = time.monotonic()
        if self._at.cursors() != self._cursors:
            raise self._at.overtaken()

    @property
    def _follower(self) -> str:
        return f"view:{self._view.name}"

    def _builder(self, generation: str) -> str:
        """Return whom the log knows as the builder of a generation."""
        return f"rebuild:{self._view.name}:{generation}"

    def _give_way(self, lease: Lease) -> None:
        """End a rebuild, and remove what it has left.

        Whether that can be done now says nothing of the view: the lease passes by
        itself, and every projector removes what is left.
        """
        try:
            lease.give_back()
            self._clear()
        except LogUnavailable as error:
            log.warning("a rebuild is cleared away later", reason=str(error))

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
        self._at.begin_build()
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
        self._at.write(changes, cursors, {})
        self._at.settle(get_on)
        self._cursors = cursors
        log.info("view built", view=self._view.name, rows=self._at.count())


def _slices(entries: Sequence[FeedEntry]) -> Iterator[Sequence[FeedEntry]]:
    """Yield entries, those of an earlier time first, some at a time.

    So the cursors of each slice say how far the view is with it.
    """
    ordered = sorted(entries, key=lambda entry: [*map(int, entry.cursor.split("-"))])
    for first in range(0, len(ordered), WRITTEN_AT_ONCE):
        yield ordered[first : first + WRITTEN_AT_ONCE]


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
