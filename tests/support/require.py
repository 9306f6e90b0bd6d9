"""Tests that need a real thing skip without it, unless it is required."""

import os
from typing import NoReturn

import pytest


def skip_without(thing: str, reason: str) -> NoReturn:
    """Skip the test; fail it where ``SEEDLOG_REQUIRE`` names the thing."""
    required = os.environ.get("SEEDLOG_REQUIRE", "").split(",")
    if thing in required:
        pytest.fail(f"{thing} is required here, but: {reason}")
    pytest.skip(f"needs {thing}: {reason}")
