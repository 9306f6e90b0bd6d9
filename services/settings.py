"""Every setting of every process: an environment variable, a default, a meaning."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any


class InvalidSetting(Exception):
    """An environment variable holds something else than it should."""


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings of one process; each field says its variable and its meaning."""

    port: int = field(
        default=8000,
        metadata={"env": "SEEDLOG_PORT", "help": "port of the API and the page"},
    )
    host: str = field(
        default="127.0.0.1",
        metadata={"env": "SEEDLOG_HOST", "help": "address the API listens on"},
    )
    hosts: str = field(
        default="",
        metadata={
            "env": "SEEDLOG_HOSTS",
            "help": "names of this host that requests may be for; without it any",
        },
    )
    stream_port: int = field(
        default=8001,
        metadata={"env": "SEEDLOG_STREAM_PORT", "help": "port of the streams"},
    )
    stream_url: str = field(
        default="",
        metadata={
            "env": "SEEDLOG_STREAM_URL",
            "help": "where clients reach the streams; without it that port of the host",
        },
    )
    stream_origins: str = field(
        default="",
        metadata={
            "env": "SEEDLOG_STREAM_ORIGINS",
            "help": "origins whose pages may follow; without it those of the same host",
        },
    )
    heartbeat_s: int = field(
        default=15,
        metadata={
            "env": "SEEDLOG_HEARTBEAT_S",
            "help": "seconds between the heartbeats of a stream",
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
        },
    )
    replicas: int = field(
        default=0,
        metadata={
            "env": "SEEDLOG_REPLICAS",
            "help": "Redis replicas that must hold an event before it is acknowledged",
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
        },
    )
    abandon_after_hours: int = field(
        default=720,
        metadata={
            "env": "SEEDLOG_ABANDON_AFTER_HOURS",
            "help": "hours without an event that end a match as abandoned",
        },
    )
    max_events: int = field(
        default=10_000,
        metadata={
            "env": "SEEDLOG_MAX_EVENTS",
            "help": "events of a match, after which it is ended without a winner",
        },
    )
    api_workers: int = field(
        default=1,
        metadata={"env": "SEEDLOG_API_WORKERS", "help": "API processes"},
    )
    api_threads: int = field(
        default=32,
        metadata={"env": "SEEDLOG_API_THREADS", "help": "threads of an API process"},
    )
    ai_workers: int = field(
        default=2,
        metadata={"env": "SEEDLOG_AI_WORKERS", "help": "AI worker processes of `up`"},
    )
    max_body: int = field(
        default=64 * 1024,
        metadata={
            "env": "SEEDLOG_MAX_BODY",
            "help": "largest request body, in bytes",
        },
    )
    max_import: int = field(
        default=4 * 1024 * 1024,
        metadata={
            "env": "SEEDLOG_MAX_IMPORT",
            "help": "largest export that may be imported, in bytes",
        },
    )
    guests_per_address: int = field(
        default=60,
        metadata={
            "env": "SEEDLOG_GUESTS_PER_ADDRESS",
            "help": "matches an hour that the page opens for one address; 0: no page",
        },
    )
    guests_total: int = field(
        default=2000,
        metadata={
            "env": "SEEDLOG_GUESTS_TOTAL",
            "help": "matches an hour that the page opens for everybody together",
        },
    )
    trusted_proxies: int = field(
        default=0,
        metadata={
            "env": "SEEDLOG_TRUSTED_PROXIES",
            "help": "reverse proxies in front, whose X-Forwarded-For is believed",
        },
    )


def from_environment(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings.

    :raises InvalidSetting: a variable is not of its kind; says what it should be.
    """
    environment = os.environ if environment is None else environment
    given: dict[str, Any] = {}
    for setting in fields(Settings):
        name = setting.metadata["env"]
        text = environment.get(name, "")
        if text:
            given[setting.name] = _read(name, text, setting.default)
    return Settings(**given)


def _read(name: str, text: str, default: object) -> object:
    if isinstance(default, Path):
        return Path(text)
    if not isinstance(default, int):
        return text
    if not (text.isascii() and text.isdigit()):
        raise InvalidSetting(f"{name} must be a whole number from 0, not {text!r}")
    return int(text)
