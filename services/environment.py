"""The settings as environment variables, or files that these name, give them."""

import os
from collections.abc import Mapping
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from services.settings import OWN, InvalidSetting, Settings, variable_of

MOST_API_THREADS = 2048
"""Of all API processes together: their container has room for so many."""

OF_TRACES = "OTEL_"
"""What the names of OpenTelemetry begin with, which has many of its own."""

SHORTEST_SECRET = 32
"""In characters: whoever guesses the secret can play for everybody."""


def from_environment(environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings, and check each, and those that belong together.

    :raises InvalidSetting: some cannot be used; says of each what it should be.
    """
    environment = os.environ if environment is None else environment
    given: dict[str, Any] = {}
    wrong: list[str] = []
    for known in fields(Settings):
        name, check = variable_of(known), known.metadata["check"]
        text = environment.get(name, "")
        if known.metadata["is_secret"]:
            try:
                file = environment.get(f"{name}_FILE", "")
                may_be_empty = known.metadata["may_be_empty"]
                text = _secret(name, text, file, may_be_empty=may_be_empty)
            except InvalidSetting as error:
                wrong.append(str(error))
                continue
        if text:
            if check and (complaint := check(text)):
                wrong.append(f"{name} {complaint}")
            else:
                kind: Any = type(known.default)
                given[known.name] = kind(text)
    settings = Settings(**given)
    wrong += filter(None, (_too_many_threads(settings), _two_answers(settings)))
    if wrong:
        said = "\n".join([*wrong, *weaknesses(settings, environment)])
        raise InvalidSetting(said, settings)
    return settings


def _secret(name: str, text: str, file: str, *, may_be_empty: bool) -> str:
    """Return what is given as it is, or stands in a file; the end of a line aside."""
    if not file:
        return text
    if text:
        raise InvalidSetting(f"{name}_FILE is set, and {name} too: one is enough")
    try:
        held = Path(file).read_text("utf-8").rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is no text"
        raise InvalidSetting(f"{name}_FILE cannot be read: {file} ({why})") from error
    if not held and not may_be_empty:
        raise InvalidSetting(f"{name}_FILE is empty: {file}")
    return held


def _too_many_threads(settings: Settings) -> str:
    threads = settings.api_workers * settings.api_threads
    if threads <= MOST_API_THREADS:
        return ""
    return (
        "SEEDLOG_API_WORKERS times SEEDLOG_API_THREADS must be at most "
        f"{MOST_API_THREADS}, not {settings.api_workers} times "
        f"{settings.api_threads} = {threads}"
    )


def _two_answers(settings: Settings) -> str:
    if not (settings.origins and settings.stream_origins):
        return ""
    return (
        "SEEDLOG_ORIGINS is for API and streams: name all origins there, and leave "
        "SEEDLOG_STREAM_ORIGINS out"
    )


def weaknesses(settings: Settings, environment: Mapping[str, str]) -> list[str]:
    """Say what can be used, and should not stay as it is.

    That a secret is short is no refusal: another one voids the seat tokens of matches
    that are running. Nor is a name that nobody reads: the Docker stack has names of its
    own.
    """
    said = [
        f"{name} is not a setting: is it {meant}?"
        for name, meant in _misspelt(environment).items()
    ]
    said += [
        f"{name}_FILE is not read: only what is secret may stand in a file; set {name}"
        for known in fields(Settings)
        if f"{(name := variable_of(known))}_FILE" in environment
        and not known.metadata["is_secret"]
    ]
    if 0 < len(settings.secret) < SHORTEST_SECRET:
        said.append(
            f"SEEDLOG_SECRET should have at least {SHORTEST_SECRET} characters, not "
            f"{len(settings.secret)}: who has a seat token can try to guess it. "
            "`openssl rand -hex 32` makes one; it voids the tokens that are out"
        )
    return said


def _misspelt(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that nobody reads, each with the setting it resembles."""
    names = [variable_of(known) for known in fields(Settings)]
    files = {
        f"{variable_of(known)}_FILE"
        for known in fields(Settings)
        if known.metadata["is_secret"]
    }
    ours = {*names, *files}
    foreign = [name for name in sorted(ours) if not name.startswith(OWN)]
    found = {}
    for name in sorted(environment.keys() - ours):
        word = name.upper()
        if word.startswith(OWN):
            close = get_close_matches(word, sorted(ours), n=1, cutoff=0.9)
        elif word.startswith(OF_TRACES):
            continue
        else:  # another program may read it: only where what may be meant is not set
            unset = [known for known in foreign if known not in environment]
            close = get_close_matches(word, unset, n=1, cutoff=0.85)
        if close:
            found[name] = close[0]
    return found
