"""What is here: settings, rules, disks; and the servers of the API and the streams."""

import shutil
from pathlib import Path

from rules_core.compiled import plain_games
from services.bootstrap import archive_of
from services.cli.checks import check_settings
from services.cli.doctor.finding import Finding, Findings, Patient, either
from services.cli.pulse import answers, ask, problem_of
from services.settings import InvalidSetting

LEAST_FREE = 0.1
ANSWER_WITHIN_S = 3.0
REMEDIES = {
    "/problems/log-gone": (
        "put back what its Redis held; where another log is meant, start it again"
    ),
}
"""What to do about a server that cannot serve, by the problem that it tells."""

OWN_PATHS = {"API": "/v1/games", "streams": "/v1/stream"}
"""What only that server knows; health is told by both."""


def look_here(patient: Patient) -> Findings:
    """Look at what needs no Redis."""
    yield from _settings(patient)
    yield from _rules()
    yield from _disk(patient)
    yield from _servers(patient)


def _settings(patient: Patient) -> Findings:
    try:
        check_settings(patient.settings)
    except InvalidSetting as error:
        yield Finding("wrong", str(error), "set what is told, and start again")
    else:
        yield Finding("ok", "the settings can be used")


def _rules() -> Findings:
    plain = plain_games()
    slow = f"rules run in plain Python, a hundred times slower: {', '.join(plain)}"
    yield either(
        not plain,
        "the rules of every game are compiled",
        Finding("look", slow, "`seedlog compile`, then start the stack again"),
    )


def _disk(patient: Patient) -> Findings:
    places = {"data folder": patient.settings.data}
    archive = archive_of(patient.settings)
    if "://" not in archive:
        places["archive"] = Path(archive)
    for name, place in places.items():
        there = next(p for p in (place, *place.absolute().parents) if p.exists())
        usage = shutil.disk_usage(there)
        free = f"{name}: {usage.free / 2**30:.1f} GiB of its disk are free"
        if usage.free < LEAST_FREE * usage.total:
            yield Finding("look", free, "make room, or move it to a larger disk")
        else:
            yield Finding("ok", free)


def _servers(patient: Patient) -> Findings:
    for name, url in (("API", patient.url), ("streams", patient.stream_url)):
        if answers(f"{url}/health/ready", ANSWER_WITHIN_S):
            yield either(
                ask(url + OWN_PATHS[name], ANSWER_WITHIN_S) != 404,
                f"{name}: ready at {url}",
                Finding(
                    "wrong",
                    f"{name}: another server answers at {url}",
                    "say with --url and --stream-url where each is",
                ),
            )
        elif answers(f"{url}/health/live", ANSWER_WITHIN_S):
            problem, why = problem_of(f"{url}/health/ready", ANSWER_WITHIN_S)
            what = f"{name}: lives at {url}, and cannot serve: {why}"
            yield Finding("wrong", what, REMEDIES.get(problem, "see what is below"))
        else:
            yield Finding(
                "wrong",
                f"{name}: nothing answers at {url}",
                "start it, or say with --url and --stream-url where it is",
            )
