"""Problems of the server itself: its log, its keys."""

from services import eventlog
from services.http import refusals as requests
from services.http.wire.problem import Problem
from services.languages import Message

SERVER: tuple[Problem, ...] = (
    Problem(
        503,
        "log-unavailable",
        Message("The event log cannot be reached now"),
        cause=Message(
            "The event log cannot be reached, or cannot keep its promise now."
        ),
        advice=Message(
            "Send the same request later; with its Idempotency-Key it acts once."
        ),
        example=eventlog.LogUnavailable(Message("Redis did not answer")),
    ),
    Problem(
        503,
        "log-full",
        Message("The event log is full"),
        cause=Message("The event log takes nothing more, so as to forget nothing."),
        advice=Message(
            "Send the same request later; with its Idempotency-Key it acts once."
        ),
        example=eventlog.LogFull(
            Message(
                "the event log is full: reading goes on, but nothing is recorded until "
                "its operator has made room"
            )
        ),
    ),
    Problem(
        503,
        "log-gone",
        Message("The event log is not the one that was here before"),
        cause=Message(
            "The event log was emptied or exchanged, as far as the server can see."
        ),
        advice=Message(
            "Send the same request later; with its Idempotency-Key it acts once."
        ),
        example=eventlog.LogGone(
            Message(
                "the event log is not the one that was here before: nothing is "
                "recorded until its operator has looked"
            )
        ),
    ),
    Problem(
        503,
        "too-few-replicas",
        Message("Too few replicas hold the event log"),
        cause=Message(
            "Copies of the event log are away, and an event is told only when enough "
            "of them hold it."
        ),
        advice=Message(
            "Send the same request later; with its Idempotency-Key it acts once."
        ),
        example=eventlog.TooFewReplicas(
            Message(
                "recorded, but only {held} of {wanted} replicas hold it yet",
                held=1,
                wanted=2,
            )
        ),
    ),
    Problem(
        503,
        "unusable-keys",
        Message("A file of keys has to be put right first"),
        cause=Message("A file of signing keys was damaged while the server ran."),
        advice=Message("The operator has to put right the file that is named."),
        example=requests.UnusableKeys(
            Message(
                "{reason}; it has to be put right first", reason="trusted_keys.json"
            )
        ),
    ),
    Problem(
        500,
        "log-damaged",
        Message("State and events of the match disagree"),
        cause=Message("The log says two different things, so nothing more is written."),
        advice=Message("Tell the operator of the server, with the id of the request."),
        example=eventlog.LogDamaged(
            Message("the state and the events of a match disagree")
        ),
    ),
)
