"""Results for people: the comparison table, and one user's number explained."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import HasChanged, InputError, check_whole
from receval._references import described
from receval._snapshots import hands_out_copies
from receval.engine.measured import Measured
from receval.engine.measuring import measure_lists
from receval.evaluation import markup
from receval.evaluation.markup import in_html, in_markdown, tex_cell
from receval.measure.form import Measure
from receval.working.of_measure import of_measure

__all__ = ["Explanation", "Table"]

FORMS: dict[str, tuple[Any, ...]] = {
    "text": (str, "{}", " {}", " ▲{}", " ▼{}"),
    "html": (in_html, "<b>{}</b>", " <small>{}</small>", " <sup>▲{}</sup>", " <sub>▼{}</sub>"),
    "markdown": (in_markdown, "**{}**", " {}", " ▲{}", " ▼{}"),
    "latex": (tex_cell, r"\textbf{{{}}}", r" {{\scriptsize {}}}", "$^{{{}}}$", "$_{{{}}}$"),
}
"""How text is written; the best values, intervals, and letters of systems beaten and lost to."""


@hands_out_copies("summary", "lower", "beside", "aside")
@dataclass(frozen=True, eq=False)
class Table:
    """A table with notes below, such as means with the counts of users behind them.

    ``beside`` holds what stands beside the values, as text: intervals, letters of the systems that
    are significantly worse, and of those that are better. Of the measures in ``lower`` the lowest
    value is the best; ``aside`` holds further columns, as text.
    """

    summary: pd.DataFrame
    digits: int
    bold: bool
    notes: tuple[str, ...]
    lower: Collection[str] = ()
    beside: tuple[pd.DataFrame, ...] = ()
    aside: pd.DataFrame | None = None

    def to_frame(self) -> pd.DataFrame:
        """The values as text with the table's decimals, and what stands beside them."""
        return self._cells("text")

    def to_latex(self) -> str:
        """A LaTeX tabular (booktabs), best values in bold face, counts in a comment."""
        return markup.latex(self._head, self._cells("latex"), self.notes)

    def to_markdown(self) -> str:
        """A table in Markdown, best values in bold face, notes below."""
        return markup.markdown(self._head, self._cells("markdown"), self.notes)

    def __repr__(self) -> str:
        return "\n".join([self.to_frame().to_string(), *self.notes])

    def _repr_html_(self) -> str:
        return markup.html(self._head, self._cells("html"), self.notes)

    @property
    def _head(self) -> list[str]:
        return [str(name or "") for name in self.summary.index.names]

    def _text(self, value: object, form: str = "text") -> str:
        if not isinstance(value, float):
            return str(FORMS[form][0](value))
        return "–" if np.isnan(value) else f"{value:.{self.digits}f}"

    def _cells(self, form: str) -> pd.DataFrame:
        """The values, the best of each column as shown in bold, with what is beside."""
        _, bold, *around = FORMS[form]
        cells = self.summary.map(lambda value: self._text(value, form))
        if self.bold and len(cells) > 1:
            ends = {name: "min" if name in self.lower else "max" for name in cells}
            best = self.summary.agg(ends).map(self._text)
            cells = cells.mask(cells.eq(best) & best.ne("–"), cells.map(bold.format))
        for written, marks in zip(around, self.beside, strict=False):
            cells += marks.map(lambda text, written=written: text and written.format(text))
        return cells if self.aside is None else cells.join(self.aside)


@hands_out_copies("choices", "table")
@dataclass(frozen=True, eq=False)
class Explanation:
    """One user's number: definition, choices and working.

    Attributes
    ----------
    user, measure, title, formula, source : str
        What is explained, and its definition; the formula is that of one user's value. Under
        ``each`` "query" the user is a query.
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
    source: str
    choices: dict[str, str]
    table: pd.DataFrame
    value: float
    formula: str = ""
    convention: str = ""
    system: Any = ""
    each: str = "user"

    def _head(self, shown: Callable[[str], str] = str, bold: str = "{}") -> str:
        """The number and whose it is, each part as it is ``shown``."""
        told = self.measure, repr(self.user), f"{self.value:.6g}"
        what, user, value = (bold.format(shown(text)) for text in told)
        under = "" if self.system == "" else f" under {self.system!r}"
        rules = f"; convention {self.convention}" if self.convention else ""
        where = shown(f"{self.title}, {self.source}{rules}")
        return f"{what} of {self.each} {user}{shown(under)} = {value} ({where})"

    def notes(self) -> list[str]:
        """The number, whose it is, and the choices, a line each."""
        return [self._head(), *(f"{what}: {how}" for what, how in self.choices.items())]

    def __repr__(self) -> str:
        return "\n  ".join(self.notes()) + "\n" + self.table.to_string(index=False)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        rows = "".join(f"<li>{escape(choice)}</li>" for choice in self.notes()[1:])
        html = (
            f"<p>{self._head(escape, '<b>{}</b>')}</p><p>\\({escape(self.formula)}\\)</p>"
            f"<ul>{rows}</ul>{self.table.round(6).to_html(index=False)}"
        )
        return {"text/plain": repr(self), "text/html": html}


def explain(self: Any, user: Any, measure: str, *, system: str | None = None) -> Explanation:
    """Where one user's number comes from: their list, the terms, the choices in words.

    Parameters
    ----------
    user : id
        A judged user.
    measure : str
        A measure of this evaluation that has a value for each user.
    system : str, optional
        Needed where there are several systems.

    Returns
    -------
    Explanation
        With ``table`` (the working), ``formula``, ``choices`` and ``value``.

    Raises
    ------
    InputError
        If the user is not judged, the measure is not one of these, or it is a set-level
        one; if the evaluation was loaded from a file, which has no tables; or if the tables
        have changed since, so that they no longer give the value.
    """
    name, one = self._system(system), self._measure(measure)
    if not one.per_user:
        got = f"{one.name} is of all users together"
        raise InputError(f"measure must have a value for each user; {got}")
    measured = self._systems[name].of_user(user)
    value = self._systems[name].value_of(user, one.name)
    _refuse_another_value(measured, user, one, value)
    lists, context, truth = measured.lists, measured.context, measured.lists.truth
    place = np.flatnonzero(truth.judged == truth.users.find(user))
    ((_, block),) = lists.only(place).blocks()
    shown = block.items[0][block.items[0] >= 0]
    names = np.array([truth.items.one(item) for item in shown], dtype=object)
    in_order = float(one.of(block, context)[0])
    exact = value == in_order or np.isnan(in_order)  # no mean over orders of ties
    table = of_measure(one, block, context, names) if exact else None
    if table is None:
        columns = {"score": block.scores, "gain": block.grades}
        known = {name: its[0, : shown.size] for name, its in columns.items() if its is not None}
        table = pd.DataFrame({"rank": np.arange(shown.size) + 1, "item": names, **known})
        table = table.head(one.k or shown.size)
    table = _ending_in(table, value, one.stated.label or one.key)
    words = context.convention.words()
    if "rel" in one.parameters:
        words["relevant"] = f"a grade of {one.parameters['rel']:g} or more"
    if lists.how.by_rank:
        words["ties"] = "none, ranks were given"
    none = {} if shown.size else {"list": f"{user!r} has no recommendations"}
    return Explanation(
        user=user,
        measure=one.name,
        title=one.title,
        formula=one.formula,
        source=described(one.source),
        convention=context.convention.name,
        choices=none | {choice: words[choice] for choice in one.choices},
        table=table,
        value=value,
        system=name,
    )


def _ending_in(table: pd.DataFrame, value: float, label: str) -> pd.DataFrame:
    """The working with the value at its end, also where there is no rank or no term."""
    if table.empty:
        row: dict[Any, Any] = {name: 0.0 for name in table.columns if name != "item"}
        row |= {name: 0 for name in ("rank",) if name in table.columns}
        row |= {name: "(none)" for name in ("item",) if name in table.columns}
        line = {name: row[name] for name in table.columns}
        ends = {"score", "gain", "item", "rank"}
        final_column = label if table.columns[-1] in ends else table.columns[-1]
        return type(table)([{**line, final_column: value}])
    last: Any = table.iloc[-1, -1]
    is_undefined = isinstance(last, float) and np.isnan(last)
    if last == value or (is_undefined and np.isnan(value)):
        return table
    ended = table.copy()
    ended.attrs.update(table.attrs)
    if is_undefined and table.columns[-1] != "gain":
        # 0 / 0, of which the convention says what it counts.
        ended[table.columns[-1]] = table[table.columns[-1]].fillna(value)
    else:  # a mean over orders, or a function of the whole list, has no line for each rank
        ended[label] = value
    return type(table)(ended)


def _refuse_another_value(measured: Measured, user: Any, measure: Measure, value: float) -> None:
    """Refuse tables, or a function of the user's, that no longer give the stored value."""
    lists, task = measured.lists, replace(measured.task, measures=(measure,))
    code = np.array([lists.truth.users.find(user)])
    again = measure_lists(lists.of_users(code), task, measured.context)
    found = float(again.columns[measure.name][0])
    if found != value and not (np.isnan(found) and np.isnan(value)):
        raise HasChanged(
            f"the tables must give {measure.name} of {user!r} as it was evaluated, {value:g}; "
            f"got {found:g}. They have changed since: evaluate them again"
        )


def check_digits(digits: object) -> int:
    """A number of decimals."""
    return check_whole(digits, "digits", 0, 100)
