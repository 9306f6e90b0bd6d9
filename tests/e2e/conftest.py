"""One stack for the tests that only use it, and browsers that visit it."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser

from services.cli.redis_server import free_port
from tests.support.otlp import Collector, collecting
from tests.support.page_driver import Arrive, Visitor, running_browser
from tests.support.stack import ALL_KINDS, Stack, running_stack


@pytest.fixture(scope="package")
def collector() -> Iterator[Collector]:
    """Yield what collects the traces of the stack."""
    with collecting() as collector:
        yield collector


@pytest.fixture(scope="package")
def stack(
    tmp_path_factory: pytest.TempPathFactory, collector: Collector
) -> Iterator[Stack]:
    """Yield a running stack that tells all, with room for as many guests as tests need.

    Its webhooks may go to whoever listens here. It traces what a caller traces.
    """
    data = tmp_path_factory.mktemp("stack")
    telling = {
        "SEEDLOG_METRICS_PORT": str(free_port()),
        "SEEDLOG_ACCESS_LOG": "1",
        "SEEDLOG_WEBHOOK_PRIVATE": "1",
        "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
        "OTEL_TRACES_SAMPLER": "parentbased_always_off",
        "OTEL_BSP_SCHEDULE_DELAY": "100",
    }
    roomy = {"SEEDLOG_GUESTS_PER_ADDRESS": "1000"}
    with running_stack(data, **roomy, **telling, **ALL_KINDS) as stack:
        yield stack


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    with running_browser(chromium) as browser:
        yield browser


@pytest.fixture
def arrive(browser: Browser, stack: Stack) -> Iterator[Arrive]:
    """Open the page in a fresh window; at once calm, unless asked otherwise."""
    contexts = []

    def arriving(**options: Any) -> Visitor:
        context = browser.new_context(**{"reduced_motion": "reduce", **options})
        context.set_default_timeout(20_000)
        contexts.append(context)
        return Visitor.arriving(context, stack.url)

    yield arriving
    for context in contexts:
        context.close()
