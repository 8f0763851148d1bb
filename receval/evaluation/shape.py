"""The shape of a result: a value of every user or query, and what can be seen in them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from receval._checks import check_choice, refusal, shorten
from receval._files import check_writable
from receval.engine import file
from receval.evaluation import comparing, report
from receval.evaluation.markup import in_words
from receval.tables.formats import write_table

ENDINGS = (".csv", ".tsv", ".parquet", ".json")


def flat(name: object) -> str:
    """The name of a measure in small letters, digits, points and underscores."""
    return re.sub(r"[^a-z0-9.]+", "_", str(name).lower().replace("@", "_at_")).strip("_")


class Result:
    """Systems judged user by user or query by query: what all such results can show.

    Each has ``systems``, ``measures`` and ``values(system, measures)``, and with a row for each
    system ``summary``, ``n`` and ``counts``. ``_names(measures)`` are the columns of some measures,
    ``_notes(digits)`` is what has to be said under a table. ``_rows`` are all values as a frame,
    ``_record`` all else as JSON has it, and ``_of(rows, record)`` is
    the result made of both again.
    """

    kinds: ClassVar[dict[str, type[Result]]] = {}
    _each: ClassVar[str] = "users"
    systems: Any
    measures: Any
    values: Any
    summary: Any
    n: Any
    counts: Any
    _names: Any
    _notes: Any
    _rows: Any
    _record: Any
    _of: Callable[..., Result]

    compare = comparing.compare
    interval = comparing.interval

    def table(self, digits: int = 2, bold: str | None = "best") -> report.Table:
        """The comparison table: systems, measures, the best value of each bold.

        Parameters
        ----------
        digits : int, default 2
            Decimals.
        bold : {"best", None}
            Whether the best value of each measure is bold; equal ones all are.

        Returns
        -------
        Table
            Shows itself in a notebook and as text; ``to_latex()`` for a paper.
        """
        check_choice("none" if bold is None else bold, "bold", ("best", "none"))
        digits, one = report.check_digits(digits), self._by_name
        notes = (*one._notes(digits), f"{self._each}: {in_words(one.counts)}")
        best = bold == "best"
        return report.Table(one.summary, digits, best, notes, one._lower, aside=one._aside())

    def to_latex(self, digits: int = 2) -> str:
        """The comparison table in LaTeX, best values in bold face."""
        return self.table(digits).to_latex()

    def to_markdown(self, digits: int = 2) -> str:
        """The comparison table in Markdown, best values in bold face."""
        return self.table(digits).to_markdown()

    def to_dict(self) -> dict[str, float]:
        """The means under flat names that loggers accept: "ndcg_at_10", of several "A/ndcg_at_10".

        Returns
        -------
        dict
            Text to float; a measure without a value is NaN.
        """
        one = self._by_name
        several = len(one.systems) > 1
        return {
            f"{system}/" * several + flat(name): float(value)
            for system, row in one.summary.iterrows()
            for name, value in row.items()
        }

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """All values in Arrow's own form, which ``polars.DataFrame(result)`` and others read."""
        import pyarrow as pa

        table = pa.Table.from_pandas(self._rows, preserve_index=False)
        return table.__arrow_c_stream__(requested_schema)

    def save(self, path: str | Path) -> None:
        """Write the result, or its values alone; aside first, then put in place.

        Parameters
        ----------
        path : str or Path
            Ending in ``.receval``: everything, for `receval.load`; a Parquet file with the rest
            of the result in its metadata, where names of systems that are neither integers nor
            text become text. Ending in .csv, .tsv, .parquet or .json: the values of users or
            queries as a table, with every digit.

        Raises
        ------
        InputError
            If the path has another ending, or nothing can be written there.
        """
        check_writable(path)
        if str(path).lower().endswith(".receval"):
            return self._write(Path(path))
        if Path(path).suffix.lower() not in ENDINGS:
            rule = "end in .receval, .csv, .tsv, .parquet or .json"
            raise refusal("path", rule, Path(path).name)
        write_table(self._rows, path)

    def _write(self, path: Path) -> None:
        file.write_frame(path, self._rows, self._record)

    @classmethod
    def _read(cls, path: Path, record: dict[str, Any]) -> Result:
        return cls._of(file.read_frame(path), record)

    def __init_subclass__(cls) -> None:
        Result.kinds[cls.__name__] = cls

    def __eq__(self, other: object) -> bool:
        """Whether all values and all that is known of them are equal."""
        if not isinstance(other, Result) or type(self) is not type(other):
            return NotImplemented
        known = [json.dumps(one._record) for one in (self, other)]
        return known[0] == known[1] and bool(self._rows.equals(other._rows))

    def __hash__(self) -> int:
        return hash(json.dumps(self._record))

    def __repr__(self) -> str:
        return repr(self.table(digits=4))

    def _repr_html_(self) -> str:
        return self.table(digits=4)._repr_html_()

    def _system(self, system: Any, called: str = "system") -> Any:
        """A system by its name, which an only one need not be called by."""
        if system is None and len(self.systems) == 1:
            return self.systems[0]
        if not pd.api.types.is_hashable(system) or system not in self.systems:
            raise refusal(called, f"be one of {self.systems}", shorten(system))
        return system

    @property
    def _lower(self) -> list[str]:
        """The measures whose lower values are the better ones."""
        return [one.name for one in self.measures if not getattr(one, "higher_is_better", True)]

    @property
    def _of_all(self) -> list[str]:
        """The measures whose value in a summary is no mean of values of users."""
        return [one.name for one in self.measures if getattr(one, "of_all", None) is not None]

    @property
    def _by_name(self) -> Result:
        """The same with one name for each system, however they are told apart."""
        return self

    def _aside(self) -> Any:
        """What a table shows beside the measures, as text by system."""
        return None
