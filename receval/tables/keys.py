"""64-bit keys of texts: equal texts have equal keys, and unequal texts almost never do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from receval._checks import IntArray

if TYPE_CHECKING:
    import pyarrow as pa

KeyArray = npt.NDArray[np.uint64]
ByteArray = npt.NDArray[np.uint8]

HASH_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
"""An odd number whose set bits are spread over the whole word, as multiplicative hashing needs."""

BYTE_MASKS = np.array([2 ** (8 * n) - 1 for n in range(9)], np.uint64)
"""The mask at position n keeps the first n bytes of a little-endian word."""

BATCH_SIZE = 1 << 14
"""Number of texts hashed at a time, so that the temporary arrays fit into the processor's cache."""

MAX_BYTES = 1024
"""Number of bytes of a text that are hashed, so that a very long text doesn't take much time."""


def text_keys(texts: pa.LargeStringArray) -> KeyArray:
    """Return the key of each text in an Arrow array of type ``large_string``.

    A key depends on the text alone, not on the other texts of the array.
    """
    offsets, data = _text_buffers(texts)
    keys = np.empty(len(texts), np.uint64)
    for start in range(0, keys.size, BATCH_SIZE):
        batch = keys[start : start + BATCH_SIZE]
        _fill_keys(batch, offsets[start : start + batch.size + 1], data)
    return keys


def keys_suffice(texts: pa.LargeStringArray) -> bool:
    """Return whether unequal texts are certain to have unequal keys.

    This is so if all texts have at most eight bytes, because the bytes of such a text are its key.
    No byte may be 0, because the keys of shorter texts are padded with 0.
    """
    offsets, data = _text_buffers(texts)
    are_short = np.diff(offsets).max(initial=0) <= 8
    has_zero = data[offsets[0] : offsets[-1]].min(initial=1) == 0
    return bool(are_short and not has_zero)


def _text_buffers(texts: pa.LargeStringArray) -> tuple[IntArray, ByteArray]:
    """Return the buffers of an Arrow array without copying them.

    Text i consists of the bytes ``data[offsets[i] : offsets[i + 1]]``.
    """
    if not len(texts):
        return np.zeros(1, np.int64), np.empty(0, np.uint8)
    # The first buffer marks missing texts, and here no text is missing.
    _, offset_buffer, data_buffer = texts.buffers()
    offsets = np.frombuffer(offset_buffer, np.int64)
    # The array may be a slice of a longer one, whose buffers it shares.
    offsets = offsets[texts.offset : texts.offset + len(texts) + 1]
    return offsets, np.frombuffer(data_buffer or b"", np.uint8)


def _fill_keys(keys: KeyArray, offsets: IntArray, data: ByteArray) -> None:
    """Write the keys of some texts into ``keys``, an array with an entry per text.

    Text i consists of the bytes ``data[offsets[i] : offsets[i + 1]]``; there is at least one text.
    The function reads the texts in words of eight bytes. In each step, it mixes the next word of
    every text into the text's key, unless the text has ended. Of a very long text, only the length
    and the first `MAX_BYTES` bytes count.
    """
    start = offsets[:-1] - offsets[0]  # the first byte of each text in `padded` below
    length = np.diff(offsets)
    # With eight bytes of padding, the last byte of the last text begins a full word, too.
    padded = np.append(data[offsets[0] : offsets[-1]], np.zeros(8, np.uint8))
    # In this view, the words overlap: element b is the word that begins at byte b.
    word_at_byte = np.ndarray((padded.size - 7,), np.uint64, buffer=padded, strides=(1,))
    shortest = int(length.min())
    longest = int(length.max())

    # Padding is 0, so texts of different lengths may have the same words. Therefore, if a text is
    # longer than a word, its key starts as the length of the text. The key of a shorter text is its
    # only word, so it starts as 0.
    if longest > 8:
        keys[:] = np.where(length > 8, length, 0)
    else:
        keys[:] = 0
    for position in range(0, min(longest, MAX_BYTES), 8):
        rows: slice | IntArray = slice(None)
        n_bytes_left: int | IntArray
        if shortest == longest:
            # If all texts have the same length, they form a table of bytes. A strided view of it is
            # about three times as fast as an index.
            word = np.ndarray(
                keys.shape, np.uint64, buffer=padded, offset=position, strides=(longest,)
            )
            n_bytes_left = longest - position
        else:
            if position >= shortest:
                rows = np.flatnonzero(length > position)
            word = word_at_byte[start[rows] + position]
            n_bytes_left = length[rows] - position
        key = keys[rows]
        if position > 0:  # scramble the key of the words so far
            key *= HASH_MULTIPLIER
            key ^= key >> np.uint64(32)
        # The mask drops bytes of the next text.
        keys[rows] = key ^ (word & BYTE_MASKS[np.minimum(n_bytes_left, 8)])
