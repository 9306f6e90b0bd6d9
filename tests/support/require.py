"""Tests that need a real thing skip without it, unless it is required."""

import os
from typing import NoReturn

import pytest


def is_required(thing: str) -> bool:
    """Tell whether ``SEEDLOG_REQUIRE`` names the thing."""
    return thing in os.environ.get("SEEDLOG_REQUIRE", "").split(",")


def skip_without(thing: str, reason: str) -> NoReturn:
    """Skip the test; fail it where ``SEEDLOG_REQUIRE`` names the thing."""
    if is_required(thing):
        pytest.fail(f"{thing} is required here, but: {reason}")
    pytest.skip(f"needs {thing}: {reason}")
