"""A check whether this Python can start threads; in a browser it cannot."""

from __future__ import annotations

from functools import cache
from threading import Thread


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
