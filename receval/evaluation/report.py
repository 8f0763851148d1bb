"""Results for people: the comparison table, and one user's number explained."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import InputError, check_integer
from receval._escape import (
    for_html,
    for_markdown,
    for_terminal,
    frame_for_terminal,
    without_mathematics,
)
from receval._references import described
from receval._snapshots import hands_out_copies
from receval.engine.measured import MemoryResult
from receval.engine.measuring import measure_again, refuse_other_values
from receval.evaluation import markup
from receval.evaluation.markup import tex_cell
from receval.measure.custom import FORMULAS
from receval.measure.definition import Measure
from receval.measure.names import MEASURES
from receval.working.of_measure import working_of

__all__ = ["ComparisonTable", "Explanation"]

FORMS: dict[str, tuple[Any, ...]] = {
    "text": (str, "{}", " {}", " ▲{}", " ▼{}"),
    "html": (for_html, "<b>{}</b>", " <small>{}</small>", " <sup>▲{}</sup>", " <sub>▼{}</sub>"),
    "markdown": (for_markdown, "**{}**", " {}", " ▲{}", " ▼{}"),
    "latex": (tex_cell, r"\textbf{{{}}}", r" {{\scriptsize {}}}", "$^{{{}}}$", "$_{{{}}}$"),
}
"""How text is written; the best values, intervals, and letters of systems beaten and lost to."""


@hands_out_copies("summary", "lower", "beside", "aside")
@dataclass(frozen=True, eq=False)
class ComparisonTable:
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
        table = frame_for_terminal(self.to_frame()).to_string()
        return "\n".join([table, *map(for_terminal, self.notes)])

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
        if self.aside is None:
            return cells
        escape_text = FORMS[form][0]
        # One index for both keeps its name; columns may be named like measures, so no join.
        beside_values = self.aside.map(escape_text).set_axis(cells.index)
        return pd.concat([cells, beside_values], axis=1)


@hands_out_copies("choices", "table")
@dataclass(frozen=True, eq=False)
class Explanation:
    """One user's number: definition, choices and working.

    Attributes
    ----------
    user, measure, title, formula, source : str
        What is explained, and its definition; the formula is that of one user's value. A notebook
        typesets it if it is one of receval's own, and shows any other as code. Under ``each``
        "query" the user is a query.
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
        parts = (self.measure, _quoted(self.user), f"{self.value:.6g}")
        what, user, value = (bold.format(shown(text)) for text in parts)
        under = "" if self.system == "" else f" under {_quoted(self.system)}"
        rules = f"; convention {self.convention}" if self.convention else ""
        where = shown(f"{self.title}, {self.source}{rules}")
        return f"{what} of {self.each} {user}{shown(under)} = {value} ({where})"

    def notes(self) -> list[str]:
        """The number, whose it is, and the choices, a line each."""
        return [self._head(), *(f"{what}: {how}" for what, how in self.choices.items())]

    def __repr__(self) -> str:
        table = frame_for_terminal(self.table).to_string(index=False)
        return "\n  ".join(map(for_terminal, self.notes())) + "\n" + table

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        rows = "".join(f"<li>{for_html(choice)}</li>" for choice in self.notes()[1:])
        working = frame_for_terminal(self.table.round(6)).to_html(index=False)
        html = (
            f"<p>{self._head(for_html, '<b>{}</b>')}</p><p>{formula_in_html(self.formula)}</p>"
            f"<ul>{rows}</ul>{without_mathematics(working)}"
        )
        return {"text/plain": repr(self), "text/html": html}


def formula_in_html(formula: str) -> str:
    """A formula for MathJax to typeset if it is receval's own; one of users is shown as code."""
    own = {"", *FORMULAS.values(), *(measure.formula for measure in MEASURES)}
    return f"\\({escape(formula)}\\)" if formula in own else f"<code>{for_html(formula)}</code>"


def _quoted(label: Any) -> str:
    """Return a label as Python writes it, also if it is a NumPy number from an index."""
    if isinstance(label, tuple):
        label = tuple(part.item() if isinstance(part, np.generic) else part for part in label)
    elif isinstance(label, np.generic):
        label = label.item()
    return repr(label)


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
    name, explained = self._system(system), self._measure(measure)
    if not explained.per_user:
        got = f"{explained.name} is of all users together"
        raise InputError(f"measure must have a value for each user; {got}")
    measured = _of_measure_alone(self._systems[name].of_user(user), explained)
    value = self._systems[name].value_of(user, explained.name)
    truth = measured.lists.truth
    measured = measure_again(measured, np.flatnonzero(truth.judged == truth.users.find(user)))
    refuse_other_values(measured, {explained.name: np.array([value])})
    lists, context = measured.lists, measured.context
    ((_, block),) = lists.with_full_lists(
        np.zeros(1, int)
    ).blocks()  # whole lists, below the cut-offs too
    listed_items = block.items[0][block.items[0] >= 0]
    item_ids = np.array([truth.items.one(item) for item in listed_items], dtype=object)
    in_order = float(explained.compute(block, context)[0])
    is_mean_over_orders = value != in_order and not np.isnan(in_order)
    table = None
    if not is_mean_over_orders:
        table = working_of(explained, block, context, item_ids)
    if table is None:  # no sum of terms: the list itself
        columns = {"rank": np.arange(item_ids.size) + 1, "item": item_ids}
        if block.scores is not None:
            columns["score"] = block.scores[0, : item_ids.size]
        columns["gain"] = block.grades[0, : item_ids.size]
        table = pd.DataFrame(columns).head(explained.k or item_ids.size)
    table = ending_in(table, value, explained.stated.label or explained.key)
    words = context.convention.words()
    if "rel" in explained.parameters:
        words["relevant"] = f"a grade of {explained.parameters['rel']:g} or more"
    if lists.how.by_rank:
        words["ties"] = "none, ranks were given"
    choices = {choice: words[choice] for choice in explained.choices}
    if not item_ids.size:
        choices = {"list": f"{_quoted(user)} has no recommendations", **choices}
    return Explanation(
        user=user,
        measure=explained.name,
        title=explained.title,
        formula=explained.formula,
        source=described(explained.source),
        convention=context.convention.name,
        choices=choices,
        table=table,
        value=value,
        system=name,
    )


def _of_measure_alone(measured: MemoryResult, explained: Measure) -> MemoryResult:
    """The same with one measure, so that no other is measured again."""
    task = replace(measured.task, measures=(explained,))
    return replace(measured, task=task, columns={explained.name: measured.columns[explained.name]})


def ending_in(table: pd.DataFrame, value: float, label: str) -> pd.DataFrame:
    """The working with the value at its end, also where no rank or term is left to end in it.

    Labels of rows and columns and the working's own attributes stay as they are.
    """
    if table.empty:
        return _without_ranks(table, value, label)
    last: Any = table.iloc[-1, -1]
    is_undefined = isinstance(last, float) and np.isnan(last)
    if last == value or (is_undefined and np.isnan(value)):
        return table
    ended = table.copy()
    final_column = table.columns[-1]
    if is_undefined and final_column != "gain":
        # The sum is 0 / 0, and the convention says what that counts.
        ended[final_column] = table[final_column].fillna(value)
    else:  # a mean over orders, or a function of the whole list, has no line for each rank
        ended[label] = value
    working = type(table)(ended)
    working.attrs.update(table.attrs)
    return working


def _without_ranks(table: pd.DataFrame, value: float, label: str) -> pd.DataFrame:
    """The working of an empty list: one line, which shows the value and nothing else."""
    final_column = table.columns[-1]
    if final_column in ("rank", "item", "score", "gain"):  # columns of the list, not of the value
        final_column = label
    line: dict[Any, Any] = dict.fromkeys(table.columns, np.nan)
    if "item" in line:
        line["item"] = "(no recommendations)"
    line[final_column] = value
    working = type(table)([line])
    working.attrs.update(table.attrs)
    return working


def check_digits(digits: object) -> int:
    """A number of decimals."""
    return check_integer(digits, "digits", 0, 100)
