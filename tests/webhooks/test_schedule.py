"""When a delivery is tried again."""

import pytest

from services.webhooks.schedule import (
    ATTEMPTS,
    JITTER,
    RETRIES_MS,
    parse_retry_after,
    retry_in_ms,
)

NOW_MS = 1_795_262_400_000  # 2026-11-21T12:00:00.000Z
HOUR_MS = 3_600_000


def test_the_schedule_is_that_of_standard_webhooks() -> None:
    waits_s = [retry_in_ms(tries, chance=lambda: 0) for tries in range(1, ATTEMPTS)]

    minutes = [5, 30]
    hours = [2, 5, 10, 14, 20, 24]
    assert waits_s == [5_000, *(m * 60_000 for m in minutes),
                       *(h * HOUR_MS for h in hours)]  # fmt: skip
    assert retry_in_ms(ATTEMPTS) is None


def test_chance_makes_it_later_and_never_sooner() -> None:
    for tries, wait_ms in enumerate(RETRIES_MS, start=1):
        found = retry_in_ms(tries)
        assert found is not None
        assert wait_ms <= found <= wait_ms * (1 + JITTER)


@pytest.mark.parametrize(
    ("asked_ms", "wait_ms"),
    [(None, 5_000), (1_000, 5_000), (60_000, 60_000), (48 * HOUR_MS, 24 * HOUR_MS)],
)
def test_a_receiver_can_ask_for_more_time_within_reason(
    asked_ms: int | None, wait_ms: int
) -> None:
    assert retry_in_ms(1, asked_ms, chance=lambda: 0) == wait_ms


@pytest.mark.parametrize(
    ("text", "wait_ms"),
    [
        ("120", 120_000),
        (" 0 ", 0),
        ("9" * 400, 24 * HOUR_MS),
        ("Sat, 21 Nov 2026 12:01:00 GMT", 60_000),
        ("Sat, 21 Nov 2026 11:00:00 GMT", 0),
        ("soon", None),
        ("-5", None),
        ("", None),
        ("Sat, 99 Nov 2026 99:00:00 GMT", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(text: str, wait_ms: int | None) -> None:
    assert parse_retry_after(text, NOW_MS) == wait_ms
