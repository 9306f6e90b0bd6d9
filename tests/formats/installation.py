"""A recorded installation, and the code of today upon it."""

from dataclasses import dataclass
from typing import Any

from services.bootstrap import Services
from tests.formats.dump import Dump
from tests.support.samples import SAMPLES

INSTALLATION = SAMPLES / "installation"


@dataclass(frozen=True)
class Installation:
    """What was recorded of an installation, and today's code upon it.

    ``answers`` is what its app was told and has kept.
    """

    services: Services
    redis: Dump
    queue: Dump
    answers: dict[str, Any]
