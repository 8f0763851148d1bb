"""Columns of text that a file holds, as numbers where every text is written as one."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import LARGEST

DIGITS = b"0123456789-"
SIGNS = b"0123456789+-.eEinf"  # of decimal numbers, with inf
PROBE = 1000  # texts tried before all of them: a cast takes a microsecond for each that fails


def table_as_written(columns: Mapping[str, Any]) -> pd.DataFrame:
    """Arrow's texts by column as a table; see `as_written`."""
    with ThreadPoolExecutor() as pool:
        return pd.DataFrame(dict(zip(columns, pool.map(as_written, columns.values()), strict=True)))


def as_written(texts: Any) -> pd.Series:
    """Numbers where every text of an Arrow array is written as one; text otherwise.

    Beside a gap whole numbers become decimal, which have them up to 2^53 and not all beyond.
    """
    given = texts.drop_null()
    found: npt.NDArray[Any] | None = whole_numbers(given)
    if found is None:
        found = decimals(given)
    elif texts.null_count and max(-int(found.min(initial=0)), int(found.max(initial=0))) > LARGEST:
        found = None
    if found is None or not found.size:
        return pd.Series(texts.to_pandas())
    if texts.null_count:
        padded = np.full(len(texts), np.nan)
        padded[texts.is_valid().to_numpy(zero_copy_only=False)] = found
        found = padded
    return pd.Series(found, copy=False)


def whole_numbers(texts: Any) -> npt.NDArray[np.int64] | None:
    """As 64 bits, or None if any is written in another way, as "007" is, or is beyond."""
    import pyarrow as pa

    found: Any = None
    for some in (texts[:PROBE], texts):
        found = None if used_beside(some, DIGITS) else _cast(some, pa.int64())
        if found is None or not found.cast(texts.type).equals(some):
            return None
    return np.asarray(found)


def decimals(texts: Any) -> npt.NDArray[np.float64] | None:
    """As float64, or None if any is no number of it, or may be an id: "007", fifty digits."""
    import pyarrow as pa
    import pyarrow.compute as pc

    digits = not used_beside(texts, DIGITS)  # only -0 among them is no whole number
    if used_beside(texts, SIGNS) or (digits and not pc.any(pc.equal(texts, "-0")).as_py()):
        return None
    plain = texts
    if pc.any(pc.starts_with(texts, "+")).as_py():  # which Arrow does not know
        plain = pc.replace_substring_regex(texts, r"^\+([0-9.i])", r"\1")
    found = _cast(plain, pa.float64())
    if found is None:
        return None
    whole = texts.filter(pc.invert(pc.match_substring(texts, ".")))
    if pc.any(pc.match_substring_regex(whole, "^-?0[0-9]+$")).as_py():
        return None
    numbers: npt.NDArray[np.float64] = found.to_numpy()
    beyond = texts.filter(pa.array(np.isinf(numbers)))  # 1e999 is no number of float64
    if not pc.all(pc.match_substring(beyond, "inf"), min_count=0).as_py():
        return None
    return None if digits and np.abs(numbers).max() >= LARGEST else numbers


def used_beside(texts: Any, signs: bytes) -> bytes:
    """The bytes that texts hold beside some."""
    ends, data = texts.buffers()[1:]
    first, last = np.frombuffer(ends, np.int64)[[texts.offset, texts.offset + len(texts)]]
    return data[first:last].to_pybytes().translate(None, signs) if last > first else b""


def _cast(texts: Any, kind: Any) -> Any:
    """As numbers, or None."""
    import pyarrow as pa

    try:
        texts[:PROBE].cast(kind)
        return texts.cast(kind)
    except pa.ArrowInvalid:
        return None
