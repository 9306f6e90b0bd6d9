"""The tail of a stream of events: its newest frames, computed once for all followers.

A tail is brought up to date by one thread at a time and read by the event loop: what
the loop reads is one immutable value, exchanged as a whole.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

import structlog

from rules_core import RulesError
from services.analysis import Analyses, Found
from services.analysis.analyses import ENDINGS
from services.analysis.showing import found_json
from services.eventlog import Streams
from services.http.feed import affordable, entries_json
from services.http.representation import entry_json
from services.match import DigestMismatch, Fold, Folds, UnknownEvent
from services.match.seat_tokens import SeatClaim
from services.stream.frames import Form, Frame, frame_of
from services.views import Place, TenantFeed

KEPT_FRAMES = 32
PAGE = 200

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some frames as bytes, and the number of the last one."""

    data: bytes
    number: int


class Tail(Protocol):
    """What followers of one thing share."""

    key: str

    @property
    def number(self) -> int:
        """Return the number of the newest frame."""

    @property
    def is_over(self) -> bool:
        """Tell whether nothing more can come."""

    @property
    def has_failed(self) -> bool:
        """Tell whether what comes next cannot be told."""

    @property
    def has_vanished(self) -> bool:
        """Tell whether what is followed is no more."""

    def catch_up(self) -> int:
        """Read what is new, waiting for the log; return how many frames."""

    def recent(self, after: int, form: Form) -> Chunk | None:
        """Return the frames after a number; None if they are not kept any more."""

    def read(self, after: int, form: Form) -> Chunk:
        """Read some of the frames after a number from the log, however old."""

    def allows(self, claim: SeatClaim) -> bool:
        """Tell whether a seat token that was valid still is."""


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
        is_over: bool = False,
        has_failed: bool = False,
    ) -> "Kept":
        """Return what is kept after some more frames."""
        number = frames[-1].number if frames else self.number
        return Kept(number, (*self.frames, *frames)[-limit:], is_over, has_failed)

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


class MatchTail:
    """The tail of one match, folded from its log like everything that is shown."""

    def __init__(
        self, streams: Streams, match_id: str, kept_frames: int = KEPT_FRAMES
    ) -> None:
        """Begin with nothing; `catch_up` reads the match."""
        self.key = match_id
        self._log = streams
        self._limit = kept_frames
        self._lock = threading.Lock()
        self._fold = Fold(match_id)
        self._kept = Kept()
        self._has_vanished = False

    @property
    def number(self) -> int:
        """Return the version up to which frames were made."""
        return self._kept.number

    @property
    def is_over(self) -> bool:
        """Tell whether the match is over."""
        return self._kept.is_over

    @property
    def has_failed(self) -> bool:
        """Tell whether log and rules disagree about the next event."""
        return self._kept.has_failed

    @property
    def has_vanished(self) -> bool:
        """Tell whether the match was removed."""
        return self._has_vanished

    def catch_up(self) -> int:
        """Fold the events that are new; return how many, or 1 if there is no match."""
        with self._lock:
            if self._kept.has_failed:
                return 0
            fold, has_failed = self._fold, False
            events = self._log.read(fold.match.id, fold.match.version)
            if not events and self._log.load(fold.match.id) is None:
                self._has_vanished = True
                return 1
            first_kept = events[-1].version - self._limit if events else 0
            frames = []
            try:
                for event in events:
                    replayed = fold.add(event)
                    if event.version > first_kept:
                        frames.append(frame_of(event.version, entry_json(replayed)))
            except (DigestMismatch, UnknownEvent, RulesError) as error:
                log.error("match cannot be followed", match=fold.match.id, reason=error)  # noqa: TRY400
                has_failed = True
            if events:
                self._kept = self._kept.grown(
                    frames,
                    self._limit,
                    is_over=fold.match.is_over,
                    has_failed=has_failed,
                )
            return len(events)

    def recent(self, after: int, form: Form) -> Chunk | None:
        """Return the frames after a version; None if they are not kept any more."""
        return self._kept.after(after, form)

    def read(self, after: int, form: Form) -> Chunk:
        """Replay the match, and return the frames of some events after a version."""
        fold = Fold(self._fold.match.id)
        frames = []
        for event in self._log.read(fold.match.id, 0, min(after + PAGE, self.number)):
            replayed = fold.add(event)
            if event.version > after:
                frames.append(frame_of(event.version, entry_json(replayed)))
        return Chunk(form.encode(frames), frames[-1].number if frames else after)

    def allows(self, claim: SeatClaim) -> bool:
        """Tell whether the token of a seat was not replaced by a newer one."""
        seated = self._fold.match.seats.get(claim.seat)
        return seated is None or seated.generation <= claim.generation


class AnalysisTail:
    """The tail of one analysis: what was found, and how it ended."""

    has_failed = False

    def __init__(self, analyses: Analyses, analysis_id: str) -> None:
        """Begin with nothing; `catch_up` reads the newest events."""
        self.key = analysis_id
        self._analyses = analyses
        self._lock = threading.Lock()
        self._kept = Kept()
        self._has_vanished = False

    @property
    def number(self) -> int:
        """Return the version up to which frames were made."""
        return self._kept.number

    @property
    def is_over(self) -> bool:
        """Tell whether the analysis has ended."""
        return self._kept.is_over

    @property
    def has_vanished(self) -> bool:
        """Tell whether the analysis is kept no more."""
        return self._has_vanished

    def catch_up(self) -> int:
        """Read what is new; return how many frames, or 1 if it is there no more."""
        with self._lock:
            found = self._analyses.events(self.key, self.number)
            if not found and not self._analyses.is_kept(self.key):
                self._has_vanished = True
                return 1
            if found:
                frames = [_frame_of_found(one) for one in found[-KEPT_FRAMES:]]
                is_over = found[-1].type in ENDINGS.values()
                self._kept = self._kept.grown(frames, KEPT_FRAMES, is_over=is_over)
            return len(found)

    def recent(self, after: int, form: Form) -> Chunk | None:
        """Return the frames after a version; None if they are not kept any more."""
        return self._kept.after(after, form)

    def read(self, after: int, form: Form) -> Chunk:
        """Return the frames of some events after a version."""
        limit = min(PAGE, self.number - after)
        found = self._analyses.events(self.key, after, limit)
        frames = [_frame_of_found(one) for one in found]
        return Chunk(form.encode(frames), frames[-1].number if frames else after)

    def allows(self, claim: SeatClaim) -> bool:
        """Tell that none is told here: tokens of seats are looked at as keys are."""
        return False


def _frame_of_found(found: Found) -> Frame:
    return frame_of(found.version, found_json(found))


class FeedTail:
    """The tail of the feed of one tenant."""

    is_over = False
    has_failed = False
    has_vanished = False

    def __init__(self, feed: TenantFeed, folds: Folds, tenant: str) -> None:
        """Begin with nothing; `catch_up` reads the newest entries."""
        self._feed = feed
        self._folds = folds
        self.key = tenant
        self._lock = threading.Lock()
        self._kept = Kept()

    @property
    def number(self) -> int:
        """Return the number up to which frames were made."""
        return self._kept.number

    def catch_up(self) -> int:
        """Read what is new, or as much of it as is kept; return how many frames."""
        with self._lock:
            [last] = self._feed.last_numbers([self.key])
            after = max(self.number, last - KEPT_FRAMES)
            frames = self._frames(self._feed.page(self.key, after, KEPT_FRAMES))
            if frames:
                self._kept = self._kept.grown(frames, KEPT_FRAMES)
            return len(frames)

    def recent(self, after: int, form: Form) -> Chunk | None:
        """Return the frames after a number; None if they are not kept any more."""
        return self._kept.after(after, form)

    def read(self, after: int, form: Form) -> Chunk:
        """Return the frames of a page of the feed."""
        places = self._feed.page(self.key, after, PAGE)
        frames = self._frames(affordable(self._folds, places))
        return Chunk(form.encode(frames), frames[-1].number if frames else after)

    def allows(self, claim: SeatClaim) -> bool:
        """Tell that no seat token was valid here anyway."""
        return False

    def _frames(self, places: Sequence[Place]) -> list[Frame]:
        return [
            frame_of(entry["seq"], entry) for entry in entries_json(self._folds, places)
        ]
