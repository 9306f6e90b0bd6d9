"""The tail of a stream of events: its newest frames, computed once for all followers.

A tail is brought up to date by one thread at a time and read by the event loop: what
the loop reads is one immutable value, exchanged as a whole.
"""

import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import structlog

from services.analysis import Analyses, Found
from services.analysis.analysis import ENDINGS
from services.analysis.showing import found_json
from services.eventlog import LogUnavailable, StoredEvent, Streams
from services.http.feed import affordable, entries_json
from services.http.representation import entry_json
from services.match import Fold, Folds
from services.match.seat_tokens import SeatClaim
from services.stream.frames import Form, Frame, frame_of
from services.views import FeedTrimmed, Place, TenantFeed

KEPT_FRAMES = 32
PAGE, PAGE_BYTES = 200, 64 * 1024
"""With either of them a page of what is older ends: it is written whole, for one."""
PLACES = 16  # of a feed that are replayed at once

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some frames as bytes, and the number of the last one."""

    data: bytes
    number: int


@dataclass(frozen=True, slots=True)
class Kept:
    """The newest frames, without a gap, and their bytes as far as somebody asked."""

    number: int = 0
    frames: tuple[Frame, ...] = ()
    is_over: bool = False
    has_failed: bool = False
    chunks: dict[tuple[int, str], Chunk] = field(default_factory=dict)

    def grown(
        self,
        frames: Sequence[Frame],
        limit: int,
        *,
        number: int | None = None,
        is_over: bool = False,
        has_failed: bool = False,
    ) -> "Kept":
        """Return what is kept after some more frames; up to *number* there are no more.

        Where they do not follow those before, these are not kept: of a gap nobody could
        say whether something was left out there, or has vanished.
        """
        if number is None:
            number = frames[-1].number if frames else self.number
        first = frames[0].number if frames else number + 1
        before = self.frames if first == self.number + 1 else ()
        return Kept(number, (*before, *frames)[-limit:], is_over, has_failed)

    def after(self, number: int, form: Form) -> Chunk | None:
        """Return the frames after a number as one chunk; None if one is missing."""
        if number >= self.number:
            return Chunk(b"", number)
        chunk = self.chunks.get((number, form.media_type))
        if chunk is None:
            missing = [frame for frame in self.frames if frame.number > number]
            if not missing or missing[0].number != number + 1:
                return None
            data = form.encode(missing)
            chunk = self.chunks[number, form.media_type] = Chunk(data, self.number)
        return chunk


class Tail(ABC):
    """What followers of one thing share: its newest frames, brought up to date."""

    kind: str
    """What is followed, as metrics call it."""

    has_vanished = False
    """Whether what is followed is no more."""

    def __init__(self, key: str, kept_frames: int = KEPT_FRAMES) -> None:
        """Begin with nothing; `catch_up` reads what there is."""
        self.key = key
        self._limit = kept_frames
        self._lock = threading.Lock()
        self._kept = Kept()

    @property
    def number(self) -> int:
        """Return the number up to which frames were made."""
        return self._kept.number

    @property
    def is_over(self) -> bool:
        """Tell whether nothing more can come."""
        return self._kept.is_over

    @property
    def has_failed(self) -> bool:
        """Tell whether what comes next cannot be told."""
        return self._kept.has_failed

    def catch_up(self) -> int:
        """Read what is new, waiting for the log; return how many frames."""
        with self._lock:
            return self._catch_up()

    @abstractmethod
    def _catch_up(self) -> int: ...

    @abstractmethod
    def read(self, after: int, form: Form) -> Chunk:
        """Read some of the frames after a number from the log, however old."""

    def recent(self, after: int, form: Form) -> Chunk | None:
        """Return the frames after a number; None if they are not kept any more."""
        return self._kept.after(after, form)

    def allows(self, claim: SeatClaim) -> bool:
        """Tell that a seat token is none here: what is followed has no seats."""
        return False


class MatchTail(Tail):
    """The tail of one match, folded from its log like everything that is shown."""

    kind = "match"

    def __init__(
        self, streams: Streams, match_id: str, kept_frames: int = KEPT_FRAMES
    ) -> None:
        """Begin with nothing; `catch_up` reads the match."""
        super().__init__(match_id, kept_frames)
        self._log = streams
        self._fold = Fold(match_id)

    def _catch_up(self) -> int:
        """Fold the events that are new; return how many, or 1 if there is no match."""
        if self._kept.has_failed:
            return 0
        fold, has_failed = self._fold, False
        events: Sequence[StoredEvent] = ()
        frames: list[Frame] = []
        try:
            events = self._log.read(fold.match.id, fold.match.version)
            if not events and self._log.load(fold.match.id) is None:
                self.has_vanished = True
                return 1
            first_kept = events[-1].version - self._limit if events else 0
            for event in events:
                replayed = fold.add(event)
                if event.version > first_kept:
                    frames.append(frame_of(event.version, entry_json(replayed)))
        except LogUnavailable:
            raise
        except Exception:  # whatever it is: others must hear of their matches
            log.exception("match cannot be followed", match=fold.match.id)
            has_failed = True
        if events or has_failed:
            self._kept = self._kept.grown(
                frames,
                self._limit,
                is_over=fold.match.is_over,
                has_failed=has_failed,
            )
        return len(events) or int(has_failed)

    def read(self, after: int, form: Form) -> Chunk:
        """Replay the match, and return the frames of some events after a version."""
        frames = _page(self._frames(after))
        return Chunk(form.encode(frames), frames[-1].number if frames else after)

    def _frames(self, after: int) -> Iterator[Frame]:
        fold = Fold(self._fold.match.id)
        for event in self._log.read(fold.match.id, 0, min(after + PAGE, self.number)):
            replayed = fold.add(event)
            if event.version > after:
                yield frame_of(event.version, entry_json(replayed))

    def allows(self, claim: SeatClaim) -> bool:
        """Tell whether the token of a seat was not replaced by a newer one."""
        seated = self._fold.match.seats.get(claim.seat)
        return seated is None or seated.generation <= claim.generation


class AnalysisTail(Tail):
    """The tail of one analysis: what was found, and how it ended."""

    kind = "analysis"

    def __init__(self, analyses: Analyses, analysis_id: str) -> None:
        """Begin with nothing; `catch_up` reads the newest events."""
        super().__init__(analysis_id)
        self._analyses = analyses

    def _catch_up(self) -> int:
        """Read what is new; return how many frames, or 1 if it is there no more."""
        found = self._analyses.events(self.key, self.number)
        if not found and not self._analyses.is_kept(self.key):
            self.has_vanished = True
            return 1
        if found:
            frames = [_frame_of_found(one) for one in found[-self._limit :]]
            is_over = found[-1].type in ENDINGS.values()
            self._kept = self._kept.grown(frames, self._limit, is_over=is_over)
        return len(found)

    def read(self, after: int, form: Form) -> Chunk:
        """Return the frames of some events after a version."""
        limit = min(PAGE, self.number - after)
        found = self._analyses.events(self.key, after, limit)
        frames = _page(map(_frame_of_found, found))
        return Chunk(form.encode(frames), frames[-1].number if frames else after)


def _frame_of_found(found: Found) -> Frame:
    return frame_of(found.version, found_json(found))


class FeedTail(Tail):
    """The tail of the feed of one tenant."""

    kind = "feed"

    def __init__(self, feed: TenantFeed, folds: Folds, tenant: str) -> None:
        """Begin with nothing; `catch_up` reads the newest entries."""
        super().__init__(tenant)
        self._feed = feed
        self._folds = folds

    def _catch_up(self) -> int:
        """Read what is new, or as much of it as is kept; return how many places."""
        [last] = self._feed.last_numbers([self.key])
        after = max(self.number, last - self._limit)
        places = self._feed.page(self.key, after, self._limit)
        if places:
            frames, number = self._frames(places), places[-1].number
            self._kept = self._kept.grown(frames, self._limit, number=number)
        return len(places)

    def read(self, after: int, form: Form) -> Chunk:
        """Return the frames of a page of the feed.

        Its number is that of its last place: where matches have vanished, a page may be
        without a frame, and what comes behind has to be reached.

        :raises FeedTrimmed: what followed was trimmed meanwhile; who comes back is told
            where to go on.
        """
        page = self._feed.page(self.key, after, PAGE)
        if 0 < after < (oldest := self._feed.trimmed(self.key)):
            raise FeedTrimmed(after, oldest)
        places = affordable(self._folds, page)
        frames: list[Frame] = []
        for first in range(0, len(places), PLACES):
            some = places[first : first + PLACES]
            frames += self._frames(some)
            after = some[-1].number
            if sum(len(frame.text) for frame in frames) >= PAGE_BYTES:
                break
        return Chunk(form.encode(frames), after)

    def _frames(self, places: Sequence[Place]) -> list[Frame]:
        return [
            frame_of(entry["seq"], entry) for entry in entries_json(self._folds, places)
        ]


def _page(frames: Iterable[Frame]) -> list[Frame]:
    """Return the frames until they are as much as one page, or all."""
    page, size = [], 0
    for frame in frames:
        page.append(frame)
        size += len(frame.text)
        if size >= PAGE_BYTES:
            break
    return page
