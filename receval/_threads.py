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
    is_browser = sys.platform == "emscripten"  # as in JupyterLite
    if n_threads < 2 or is_browser:
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
    shown_by_default: bool = False,
    **options: Any,
) -> tqdm[Any]:
    """Return a tqdm bar over an iterable, shown or hidden; ``options`` are passed to tqdm.

    If the user sets ``progress`` to True or False, that decides whether the bar is shown. If it is
    None, the bar is shown on a terminal, or if ``shown_by_default`` is True. A notebook shows no
    bar unless the user asks for one, because the bar would be saved with the outputs. A program
    without a standard error stream, such as one that ``pythonw`` runs, never shows one. If there is
    no iterable, the caller moves the bar with the bar's method ``update``.
    """
    from tqdm import tqdm

    class Bar(tqdm):  # type: ignore[type-arg]  # tqdm is generic for type checkers only
        """A bar without tqdm's monitor, because the monitor is a thread and a browser has none."""

        monitor_interval = 0

    if progress is None:
        is_notebook = "ipykernel" in sys.modules  # `sys.stderr` claims to be a terminal there
        is_terminal = sys.stderr is not None and sys.stderr.isatty()
        progress = (shown_by_default or is_terminal) and not is_notebook
    is_shown = check_flag(progress, "progress") and sys.stderr is not None
    return Bar(iterable, disable=not is_shown, **options)
