"""The shape of a result: a value of every user or query, and what can be seen in them."""

from __future__ import annotations

from typing import Any, ClassVar

from receval._checks import check_choice
from receval.evaluation import comparing, markup, report


class Result:
    """Systems judged user by user or query by query: what all such results can show.

    Each has ``systems``, ``measures`` and ``values(system, measures)``, and with a row for each
    system ``summary``, ``n`` and ``counts``. ``_names(measures)`` are the columns of some measures,
    ``_notes(digits)`` is what has to be said under a table.
    """

    _each: ClassVar[str] = "users"
    systems: Any
    measures: Any
    values: Any
    summary: Any
    n: Any
    counts: Any
    _names: Any
    _notes: Any

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
        notes = (*one._notes(digits), markup.users(one.counts, self._each))
        return report.Table(
            one.summary, digits, bold == "best", notes, lower=one._lower, aside=self._aside()
        )

    def to_latex(self, digits: int = 2) -> str:
        """The comparison table in LaTeX, best values in bold face."""
        return self.table(digits).to_latex()

    def __repr__(self) -> str:
        return repr(self.table(digits=4))

    def _repr_html_(self) -> str:
        return self.table(digits=4)._repr_html_()

    @property
    def _lower(self) -> list[str]:
        """The measures whose lower values are the better ones."""
        return [one.name for one in self.measures if not getattr(one, "higher_is_better", True)]

    @property
    def _by_name(self) -> Result:
        """The same with one name for each system, however they are told apart."""
        return self

    def _aside(self) -> Any:
        """What a table shows beside the measures, as text by system."""
        return None
