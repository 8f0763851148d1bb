"""Numbers of 64 bits for texts of any length: equal texts have equal ones, others hardly ever."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # a factor with bits all over
FIRST = np.array([2 ** (8 * n) - 1 for n in range(9)], np.uint64)  # the first n bytes of a word
ROWS = 1 << 14  # texts at a time: what is computed from them stays in the cache
LONGEST = 1024  # bytes that are looked at: one very long text shall not cost more than many


def text_keys(texts: Any) -> npt.NDArray[np.uint64]:
    """The key of each text of an Arrow array (of ``large_string``).

    A key depends on its own text only, and never on those beside it.
    """
    ends, data = _layout(texts)
    keys = np.empty(len(texts), np.uint64)
    for low in range(0, keys.size, ROWS):
        some = keys[low : low + ROWS]
        _fill(some, ends[low : low + some.size + 1], data)
    return keys


def keys_suffice(texts: Any) -> bool:
    """Whether unlike texts have unlike keys: eight bytes or fewer, none of them 0, are the key."""
    ends, data = _layout(texts)
    short = np.diff(ends).max(initial=0) <= 8
    return bool(short and data[ends[0] : ends[-1]].min(initial=1) > 0)


def _layout(texts: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.uint8]]:
    """Where texts begin and the last one ends, and their bytes, which are not copied."""
    if not len(texts):
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    _, ends, data = texts.buffers()
    ends = np.frombuffer(ends, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return ends, np.frombuffer(data or b"", np.uint8)


def _fill(keys: npt.NDArray[np.uint64], ends: npt.NDArray[Any], data: npt.NDArray[Any]) -> None:
    """Mix one word of eight bytes after the other into the keys of the texts that go on so far."""
    start, length = ends[:-1] - ends[0], np.diff(ends)
    padded = np.append(data[ends[0] : ends[-1]], np.zeros(8, np.uint8))
    words = np.ndarray((padded.size - 7,), np.uint64, padded, strides=(1,))  # one at every byte
    least, most = int(length.min()), int(length.max())
    keys[:] = np.where(length > 8, length, 0) if most > 8 else 0
    for at in range(0, min(most, LONGEST), 8):
        rows: Any = slice(None)
        left: Any = most - at
        if least == most:  # a table of bytes: read by stride and not by index, thrice as fast
            word = np.ndarray(keys.shape, np.uint64, padded, at, (most,))
        else:
            rows = rows if at < least else np.flatnonzero(length > at)
            word, left = words[start[rows] + at], length[rows] - at
        key = keys[rows]
        if at:
            key *= HASH_MULTIPLIER
            key ^= key >> np.uint64(32)
        keys[rows] = key ^ (word & FIRST[np.minimum(left, 8)])
