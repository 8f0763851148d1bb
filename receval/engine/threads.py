"""Work in threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any

THREADS = 4  # at most; each has a block of its own in memory


def map_in_threads(work: Callable[[Any], Any], parts: Iterable[Any]) -> Iterator[Any]:
    """``work`` on each part, in threads, answered in the order of the parts.

    Most of the time goes by in NumPy, which lets other threads run meanwhile. When one part is
    refused, those that wait are left.
    """
    parts = list(parts)
    workers = min(THREADS, os.cpu_count() or 1, len(parts) // 2)
    if workers < 2:
        yield from map(work, parts)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(work, parts)
