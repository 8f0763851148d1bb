"""Run a function on many parts in threads, if this Python can start threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from threading import Thread
from typing import TypeVar

THREADS = 4
"""The largest number of threads; each has a block in memory."""

Part = TypeVar("Part")
Result = TypeVar("Result")


@cache
def can_start_threads() -> bool:
    """Return whether this Python can start a thread; only the first call tries it."""
    try:
        thread = Thread(target=int)  # any function that returns at once
        thread.start()
    except RuntimeError:  # Python in WebAssembly, as in JupyterLite
        return False
    thread.join()
    return True


def map_in_threads(
    work: Callable[[Part], Result], parts: Iterable[Part], *, min_parts_per_thread: int = 2
) -> Iterator[Result]:
    """Yield ``work(part)`` for each part, in the order of the parts.

    Threads help because NumPy does most of the work, and lets other threads run meanwhile. If
    ``work`` raises an error, no further parts are started. In a browser, which has no threads, the
    parts run one after the other.

    A thread is started for every ``min_parts_per_thread`` parts. If parts take little time, a
    thread for a single part saves too little.
    """
    parts = list(parts)
    n_threads = min(THREADS, os.cpu_count() or 1, len(parts) // min_parts_per_thread)
    if n_threads < 2 or not can_start_threads():
        yield from map(work, parts)
        return
    from concurrent.futures import ThreadPoolExecutor

    # After an error, the iterator of `pool.map` cancels the parts that have not begun.
    with ThreadPoolExecutor(n_threads) as pool:
        yield from pool.map(work, parts)
