"""Run a function on many parts in threads, and show a progress bar."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from receval._checks import check_flag

if TYPE_CHECKING:
    from tqdm import tqdm  # slow to import, and rarely needed

THREADS = 4
"""The largest number of threads; each has a block in memory."""

Part = TypeVar("Part")
Result = TypeVar("Result")


def can_start_threads() -> bool:
    """Return whether Python can start a thread; in a browser, as in JupyterLite, it cannot."""
    return sys.platform != "emscripten"


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


def progress_bar(
    progress: object,
    iterable: Iterable[Any] | None = None,
    *,
    shown_by_default: bool | None = None,
    **options: Any,
) -> tqdm[Any]:
    """Return a tqdm bar over an iterable, shown or hidden; ``options`` are passed to tqdm.

    If the user sets ``progress`` to True or False, that decides whether the bar is shown. If it is
    None, ``shown_by_default`` decides; if that is None too, the bar is shown on a terminal. A
    notebook shows no bar unless the user asks for one, because the bar would be saved with the
    outputs. A program without a standard error stream, such as one that ``pythonw`` runs, never
    shows one. If there is no iterable, the caller moves the bar with the bar's method ``update``.
    """
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[type-arg]  # tqdm is generic for type checkers only
        """A bar without tqdm's monitor, because the monitor is a thread and a browser has none."""

        monitor_interval = 0

    is_shown = progress
    if progress is not None:
        is_shown = check_flag(progress, "progress")
    if sys.stderr is None:
        is_shown = False
    if is_shown is None:
        if shown_by_default is None:
            shown_by_default = sys.stderr.isatty()
        # In a notebook, `sys.stderr` claims to be a terminal.
        is_shown = shown_by_default and "ipykernel" not in sys.modules
    return Bar(iterable, disable=not is_shown, **options)
