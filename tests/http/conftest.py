"""One whole stack for everything that is thrown at it."""

from collections.abc import Iterator

import pytest

from tests.support.stack import Stack, running_stack

UNLIMITED = "100000000"


@pytest.fixture(scope="package")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    limits = {"GUESTS_PER_ADDRESS": UNLIMITED, "GUESTS_TOTAL": UNLIMITED}
    limits["AI_WORKERS"] = "0"  # nobody waits for a reply
    for rate in ("PER_KEY", "PER_TOKEN", "PER_ADDRESS", "GUESSES", "ANALYSES"):
        limits[f"RATE_{rate}"] = UNLIMITED
    settings = {f"SEEDLOG_{name}": value for name, value in limits.items()}
    with running_stack(tmp_path_factory.mktemp("stack"), **settings) as running:
        yield running
