"""Every setting of every process: an environment variable, a default, a meaning.

A number says the least and the most it may be. A setting that not every process reads
says which do; the Docker stack hands it to these alone.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

API, STREAM, ARCHIVER = ("api",), ("stream",), ("archiver",)
SERVERS = API + STREAM
WORKERS = ("dispatcher", "ai-worker")
PROCESSES = (*SERVERS, "projector", *ARCHIVER, *WORKERS)

MOST_API_THREADS = 2048
"""Of all API processes together: their container has room for so many."""


class InvalidSetting(Exception):
    """An environment variable holds something else than it should."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one process; each field says its variable and its meaning."""

    port: int = field(
        default=8000,
        metadata={
            "env": "SEEDLOG_PORT",
            "help": "port of the API and the page",
            "least": 1,
            "most": 65535,
            "read_by": API,
        },
    )
    host: str = field(
        default="127.0.0.1",
        metadata={
            "env": "SEEDLOG_HOST",
            "help": "address the API listens on",
            "read_by": SERVERS,
        },
    )
    hosts: str = field(
        default="",
        metadata={
            "env": "SEEDLOG_HOSTS",
            "help": "names of this host that requests may be for; without it any",
            "read_by": SERVERS,
        },
    )
    stream_port: int = field(
        default=8001,
        metadata={
            "env": "SEEDLOG_STREAM_PORT",
            "help": "port of the streams",
            "least": 1,
            "most": 65535,
            "read_by": SERVERS,
        },
    )
    stream_url: str = field(
        default="",
        metadata={
            "env": "SEEDLOG_STREAM_URL",
            "help": "where clients reach the streams; without it that port of the host",
            "read_by": API,
        },
    )
    stream_origins: str = field(
        default="",
        metadata={
            "env": "SEEDLOG_STREAM_ORIGINS",
            "help": "origins whose pages may follow; without it those of the same host",
            "read_by": STREAM,
        },
    )
    heartbeat_s: int = field(
        default=15,
        metadata={
            "env": "SEEDLOG_HEARTBEAT_S",
            "help": "seconds between the heartbeats of a stream",
            "least": 1,
            "most": 3600,
            "read_by": STREAM,
        },
    )
    data: Path = field(
        default=Path(".seedlog"),
        metadata={"env": "SEEDLOG_DATA", "help": "folder of log, keys and ready.json"},
    )
    redis_url: str = field(
        default="",
        metadata={
            "env": "REDIS_URL",
            "help": "Redis of the event log; without it `up` starts one",
        },
    )
    queue_url: str = field(
        default="",
        metadata={
            "env": "QUEUE_URL",
            "help": "Redis of the job queue; without it `up` starts one",
            "read_by": WORKERS,
        },
    )
    secret: str = field(
        default="",
        metadata={
            "env": "SEEDLOG_SECRET",
            "help": "signs seat tokens; without it one is made in the data folder",
        },
    )
    signing_key: str = field(
        default="",
        metadata={
            "env": "SEEDLOG_SIGNING_KEY",
            "help": "signs exports, 64 hexadecimal digits, earlier keys behind commas; "
            "without it one is made in the data folder",
            "read_by": API,
        },
    )
    replicas: int = field(
        default=0,
        metadata={
            "env": "SEEDLOG_REPLICAS",
            "help": "Redis replicas that must hold an event before it is acknowledged",
            "least": 0,
            "most": 16,
        },
    )
    archive: str = field(
        default="",
        metadata={
            "env": "SEEDLOG_ARCHIVE",
            "help": "folder or fsspec URL of archived matches; without it "
            "`archive` in the data folder",
        },
    )
    archive_after_hours: int = field(
        default=168,
        metadata={
            "env": "SEEDLOG_ARCHIVE_AFTER_HOURS",
            "help": "hours after its end that a match moves to the archive",
            "least": 0,
            "most": 10**6,
            "read_by": ARCHIVER,
        },
    )
    abandon_after_hours: int = field(
        default=720,
        metadata={
            "env": "SEEDLOG_ABANDON_AFTER_HOURS",
            "help": "hours without an event that end a match as abandoned",
            "least": 1,
            "most": 10**6,
            "read_by": ARCHIVER,
        },
    )
    max_events: int = field(
        default=10_000,
        metadata={
            "env": "SEEDLOG_MAX_EVENTS",
            "help": "events of a match, after which it is ended without a winner",
            "least": 1000,
            "most": 1_000_000,
            "read_by": ("api", "archiver", "ai-worker"),
        },
    )
    api_workers: int = field(
        default=1,
        metadata={
            "env": "SEEDLOG_API_WORKERS",
            "help": "API processes",
            "least": 1,
            "most": 64,
            "read_by": API,
        },
    )
    api_threads: int = field(
        default=32,
        metadata={
            "env": "SEEDLOG_API_THREADS",
            "help": "threads of an API process",
            "least": 1,
            "most": 1024,
            "read_by": API,
        },
    )
    ai_workers: int = field(
        default=2,
        metadata={
            "env": "SEEDLOG_AI_WORKERS",
            "help": "AI worker processes of `up`",
            "least": 0,
            "most": 256,
            "read_by": (),
        },
    )
    max_body: int = field(
        default=64 * 1024,
        metadata={
            "env": "SEEDLOG_MAX_BODY",
            "help": "largest request body, in bytes",
            "least": 1024,
            "most": 2**26,
            "read_by": API,
        },
    )
    max_import: int = field(
        default=4 * 1024 * 1024,
        metadata={
            "env": "SEEDLOG_MAX_IMPORT",
            "help": "largest export that may be imported, in bytes",
            "least": 1024,
            "most": 2**28,
            "read_by": API,
        },
    )
    guests_per_address: int = field(
        default=60,
        metadata={
            "env": "SEEDLOG_GUESTS_PER_ADDRESS",
            "help": "matches an hour that the page opens for one address; 0: no page",
            "least": 0,
            "most": 10**9,
            "read_by": API,
        },
    )
    guests_total: int = field(
        default=2000,
        metadata={
            "env": "SEEDLOG_GUESTS_TOTAL",
            "help": "matches an hour that the page opens for everybody together",
            "least": 0,
            "most": 10**9,
            "read_by": API,
        },
    )
    trusted_proxies: int = field(
        default=0,
        metadata={
            "env": "SEEDLOG_TRUSTED_PROXIES",
            "help": "reverse proxies in front, whose X-Forwarded-For is believed",
            "least": 0,
            "most": 16,
            "read_by": API,
        },
    )


def from_environment(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings, and check each, and those that belong together.

    :raises InvalidSetting: one cannot be used; says what it should be.
    """
    environment = os.environ if environment is None else environment
    given: dict[str, Any] = {}
    for setting in fields(Settings):
        name = setting.metadata["env"]
        text = environment.get(name, "")
        if text:
            given[setting.name] = _read(name, text, setting.default, setting.metadata)
    settings = Settings(**given)
    _check_redis("REDIS_URL", settings.redis_url)
    _check_redis("QUEUE_URL", settings.queue_url)
    _check_addresses("SEEDLOG_STREAM_URL", settings.stream_url)
    _check_addresses("SEEDLOG_STREAM_ORIGINS", settings.stream_origins)
    threads = settings.api_workers * settings.api_threads
    if threads > MOST_API_THREADS:
        raise InvalidSetting(
            "SEEDLOG_API_WORKERS times SEEDLOG_API_THREADS must be at most "
            f"{MOST_API_THREADS}, not {settings.api_workers} times "
            f"{settings.api_threads} = {threads}"
        )
    return settings


def _read(name: str, text: str, default: object, metadata: Mapping[str, Any]) -> object:
    if isinstance(default, Path):
        return Path(text)
    if not isinstance(default, int):
        return text
    least, most = metadata["least"], metadata["most"]
    is_number = text.isascii() and text.isdigit() and len(text) < 20
    if not is_number or not least <= int(text) <= most:
        raise InvalidSetting(
            f"{name} must be a whole number from {least} to {most}, not {text[:40]!r}"
        )
    return int(text)


def _check_redis(name: str, url: str) -> None:
    """Refuse what would be taken for another host than was meant, and waited for.

    The message does not repeat the URL, for it may hold a password.
    """
    if not url or re.fullmatch(r"unix://[^#]*", url):
        return
    try:
        parts = urlsplit(url)
        is_right = bool(
            parts.scheme in ("redis", "rediss")
            and parts.hostname
            and parts.port != 0
            and re.fullmatch(r"(/\d*)?", parts.path)
            and not parts.fragment
            and "#" not in url
        )
    except ValueError:  # a port that is no number, or brackets
        is_right = False
    if not is_right:
        raise InvalidSetting(
            f"{name} must be redis://:PASSWORD@HOST:PORT/NUMBER (or rediss://, or "
            "unix://PATH), and a password in it percent-encoded: @ is %40, / is %2F, "
            "# is %23, ? is %3F, [ is %5B, ] is %5D and % is %25"
        )


def _check_addresses(name: str, addresses: str) -> None:
    for address in addresses.split():
        if address != "*" and not re.match(r"https?://[^/\s]", address):
            raise InvalidSetting(
                f"{name} must begin with http:// or https://, not {address!r}"
            )
