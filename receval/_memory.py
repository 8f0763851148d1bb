"""Return freed memory to the system."""

from __future__ import annotations

import sys


def return_freed_memory() -> None:
    """Return freed memory to the system, if the C library has a function for it.

    The C library of Linux keeps freed blocks for later, but then asks the system for new memory if
    the next array is too large for them. For 10^7 rows, these blocks take some 50 MB after the
    tables are joined, and 15 MB after they are measured.
    """
    if sys.platform != "linux":
        return
    import ctypes

    c_library = ctypes.CDLL(None)
    # The function belongs to the GNU C library. Alpine Linux, for example, has another one.
    if hasattr(c_library, "malloc_trim"):
        c_library.malloc_trim(0)
