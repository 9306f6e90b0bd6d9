"""What ails an installation, and what to do about it: `seedlog doctor`.

Each check looks at one thing and yields what it finds, good or bad, so that a page
without a complaint still says what was looked at.
"""

import shutil
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from redis import exceptions as driver

from rules_core.compiled import plain_games
from services.bootstrap import Services, archive_of, connect
from services.cli.checks import check_settings
from services.cli.durability import shortcomings
from services.cli.pulse import answers, ask, problem_of
from services.eventlog import LogDamaged, LogUnavailable
from services.eventlog.library import connect_redis
from services.eventlog.pools import place_of
from services.eventlog.room import REPLICA, info, is_replica
from services.redis_urls import SERVER, parse_redis_url
from services.settings import ACTING, InvalidSetting, Settings
from workers import state

OLDEST_REDIS = (6, 2)
GOOD_REDIS = (7, 0)
CLOCK_APART_S = 0.5
"""Times of events come from the API, deadlines are compared with them elsewhere."""
FULL_AT = 0.8
LEAST_FREE = 0.1
BEHIND_S = 10.0
ANSWER_WITHIN_S = 3.0
REMEDIES = {
    "/problems/log-gone": (
        "put back what its Redis held; where another log is meant, start it again"
    ),
}
"""What to do about a server that cannot serve, by the problem that it tells."""

OF_A_REDIS: dict[type[Exception], str] = {
    driver.AuthenticationError: (
        "set {setting} with its password, and its user if it has any: "
        "redis://USER:PASSWORD@HOST"
    ),
    driver.NoPermissionError: "give the user of {setting} all commands and all keys",
    driver.InvalidResponse: "no Redis answers there: set {setting} to where it is",
    driver.TimeoutError: (
        "look whether it is stopped, or waits for its disk; or set {setting} with TLS "
        "(rediss://) or without (redis://), as that Redis speaks"
    ),
}
"""What to do about a Redis that does not answer, by what its driver says."""

OWN_PATHS = {"API": "/v1/games", "streams": "/v1/stream"}
"""What only that server knows; health is told by both."""

Condition = Literal["ok", "look", "wrong"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check has found: in order, worth a look, or wrong; and what to do."""

    condition: Condition
    what: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Patient:
    """An installation, and where its servers answer."""

    settings: Settings
    url: str
    stream_url: str

    @property
    def services(self) -> Services:
        """Return its services, in this process, which signs nothing: no key is made."""
        return connect(replace(self.settings, secret=self.settings.secret or "none"))


Findings = Iterator[Finding]


def examine(patient: Patient) -> Findings:
    """Look at everything; what does not answer is said once, and not asked again."""
    yield from _settings(patient)
    yield from _rules()
    yield from _disk(patient)
    yield from _servers(patient)
    try:
        patient, differing = _as_it_runs(patient)
        yield from differing
        for check in (_log_servers, _clocks, _log, _keys):
            yield from check(patient)
    except (LogUnavailable, driver.RedisError) as error:
        yield Finding(
            "wrong",
            f"the event log does not answer as it should: {error}",
            remedy("REDIS_URL", error),
        )
        return
    yield from _queue_server(patient)
    yield from _at_work(patient)


def remedy(setting: str, error: Exception) -> str:
    """Return what helps where a Redis does not answer, or will not let us in."""
    if "CERTIFICATE_VERIFY_FAILED" in str(error):
        return f"append ?ssl_ca_certs=FILE to {setting}: who signed its certificate"
    why = error.__cause__ or error.__context__ or error
    for kind, what in OF_A_REDIS.items():
        if isinstance(why, kind):
            return what.format(setting=setting)
    return (
        f"start its Redis, or set {setting} to where and what it is: redis://, "
        "rediss:// with TLS, redis+sentinel://, redis+cluster://"
    )


# -- here


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
    yield _either(
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
            yield _either(
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


# -- the event log


def _as_it_runs(patient: Patient) -> tuple[Patient, list[Finding]]:
    """Return an installation with the replicas that its processes wait for.

    And what is to be said where they, or the settings here, do not agree.
    """
    here = patient.settings.replicas
    told = patient.services.presence.replicas(ACTING)
    counts = set().union(*told.values())
    if not counts - {here}:
        return patient, []
    who = ", ".join(
        f"{n} ({', '.join(kind for kind in told if n in told[kind])})"
        for n in sorted(counts)
    )
    if len(counts) > 1:
        said = f"processes differ in SEEDLOG_REPLICAS: {who}"
        remedy = "set it to the same everywhere, and start those again"
        return patient, [Finding("wrong", said, remedy)]
    [running] = counts
    patient = replace(patient, settings=replace(patient.settings, replicas=running))
    said = f"SEEDLOG_REPLICAS is {here} here, and where processes run {who}"
    return patient, [Finding("look", said, "set it to the same here")]


def _log_servers(patient: Patient) -> Findings:
    """Look at each server; where there are several, say which a finding is of."""
    servers = connect_redis(patient.settings.redis_url).servers()
    for redis in servers:
        place = f"{place_of(redis.connection_pool)}: " if len(servers) > 1 else ""
        for found in _log_server(redis):
            yield replace(found, what=place + found.what)


def _log_server(redis: Any) -> Findings:
    yield _version(redis, "event log")
    wrong = shortcomings(redis)
    if wrong is None:
        yield Finding(
            "look",
            "this Redis does not tell how it keeps data",
            "see that it has appendonly yes, appendfsync always, noeviction",
        )
    elif wrong:
        yield Finding(
            "wrong",
            f"acknowledged moves can be lost: {', '.join(wrong)}",
            "CONFIG SET each, and write it into the configuration",
        )
    else:
        yield Finding("ok", "every append is on disk before it is acknowledged")
    yield from _role(redis, "REDIS_URL")
    kept = info(redis, "persistence")
    for fact in ("aof_last_write_status", "aof_last_bgrewrite_status"):
        if kept.get(fact, "ok") != "ok":
            yield Finding(
                "wrong",
                f"the append-only file: {fact} is {kept[fact]}",
                "look at the disk of that Redis, and at vm.overcommit_memory",
            )


def _clocks(patient: Patient) -> Findings:
    servers = connect_redis(patient.settings.redis_url).servers()
    apart_s, place = max(
        (_apart_s(redis), place_of(redis.connection_pool)) for redis in servers
    )
    which = f" at {place}" if len(servers) > 1 else ""
    yield _either(
        apart_s <= CLOCK_APART_S,
        "the clocks of this host and of Redis agree",
        Finding(
            "wrong",
            f"the clocks of this host and of Redis{which} are {apart_s:.1f} s apart",
            "let NTP set both: players lose on time by these clocks",
        ),
    )


def _apart_s(redis: Any) -> float:
    """Return by how many seconds the clock of a server differs from that of here."""
    began = time.time()
    seconds, microseconds = redis.time()
    return float(abs(seconds + microseconds / 1e6 - (began + time.time()) / 2))


def _log(patient: Patient) -> Findings:
    services = patient.services
    try:
        services.event_log.check()
    except LogDamaged as error:
        yield Finding("wrong", str(error), "use the version that has begun this log")
        return
    full, (held, limit) = services.room.lack(), services.room.held()
    room = f"the log takes {held / 2**20:.0f} MiB"
    if full == REPLICA:
        pass  # it was told where Redis was looked at
    elif full:
        make_room = "archive sooner (SEEDLOG_ARCHIVE_AFTER_HOURS), or give it more room"
        yield Finding("wrong", full, make_room)
    elif limit and held > FULL_AT * limit:
        yield Finding(
            "look",
            f"{room} of {limit / 2**20:.0f}",
            "raise maxmemory, or archive sooner (SEEDLOG_ARCHIVE_AFTER_HOURS)",
        )
    else:
        yield Finding("ok", room + (f" of {limit / 2**20:.0f}" if limit else ""))
    yield from _replicas(patient)


def _replicas(patient: Patient) -> Findings:
    found = patient.services.event_log.replication()
    keep_up = f"{found.found} of {found.wanted} replicas keep up"
    can_take_over = parse_redis_url(patient.settings.redis_url).kind != SERVER
    if not found.is_enough:
        yield Finding("wrong", keep_up, "start them: until then nothing is written")
    elif can_take_over and not found.wanted:
        yield Finding(
            "wrong",
            "what was acknowledged can go with a master: no replica has to hold it",
            "set SEEDLOG_REPLICAS to as many as each master has",
        )
    elif can_take_over and found.found > found.wanted:
        yield Finding(
            "look",
            f"{found.found} replicas may take over, {found.wanted} must hold an event",
            "the one that does may lack it: set SEEDLOG_REPLICAS to all of them",
        )
    elif found.wanted:
        yield Finding("ok", keep_up)


def _keys(patient: Patient) -> Findings:
    keys = patient.services.tenants.list_keys()
    now_ms = time.time_ns() // 1_000_000
    active = sum(key.status(now_ms) == "valid" for key in keys)
    none = Finding("look", "no API key can be used", "`seedlog keys create`")
    yield _either(active > 0, f"{active} API keys can be used", none)


# -- the queue, and who works


def _queue_server(patient: Patient) -> Findings:
    if not patient.settings.queue_url:
        yield Finding(
            "look",
            "the job queue was not looked at: QUEUE_URL is not set here",
            "set it, or ask where a worker runs",
        )
        return
    redis = connect_redis(patient.settings.queue_url)
    try:
        yield _version(redis, "job queue")
        yield from _role(redis, "QUEUE_URL")
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
    yield _either(
        listening > 0,
        f"workers that listen to the job queue: {listening}",
        Finding(
            "wrong",
            "no worker listens to this job queue",
            "start workers, or set QUEUE_URL to the one that they listen to",
        ),
    )


def _at_work(patient: Patient) -> Findings:
    """Read what metrics tell, and say what of it is not as it should be."""
    values = state.State(patient.settings).look()
    found: dict[state.Reading, dict[tuple[str, ...], float]] = {}
    for reading, labels, value in values:
        found.setdefault(reading, {})[labels] = value
    living = found.get(state.PROCESSES, {})
    absent = [kind for kind in ACTING if not living.get((kind,))]
    if absent and patient.services.room.lack():
        yield Finding(
            "look", "who lives cannot say so in a full log", "make room there"
        )
    elif absent:
        yield Finding(
            "wrong", f"none lives: {', '.join(absent)}", "start at least one of each"
        )
    else:
        count = sum(living.values())
        yield Finding("ok", f"{count:.0f} processes live, at least one of each kind")
    for late, who, remedy in (
        (state.BEHIND_SECONDS, "followers of the log", "see what they log"),
        (state.WEBHOOKS_BEHIND, "webhooks", "start more webhook workers"),
    ):
        yield from _late(found.get(late, {}), who, remedy)
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


def _either(is_well: bool, what: str, ailment: Finding) -> Finding:
    """Return that something is well, or else what ails it."""
    return Finding("ok", what) if is_well else ailment


def _role(redis: Any, setting: str) -> Findings:
    if is_replica(redis):
        yield Finding(
            "wrong",
            REPLICA,
            f"set {setting} to its master, or to Sentinels that know it",
        )


def _version(redis: Any, name: str) -> Finding:
    told = str(info(redis, "server").get("redis_version", ""))
    numbers = tuple(int(part) for part in told.split(".")[:2] if part.isdigit())
    what = f"{name}: Redis {told}"
    if not numbers:
        untold = f"{name}: this Redis does not tell its version"
        return Finding("look", untold, "see that it is Redis 7")
    if numbers < OLDEST_REDIS:
        return Finding("wrong", what, "use Redis 7")
    if numbers < GOOD_REDIS:
        return Finding("look", what, "use Redis 7 for anything but trying out")
    return Finding("ok", what)
