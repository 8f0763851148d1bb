"""Tell the C library whether to return freed memory to the system, or to keep it."""

from __future__ import annotations

import sys

KEPT_SIZE = 2**25 - 2**13
"""Just below 32 MB, the greatest size that the C library of Linux takes into account."""


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


def keep_freed_memory() -> None:
    """Let the C library keep up to 64 MB of freed memory for the next arrays.

    The GNU C library returns freed memory to the system as soon as it is more than twice the
    largest block that was freed so far. If measuring some users needs more than that, the memory is
    fetched anew for each block of users, which takes up to 15 % of the time. So this function frees
    a block of the greatest size that counts. Nothing is written into the block, so the system
    doesn't even have to supply its memory.
    """
    if sys.platform != "linux":
        return
    import ctypes

    c_library = ctypes.CDLL(None)
    c_library.malloc.argtypes = [ctypes.c_size_t]
    c_library.malloc.restype = ctypes.c_void_p
    c_library.free.argtypes = [ctypes.c_void_p]
    c_library.free(c_library.malloc(KEPT_SIZE))
