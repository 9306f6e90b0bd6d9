"""Every setting of every process: an environment variable, a default, a meaning.

A number says the least and the most it may be, and a text that not all will do for what
checks it. A setting that not every process reads says which do; the Docker stack hands
it to these alone. What is secret may stand in a file, named by NAME_FILE: many can see
an environment. `--help` and the table of the README are made of this.
"""

from dataclasses import Field, dataclass, field
from pathlib import Path
from typing import Any

from services.setting_checks import (
    Check,
    addresses,
    header_pairs,
    host_names,
    one_of,
    origins,
    queue_address,
    redis_address,
    stream_address,
    whole_number,
)

API, STREAM, ARCHIVER = ("api",), ("stream",), ("archiver",)
SERVERS = API + STREAM
WEBHOOKS = ("webhook-worker",)
WORKERS = ("dispatcher", "ai-worker", "analysis-worker", *WEBHOOKS)
ACTING = (*SERVERS, "projector", *ARCHIVER, *WORKERS)
OBSERVER = ("observer",)
PROCESSES = ACTING + OBSERVER

OWN = "SEEDLOG_"
"""What most names begin with; the others are as other programs have them, too."""


class InvalidSetting(Exception):
    """Environment variables hold something else than they should; says all of it.

    *readable*, where it is told, are the settings with those by default in their place.
    """

    def __init__(self, said: str, readable: "Settings | None" = None) -> None:
        """Say what is wrong, and keep what is not."""
        super().__init__(said)
        self.readable = readable


def setting(
    default: Any,
    meaning: str,
    between: tuple[int, int] | None = None,
    *,
    env: str = "",
    check: Check | None = None,
    read_by: tuple[str, ...] = PROCESSES,
    is_secret: bool = False,
    may_be_empty: bool = False,
) -> Any:
    """Return a field of the settings; a number lies *between* two others.

    Its variable has the name of the field behind `SEEDLOG_`, unless *env* says another.
    The file of a secret that *may be empty* may stand there where none is set.
    """
    metadata = {"env": env, "help": meaning, "between": between, "read_by": read_by}
    check = whole_number(*between) if between else check
    more = {"check": check, "is_secret": is_secret, "may_be_empty": may_be_empty}
    return field(default=default, metadata={**metadata, **more})


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one process; each field says what it means."""

    port: int = setting(8000, "port of the API and the page", (1, 65_534), read_by=API)
    host: str = setting("127.0.0.1", "address the API listens on", read_by=SERVERS)
    hosts: str = setting(
        "",
        "names of this host that requests may be for; without it any",
        check=host_names,
        read_by=SERVERS,
    )
    stream_port: int = setting(
        0,
        "port of the streams; without it the one after that of the API",
        (1, 65_535),
        read_by=SERVERS,
    )
    stream_url: str = setting(
        "",
        "where clients reach the streams; without it that port of the host; `/`: where "
        "they reach the API",
        check=stream_address,
        read_by=API,
    )
    origins: str = setting(
        "",
        "other origins whose pages may call the API and follow, with blanks between "
        "them; `*`: any",
        check=origins,
        read_by=SERVERS,
    )
    stream_origins: str = setting(
        "",
        "without SEEDLOG_ORIGINS: origins whose pages may follow, and no others",
        check=addresses,
        read_by=STREAM,
    )
    heartbeat_s: int = setting(
        15, "seconds between the heartbeats of a stream", (1, 3_600), read_by=STREAM
    )
    data: Path = setting(  # noqa: RUF009 - what it returns is a field
        Path(".seedlog"), "folder of log, keys and ready.json"
    )
    redis_url: str = setting(
        "",
        "Redis of the event log: a server, Sentinels or a cluster; without it `up` "
        "starts one, the one on PATH or the bundled one",
        check=redis_address,
        is_secret=True,
        env="REDIS_URL",
    )
    queue_url: str = setting(
        "",
        "Redis of the job queue: a server or Sentinels; without it `up` starts one",
        check=queue_address,
        read_by=WORKERS + OBSERVER,
        is_secret=True,
        env="QUEUE_URL",
    )
    secret: str = setting(
        "",
        "signs seat tokens, at least 32 characters; "
        "without it one is made in the data folder",
        read_by=ACTING,
        is_secret=True,
    )
    signing_key: str = setting(
        "",
        "signs exports, 64 hexadecimal digits, earlier keys behind commas; "
        "without it one is made in the data folder",
        read_by=API,
        is_secret=True,
    )
    replicas: int = setting(
        0, "Redis replicas that must hold an event before it is acknowledged", (0, 16)
    )
    archive: str = setting(
        "",
        "folder or fsspec URL of archived matches; "
        "without it `archive` in the data folder",
        read_by=ACTING,
    )
    archive_after_hours: int = setting(
        168,
        "hours after its end that a match moves to the archive",
        (0, 1_000_000),
        read_by=ARCHIVER,
    )
    abandon_after_hours: int = setting(
        720,
        "hours without an event that end a match as abandoned",
        (1, 1_000_000),
        read_by=ARCHIVER,
    )
    sandbox_hours: int = setting(
        24,
        "hours after its beginning that a match of a sandbox is removed",
        (1, 8_760),
        read_by=ARCHIVER,
    )
    max_events: int = setting(
        10_000,
        "events of a match, after which it is ended without a winner (`too-long`)",
        (1_000, 1_000_000),
        read_by=("api", "archiver", "ai-worker"),
    )
    api_workers: int = setting(1, "API processes", (1, 64), read_by=API)
    api_threads: int = setting(32, "threads of an API process", (1, 1_024), read_by=API)
    ai_workers: int = setting(2, "AI worker processes of `up`", (0, 256), read_by=())
    analysis_workers: int = setting(
        1,
        "analysis worker processes of `up`, with what time the others leave",
        (0, 256),
        read_by=(),
    )
    max_body: int = setting(
        65_536, "largest request body, in bytes", (1_024, 67_108_864), read_by=API
    )
    max_import: int = setting(
        4_194_304,
        "largest export that may be imported, in bytes",
        (1_024, 268_435_456),
        read_by=API,
    )
    guests_per_address: int = setting(
        60,
        "matches an hour that the page opens for one address; 0: no page",
        (0, 1_000_000_000),
        read_by=API,
    )
    guests_total: int = setting(
        2000,
        "matches an hour that the page opens for everybody together",
        (0, 1_000_000_000),
        read_by=API,
    )
    webhook_workers: int = setting(
        2, "webhook worker processes of `up`", (0, 256), read_by=()
    )
    webhook_endpoints: int = setting(
        10,
        "webhook endpoints that a tenant may have; 0: no webhooks",
        (0, 1_000),
        read_by=API,
    )
    waiting_turns: int = setting(
        10_000,
        "turns that may wait for AIs before no further match with one is begun; 0: any "
        "number",
        (0, 10_000_000),
        read_by=API,
    )
    seeks: int = setting(
        1_000,
        "players of a tenant who look for an opponent at once; 0: no seeks",
        (0, 10_000),
        read_by=API,
    )
    webhook_private: int = setting(
        0,
        "1: webhooks may go to private addresses and by http://, for development",
        (0, 1),
        read_by=API + WEBHOOKS,
    )
    rate_per_key: int = setting(
        30_000,
        "requests a minute with one API key; 0: any number",
        (0, 1_000_000_000),
        read_by=SERVERS,
    )
    rate_per_token: int = setting(
        6_000,
        "requests a minute with the token of one seat, or with one of spectators from "
        "one address; 0: any number",
        (0, 1_000_000_000),
        read_by=SERVERS,
    )
    rate_per_address: int = setting(
        60_000,
        "requests a minute from one address; 0: any number",
        (0, 1_000_000_000),
        read_by=SERVERS,
    )
    rate_guesses: int = setting(
        1_000,
        "wrong keys and tokens a minute from one address; 0: any number",
        (0, 1_000_000_000),
        read_by=SERVERS,
    )
    rate_analyses: int = setting(
        6_000,
        "positions a minute that are computed for one tenant; 0: any number",
        (0, 1_000_000_000),
        read_by=API,
    )
    open_matches: int = setting(
        100_000,
        "matches of one tenant that are not over; 0: any number",
        (0, 1_000_000_000),
        read_by=API,
    )
    followers: int = setting(
        10_000,
        "streams that are open for one tenant; 0: any number",
        (0, 1_000_000_000),
        read_by=SERVERS,
    )
    open_analyses: int = setting(
        100,
        "analyses of one tenant that have not ended; 0: any number",
        (0, 1_000_000),
        read_by=API,
    )
    trusted_proxies: int = setting(
        0,
        "reverse proxies in front, whose X-Forwarded-For is believed",
        (0, 16),
        read_by=SERVERS,
    )
    log_level: str = setting(
        "info",
        "what is logged at least: debug, info, warning or error",
        check=one_of("debug", "info", "warning", "error"),
    )
    access_log: int = setting(
        0, "1: a line in the log for each request, append, job and webhook", (0, 1)
    )
    metrics_port: int = setting(
        0,
        "port where a process tells Prometheus its metrics, or `up` those of all; 0: "
        "none is recorded",
        (0, 65_535),
    )
    metrics_host: str = setting(
        "127.0.0.1", "address of that port; never one that clients reach"
    )
    trace_headers: str = setting(
        "",
        "what the collector of traces asks for, NAME=VALUE with commas between",
        check=header_pairs,
        is_secret=True,
        may_be_empty=True,
        env="OTEL_EXPORTER_OTLP_HEADERS",
    )

    def __post_init__(self) -> None:
        """Let the port of the streams follow that of the API."""
        if not self.stream_port:
            object.__setattr__(self, "stream_port", self.port + 1)


def variable_of(known: Field[Any]) -> str:
    """Return the name of the environment variable of a setting."""
    return str(known.metadata["env"]) or OWN + known.name.upper()
