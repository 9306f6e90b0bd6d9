"""Every figure that processes record, by what it is about.

What stands in Redis is told by the observer (`workers/state.py`), once for all.
"""

from services.metrics.kinds import SLOW_S, Counter, Gauge, Histogram

# -- HTTP, of API and streams

REQUEST_SECONDS = Histogram(
    "seedlog_http_request_seconds",
    "Time from the whole request to its answer, by operation and class of status; a "
    "wait for a reply is not counted.",
    "method",
    "operation",
    "status",
)
REFUSED = Counter(
    "seedlog_http_refused",
    "What was no request, came too slowly, or when there was no room.",
    "status",
)
STREAMS = Gauge("seedlog_streams_open", "Streams that are open.", "kind")
STREAMS_OPENED = Counter("seedlog_streams_opened", "Streams that were opened.", "kind")

# -- matches

APPENDS = Counter(
    "seedlog_appends",
    "Attempts to record events: recorded, replayed (by an idempotency key), conflict "
    "(somebody was first), failed (the log is away or full).",
    "outcome",
)
EVENTS = Counter("seedlog_events", "Events that were recorded.", "type")
QUARANTINES = Counter(
    "seedlog_quarantines", "Times that log and rules were found to disagree."
)

# -- jobs

JOBS = Counter("seedlog_jobs", "Jobs that ended.", "queue", "outcome")
JOB_WAIT_SECONDS = Histogram(
    "seedlog_job_wait_seconds",
    "Time that jobs waited for a worker.",
    "queue",
    bounds=SLOW_S,
)
JOB_SECONDS = Histogram(
    "seedlog_job_seconds", "Time that jobs took.", "queue", bounds=SLOW_S
)

# -- computer players

TURNS = Counter(
    "seedlog_ai_turns",
    "Turns of AIs that came up: played, overtaken, skipped, or left to the sweep.",
    "outcome",
)
REPLY_SECONDS = Histogram(
    "seedlog_ai_reply_seconds",
    "Time from the event that an AI had to answer to its answer in the log.",
    bounds=SLOW_S,
)
THINK_SECONDS = Histogram(
    "seedlog_ai_think_seconds", "Time that AIs thought about a move.", "game"
)
NODES = Counter("seedlog_ai_nodes", "Positions that AIs looked at.", "game")
OVERSHOOT_SECONDS = Histogram(
    "seedlog_ai_overshoot_seconds", "Time that AIs thought beyond what they had."
)
OVERDUE = Counter(
    "seedlog_ai_turns_asked_again", "Turns that were overdue, and asked for again."
)

# -- webhooks

WEBHOOKS = Counter(
    "seedlog_webhook_attempts",
    "Attempts to send a webhook: taken, refused, or unanswered.",
    "outcome",
)
WEBHOOK_SECONDS = Histogram(
    "seedlog_webhook_attempt_seconds", "Time that an attempt took.", bounds=SLOW_S
)

# -- the archive

ARCHIVED = Counter("seedlog_archived_matches", "Matches moved to the archive.")
ARCHIVED_BYTES = Counter("seedlog_archived_bytes", "Bytes written to the archive.")
ARCHIVER_ROUNDS = Counter(
    "seedlog_archiver_rounds",
    "Times that the archiver went through all matches: done, or broken off.",
    "outcome",
)
