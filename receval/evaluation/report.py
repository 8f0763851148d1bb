"""Results for people: the comparison table, and one user's number explained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, cast

import numpy as np
import pandas as pd

from receval._checks import InputError, shorten
from receval.evaluation import markup
from receval.measure.form import Context, Measure
from receval.measure.lists import Lists
from receval.working.of_measure import of_measure

__all__ = ["Explanation", "Table"]

MOST_DIGITS = 100
BOLD = {"html": ("<b>", "</b>"), "latex": (r"\textbf{", "}")}


@dataclass(frozen=True)
class Table:
    """A comparison table with the counts of users behind it.

    ``beside`` holds what stands beside the values, a frame for each of "text", "html" and
    "latex"; ``notes`` are lines below.
    """

    summary: pd.DataFrame
    counts: pd.DataFrame
    digits: int
    bold: bool
    beside: Mapping[str, pd.DataFrame] | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_digits(self.digits)

    def to_frame(self) -> pd.DataFrame:
        """The values as text with the table's decimals, and what stands beside them."""
        shown = self.summary.map(self._text)
        return shown + self.beside["text"] if self.beside else shown

    def to_latex(self) -> str:
        """A LaTeX tabular (booktabs), best values in bold face, counts in a comment."""
        marked = self._marked("latex")
        rows = [
            [markup.tex(name), *cells]
            for name, cells in zip(self.summary.index, marked, strict=True)
        ]
        columns = "l" + "r" * self.summary.shape[1]
        return markup.latex(["", *self.summary.columns], rows, self._below(), columns)

    def __repr__(self) -> str:
        return "\n".join([self.to_frame().to_string(), *self._below()])

    def _repr_html_(self) -> str:
        marked = self._marked("html")
        rows = [[str(name), *cells] for name, cells in zip(self.summary.index, marked, strict=True)]
        return markup.html(["", *self.summary.columns], rows, self._below())

    def _text(self, value: float) -> str:
        return "–" if np.isnan(value) else f"{value:.{self.digits}f}"

    def _marked(self, form: str) -> list[tuple[str, ...]]:
        """The rows of cells, the best of each column as shown in bold, with what is beside."""
        before, after = BOLD[form]
        columns = []
        for column in self.summary:
            shown = self.summary[column].map(self._text).tolist()
            best = self._text(self.summary[column].max())
            bold = self.bold and len(shown) > 1 and best != "–"
            cells = [f"{before}{text}{after}" if bold and text == best else text for text in shown]
            if self.beside:
                cells = [
                    cell + str(b) for cell, b in zip(cells, self.beside[form][column], strict=True)
                ]
            columns.append(cells)
        return list(zip(*columns, strict=True))

    def _below(self) -> list[str]:
        return [*self.notes, markup.users(self.counts)]


@dataclass(frozen=True)
class Explanation:
    """One user's number: definition, choices and working.

    Attributes
    ----------
    user, measure, title, formula, source : str
        What is explained, and its definition; the formula is that of one user's value.
    system : str
        Whose list it is; "" where there is one system only.
    choices : dict
        The convention's choices that matter for it, in words.
    table : DataFrame
        The working: a row per term, or per rank where the measure is no sum.
    value : float
        The number.
    """

    user: Any
    measure: str
    title: str
    formula: str
    source: str
    convention: str
    choices: dict[str, str]
    table: pd.DataFrame
    value: float
    system: Any = ""

    def __repr__(self) -> str:
        where = f"{self.title}, {self.source}; convention {self.convention}"
        return "\n".join(
            [
                f"{self.measure} of user {self.user!r}{self._of_system} = {self.value:.6g} "
                f"({where})",
                *(f"  {what}: {how}" for what, how in self.choices.items()),
                self.table.to_string(index=False),
            ]
        )

    @property
    def _of_system(self) -> str:
        return "" if self.system == "" else f" under {self.system!r}"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        rows = "".join(
            f"<li>{escape(what)}: {escape(how)}</li>" for what, how in self.choices.items()
        )
        html = (
            f"<p><b>{escape(self.measure)}</b> of user <b>{escape(repr(self.user))}</b>"
            f"{escape(self._of_system)} = "
            f"<b>{self.value:.6g}</b> ({escape(self.title)}, {escape(self.source)}; convention "
            f"{escape(self.convention)})</p><p>\\({escape(self.formula)}\\)</p><ul>{rows}</ul>"
            f"{self.table.round(6).to_html(index=False)}"
        )
        return {"text/plain": repr(self), "text/html": html}


def explain(
    lists: Lists, measure: Measure, context: Context, user: Any, value: float, system: Any
) -> Explanation:
    """The working of one judged user's number, from the user's own rows.

    The ``value`` differs from that of the list as it is ordered where a convention averages over
    ties.
    """
    truth = lists.truth
    place = np.flatnonzero(truth.judged == truth.users.find(user))
    ((_, block),) = lists.only(place).blocks()
    shown = block.items[0][block.items[0] >= 0]
    names = np.array([truth.items.one(item) for item in shown], dtype=object)
    in_order = float(measure.of(block, context)[0])
    table = None
    if value == in_order or np.isnan(in_order):
        table = of_measure(measure, block, context, names)
    if table is None:
        table = pd.DataFrame(
            {
                "rank": np.arange(1, shown.size + 1),
                "item": names,
                **({} if block.scores is None else {"score": block.scores[0, : shown.size]}),
                "gain": block.gains[0, : shown.size],
            }
        ).head(measure.k or shown.size)
    words = context.convention.words()
    if lists.how.by_rank:
        words["ties"] = "none, ranks were given"
    return Explanation(
        user=user,
        measure=measure.name,
        title=measure.title,
        formula=measure.formula,
        source=measure.source,
        convention=context.convention.name,
        choices={choice: words[choice] for choice in measure.choices},
        table=table,
        value=value,
        system=system,
    )


def check_digits(digits: object) -> int:
    """A number of decimals."""
    whole = isinstance(digits, (int, np.integer)) and not isinstance(digits, bool)
    if whole and 0 <= cast(int, digits) <= MOST_DIGITS:
        return int(cast(int, digits))
    raise InputError(
        f"digits must be a whole number from 0 to {MOST_DIGITS}; got {shorten(digits)}"
    )
