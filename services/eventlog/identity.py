"""Which log this is: what is written of it once, and whether it is still that one.

A Redis that comes back empty looks like a log that begins. So each log has an identity,
by which a process that has known it tells it from another.
"""

import secrets
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from services.eventlog.connection import Connections
from services.eventlog.errors import LogDamaged, LogGone, LogUnavailable
from services.eventlog.keys import META
from services.eventlog.records import PARTITIONS
from services.eventlog.replicas import Replicas
from services.languages import Message

LAYOUT = "1"
ASKED = ("HMGET", META, "partitions", "layout", "id")

WATCHED_EVERY_S = 1.0
"""So long another log may be taken for it by who reads or writes beside it."""

RECOGNIZED_AGAIN_S = 2.0
"""So long a log is taken for the one it was where that cannot be told."""


class Identity:
    """Knows a log from the first look on.

    ``is_gone``: at the last look it was another one.
    """

    def __init__(
        self, redis: Connections, replicas: Replicas, *, is_cluster: bool
    ) -> None:
        """Look nowhere yet. Of a cluster one server tells, and others may be well."""
        self._redis = redis
        self._replicas = replicas
        self._is_cluster = is_cluster
        self._id = ""
        self._recognized_after = 0.0
        self._watched_after = 0.0
        self.is_gone = False

    @property
    def is_known(self) -> bool:
        """Tell whether another log would be told from this one."""
        return bool(self._id)

    def recognize(self) -> None:
        """Do nothing unless this is another log than it was (see the port)."""
        if time.monotonic() < self._recognized_after:
            return
        try:
            self.check()
            if self.is_known:
                return
        except LogUnavailable as error:  # in a cluster another server may be well
            if isinstance(error, LogGone) or not self._is_cluster:
                raise
        self._recognized_after = time.monotonic() + RECOGNIZED_AGAIN_S

    def watch(self) -> None:
        """Do nothing unless this is another log than it was lately (see the port)."""
        if time.monotonic() < self._watched_after and not self.is_gone:
            return
        self._watched_after = time.monotonic() + WATCHED_EVERY_S
        try:
            self.check()
        except (LogDamaged, LogUnavailable) as trouble:
            if isinstance(trouble, LogGone):  # of else, whoever needs the log is told
                raise

    def check(self) -> None:
        """Do nothing if the log is laid out as this code expects, and the one it was.

        :raises LogGone: it is another one.
        :raises LogDamaged: it was laid out in another way.
        """
        known = self._id  # as this look began: another thread may learn it meanwhile
        *layout, identity = self._look(known)
        is_other = None in layout or identity not in (None, known)
        self.is_gone = bool(known) and is_other
        if self.is_gone:
            raise LogGone(
                Message(
                    "the event log is not the one that was here before: nothing is "
                    "recorded until its operator has looked"
                ),
                "Redis was emptied, or is another one; put back what it held, or "
                "start the processes again if this is meant",
            )
        self._id = identity or self._id
        if layout != [str(PARTITIONS), LAYOUT]:
            raise LogDamaged(
                Message(
                    "the log was begun with {partitions} partitions in layout "
                    "{layout}; this version expects {expected} in layout {own}",
                    partitions=layout[0],
                    layout=layout[1],
                    expected=PARTITIONS,
                    own=LAYOUT,
                )
            )

    def _look(self, known: str) -> Sequence[Any]:
        """Return what is written of the log; what it lacks is written before.

        One without an identity is from before, or a copy from before; where it takes
        nothing now, a full one perhaps, it does without. One that lacks all begins,
        unless it was known: then it was emptied.
        """
        told = self._redis.call_all([*self._replicas.take_unmarks(), ASKED])[-1]
        begins = None in told[:2]
        if None not in told or (begins and known):
            return list(told)
        fields = {"id": known or secrets.token_hex(8)}
        if begins:
            fields |= {"partitions": str(PARTITIONS), "layout": LAYOUT}
        with suppress(*() if begins else (LogUnavailable,)):
            self._redis.call_all([("HSETNX", META, *field) for field in fields.items()])
        return list(self._redis.call(*ASKED))
