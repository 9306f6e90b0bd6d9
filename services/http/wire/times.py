"""When a request was whole: from then on it is the server that takes time."""

WHOLE_AT = "seedlog.whole_at"
"""What the environ of a request calls it; on the clock of `time.monotonic`."""
