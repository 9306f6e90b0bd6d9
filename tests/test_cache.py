"""What a process remembers has bounds, of one kind everywhere."""

import re
import threading
from pathlib import Path

import pytest

from services.cache import Cache

ROOT = Path(__file__).parents[1]


def test_what_was_not_used_for_longest_makes_room() -> None:
    cache: Cache[str, int] = Cache(2)
    cache.put("a", 1)
    cache.put("b", 2)
    assert cache.get("a") == 1

    cache.put("c", 3)

    assert [cache.get(key) for key in "abc"] == [1, None, 3]


def test_a_value_of_many_events_takes_the_room_of_many() -> None:
    """A match of 10,000 events is not kept as often as one of 60."""
    cache: Cache[int, list[int]] = Cache(256, events=len)
    for number in range(300):
        cache.put(number, [0] * 60)
    assert sum(cache.get(n) is not None for n in range(300)) == 256

    for number in range(1000, 1010):
        cache.put(number, [0] * 10_000)

    kept = [cache.get(n) for n in (*range(300), *range(1000, 1010))]
    assert sum(len(value) for value in kept if value) <= 256 * 64


def test_what_is_larger_than_all_room_is_not_kept() -> None:
    cache: Cache[str, list[int]] = Cache(4, events=len)
    cache.put("a", [0])

    assert len(cache.put("a", [0] * 1000)) == 1000

    assert cache.get("a") is None


def test_what_is_too_old_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    cache: Cache[str, int] = Cache(2, life_s=0.0)

    cache.put("a", 1)

    assert cache.get("a") is None


def test_threads_share_one() -> None:
    cache: Cache[int, int] = Cache(8)
    failures: list[Exception] = []

    def work(first: int) -> None:
        try:
            for number in range(2000):
                cache.put((first + number) % 32, number)
                cache.get(number % 32)
        except Exception as failure:  # noqa: BLE001
            failures.append(failure)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert failures == []
    assert sum(cache.get(number) is not None for number in range(32)) <= 8


def test_nobody_keeps_a_cache_of_another_kind() -> None:
    """One by hand forgets its lock, its bound or how large a match may be."""
    spelled = re.compile(r"OrderedDict|cachetools|popitem\(")
    found = [
        str(path.relative_to(ROOT))
        for room in ("services", "workers")
        for path in (ROOT / room).rglob("*.py")
        if spelled.search(path.read_text("utf-8"))
    ]

    assert found == ["services/cache.py"]
