"""What is examined, and what a check has found."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from services.bootstrap import Services, connect
from services.settings import Settings

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


def either(is_well: bool, what: str, ailment: Finding) -> Finding:
    """Return that something is well, or else what ails it."""
    return Finding("ok", what) if is_well else ailment
