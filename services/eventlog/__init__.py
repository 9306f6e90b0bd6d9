"""Streams of events and the feed over all of them: append, read, follow."""

from services.eventlog.errors import (
    EventLogError,
    KeyReused,
    LogDamaged,
    LogFull,
    LogUnavailable,
    TooFewReplicas,
    VersionConflict,
    disagreement,
    later_format,
)
from services.eventlog.event import (
    Head,
    NewEvent,
    StoredEvent,
    canonical_text,
    chain,
    chain_all,
    format_time,
    genesis,
    with_versions,
)
from services.eventlog.landmark import Landmark
from services.eventlog.memory import MemoryEventLog
from services.eventlog.port import (
    Alarms,
    ColdStreams,
    Deadlines,
    EventLog,
    Feed,
    FeedGroup,
    Standing,
    Streams,
    SureStreams,
)
from services.eventlog.records import (
    PARTITIONS,
    Appended,
    FeedEntry,
    IdempotencyKey,
    Note,
    Replication,
    State,
    partition_of,
)
from services.eventlog.redis_log import RedisEventLog
from services.eventlog.requests import Requests
from services.eventlog.room import Room

__all__ = [
    "PARTITIONS",
    "Alarms",
    "Appended",
    "ColdStreams",
    "Deadlines",
    "EventLog",
    "EventLogError",
    "Feed",
    "FeedEntry",
    "FeedGroup",
    "Head",
    "IdempotencyKey",
    "KeyReused",
    "Landmark",
    "LogDamaged",
    "LogFull",
    "LogUnavailable",
    "MemoryEventLog",
    "NewEvent",
    "Note",
    "RedisEventLog",
    "Replication",
    "Requests",
    "Room",
    "Standing",
    "State",
    "StoredEvent",
    "Streams",
    "SureStreams",
    "TooFewReplicas",
    "VersionConflict",
    "canonical_text",
    "chain",
    "chain_all",
    "disagreement",
    "format_time",
    "genesis",
    "later_format",
    "partition_of",
    "with_versions",
]
