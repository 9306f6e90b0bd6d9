"""All checks, in the order in which one tells of the next."""

from redis import exceptions as driver

from services.cli.doctor.event_log import as_it_runs, look_at_log
from services.cli.doctor.finding import Finding, Findings, Patient
from services.cli.doctor.here import look_here
from services.cli.doctor.redis_server import remedy
from services.cli.doctor.work import look_at_queue, look_at_work
from services.eventlog import LogUnavailable


def examine(patient: Patient) -> Findings:
    """Look at everything; what does not answer is said once, and not asked again."""
    yield from look_here(patient)
    try:
        patient, differing = as_it_runs(patient)
        yield from differing
        yield from look_at_log(patient)
    except (LogUnavailable, driver.RedisError) as error:
        yield Finding(
            "wrong",
            f"the event log does not answer as it should: {error}",
            remedy("REDIS_URL", error),
        )
        if patient.settings.queue_url != patient.settings.redis_url:
            yield from look_at_queue(patient)
        return
    yield from look_at_queue(patient)
    yield from look_at_work(patient)
