"""The job queue, and whether what is to be done is done."""

from collections.abc import Mapping

from redis import exceptions as driver

from services.cli.doctor.finding import Finding, Findings, Patient, either
from services.cli.doctor.redis_server import check_role, check_version, remedy
from services.eventlog import LogUnavailable
from services.eventlog.library import connect_redis
from services.settings import ACTING
from workers import state

BEHIND_S = 10.0


def look_at_queue(patient: Patient) -> Findings:
    """Look at the job queue, and whether anybody listens to it."""
    if not patient.settings.queue_url:
        yield Finding(
            "look",
            "the job queue was not looked at: QUEUE_URL is not set here",
            "set it, or ask where a worker runs",
        )
        return
    redis = connect_redis(patient.settings.queue_url)
    try:
        yield check_version(redis, "job queue")
        yield from check_role(redis, "QUEUE_URL")
        policy = redis.config_get("maxmemory-policy").get("maxmemory-policy")
        listening = redis.scard("rq:workers")
    except (LogUnavailable, driver.RedisError) as error:
        yield Finding(
            "wrong",
            f"the job queue does not answer as it should: {error}",
            remedy("QUEUE_URL", error),
        )
        return
    if policy not in (None, "noeviction"):
        yield Finding(
            "wrong", f"the job queue forgets jobs: {policy}", "set noeviction there"
        )
    yield either(
        listening > 0,
        f"workers that listen to the job queue: {listening}",
        Finding(
            "wrong",
            "no worker listens to this job queue",
            "start workers, or set QUEUE_URL to the one that they listen to",
        ),
    )


def look_at_work(patient: Patient) -> Findings:
    """Read what metrics tell, and say what of it is not as it should be."""
    values = state.State(patient.settings).look()
    found: dict[state.Reading, dict[tuple[str, ...], float]] = {}
    for reading, labels, value in values:
        found.setdefault(reading, {})[labels] = value
    living = found.get(state.PROCESSES, {})
    absent = [kind for kind in ACTING if not living.get((kind,))]
    if absent and patient.services.room.lack():
        yield Finding(
            "look",
            "who lives cannot say so where the log takes nothing",
            "let it take events again",
        )
    elif absent:
        yield Finding(
            "wrong", f"none lives: {', '.join(absent)}", "start at least one of each"
        )
    else:
        count = sum(living.values())
        yield Finding("ok", f"{count:.0f} processes live, at least one of each kind")
    for late, who, what_helps in (
        (state.BEHIND_SECONDS, "followers of the log", "see what they log"),
        (state.WEBHOOKS_BEHIND, "webhooks", "start more webhook workers"),
    ):
        yield from _late(found.get(late, {}), who, what_helps)
    for (view,), stopped in found.get(state.STOPPED, {}).items():
        if stopped:
            yield Finding(
                "wrong",
                f"the view {view} stands still at an event it cannot take in",
                f"the log of the projector says which; then `seedlog rebuild {view}`",
            )
    if overdue := sum(found.get(state.TURNS_OVERDUE, {}).values()):
        yield Finding(
            "look", f"{overdue:.0f} turns of AIs are overdue", "start more AI workers"
        )


def _late(behind: Mapping[tuple[str, ...], float], who: str, remedy: str) -> Findings:
    late = [f"{name} by {s:.0f} s" for (name,), s in behind.items() if s > BEHIND_S]
    if late:
        yield Finding("look", f"{who} are late: {', '.join(late)}", remedy)
    elif behind:
        yield Finding("ok", f"{who} are up to date")
