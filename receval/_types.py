"""Names of types that many signatures share."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, Union

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

AnyArray: TypeAlias = npt.NDArray[Any]
"""An array whose dtype depends on the data: ids, unconverted scores, columns of a table."""

BoolArray: TypeAlias = npt.NDArray[np.bool_]
"""A mask."""

Id: TypeAlias = Hashable
"""The id of a user, an item, a query or a system: a text or a number."""

Options: TypeAlias = dict[str, Any]
"""Keyword arguments that are passed on, or the parameters of a measure or convention, by name."""

Record: TypeAlias = dict[str, Any]
"""The content of a JSON or TOML table."""

UserFunction: TypeAlias = Callable[..., Any]
"""A function that the user wrote; receval checks what it returns."""

FilePath: TypeAlias = Union[str, "os.PathLike[str]"]
"""The path of a file."""


class ArrowStream(Protocol):
    """A table that shares its columns through the Arrow interface: Polars, Arrow, DuckDB."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


TableLike: TypeAlias = Union[
    "pd.DataFrame", "pd.Series", ArrowStream, Mapping[Any, Any], str, "os.PathLike[str]"
]
"""A table as users pass it: a frame, a dict, or the path of a file."""
