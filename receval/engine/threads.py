"""Run a function on many parts in threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from receval._threads import can_start_threads

THREADS = 4
"""The largest number of threads; each has a block in memory."""

Part = TypeVar("Part")
Result = TypeVar("Result")


def map_in_threads(work: Callable[[Part], Result], parts: Iterable[Part]) -> Iterator[Result]:
    """Yield ``work(part)`` for each part, in the order of the parts.

    Threads help because NumPy does most of the work, and lets other threads run meanwhile. If
    ``work`` raises an error, no further parts are started. In a browser, which has no threads, the
    parts run one after the other.
    """
    parts = list(parts)
    # With fewer than two parts for each thread, threads would save too little time.
    n_threads = min(THREADS, os.cpu_count() or 1, len(parts) // 2)
    if n_threads < 2 or not can_start_threads():
        yield from map(work, parts)
        return
    from concurrent.futures import ThreadPoolExecutor

    # After an error, the iterator of `pool.map` cancels the parts that have not begun.
    with ThreadPoolExecutor(n_threads) as pool:
        yield from pool.map(work, parts)
