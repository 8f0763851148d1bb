"""A check whether this Python has threads; in a browser it has none."""

from __future__ import annotations

from functools import cache
from threading import Thread


@cache
def can_start_threads() -> bool:
    """Return whether this Python can start a thread; tried once."""
    try:
        thread = Thread(target=int)  # any function that returns at once
        thread.start()
    except RuntimeError:  # Python in WebAssembly, as in JupyterLite
        return False
    thread.join()
    return True
