"""Gives memory back to the system after work that took much of it at once.

The allocator of glibc keeps what was freed: for each thread a heap of its own, and
large blocks in it too, once a few of these were freed. Requests of 4 MB on 32 threads
left hundreds of megabytes with the process, none of them in use. Elsewhere than on
glibc nothing is done.
"""

import ctypes
import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8
LARGE_BYTES = 256 * 1024
HEAPS = 2
AT_ONCE = 2  # more of it would not be done sooner: there is one interpreter

_places = threading.BoundedSemaphore(AT_ONCE)


def keep_heaps_small() -> None:
    """Let large blocks be taken from the system one by one, and threads share heaps.

    It is for the whole process, and for heaps that are yet to be made: do it first.
    """
    if (set_option := getattr(_c_library(), "mallopt", None)) is not None:
        set_option(M_MMAP_THRESHOLD, LARGE_BYTES)
        set_option(M_ARENA_MAX, HEAPS)


def keep_what_is_made() -> None:
    """Never look again for garbage in what there is now: it lives as long as all this.

    Otherwise each full collection goes through the modules, the contract and the texts,
    while a request waits.
    """
    gc.collect()
    gc.freeze()


@contextmanager
def much_memory() -> Iterator[None]:
    """Do what takes much memory, after others who do, and give it back at the end."""
    with _places:
        try:
            yield
        finally:
            gc.collect(0)  # exceptions hold what they were raised from
            if (trim := getattr(_c_library(), "malloc_trim", None)) is not None:
                trim(0)


@cache
def _c_library() -> Any:
    return ctypes.CDLL(None)
