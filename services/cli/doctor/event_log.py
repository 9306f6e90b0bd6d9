"""The event log: its servers, its clock, its room, its replicas, the keys in it."""

import time
from dataclasses import replace
from typing import Any

from services.cli.doctor.finding import Finding, Findings, Patient, either
from services.cli.doctor.redis_server import check_role, check_version
from services.cli.durability import shortcomings
from services.eventlog import LogDamaged
from services.eventlog.library import connect_redis
from services.eventlog.pools import place_of
from services.eventlog.room import REPLICA, info
from services.redis_urls import SERVER, parse_redis_url
from services.settings import ACTING

CLOCK_APART_S = 0.5
"""Times of events come from the API, deadlines are compared with them elsewhere."""
FULL_AT = 0.8


def as_it_runs(patient: Patient) -> tuple[Patient, list[Finding]]:
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


def look_at_log(patient: Patient) -> Findings:
    """Look at the event log.

    :raises LogUnavailable, RedisError: it does not answer as it should.
    """
    for check in (_log_servers, _clocks, _log, _keys):
        yield from check(patient)


def _log_servers(patient: Patient) -> Findings:
    """Look at each server; where there are several, say which a finding is of."""
    servers = connect_redis(patient.settings.redis_url).servers()
    for redis in servers:
        place = f"{place_of(redis.connection_pool)}: " if len(servers) > 1 else ""
        for found in _log_server(redis):
            yield replace(found, what=place + found.what)


def _log_server(redis: Any) -> Findings:
    yield check_version(redis, "event log")
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
    yield from check_role(redis, "REDIS_URL")
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
    yield either(
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
    full, (held, limit) = services.room.lack(), services.room.held()
    if full == REPLICA:
        return  # it was told where Redis was looked at
    try:
        services.event_log.check()
    except LogDamaged as error:
        yield Finding("wrong", str(error), "use the version that has begun this log")
        return
    room = f"the log takes {held / 2**20:.0f} MiB"
    if full:
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
    yield either(active > 0, f"{active} API keys can be used", none)
