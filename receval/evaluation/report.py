"""Results for people: the comparison table, one user's number explained, the methods sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import SHOWN, InputError
from receval.evaluation import markup
from receval.evaluation.convention import Convention
from receval.evaluation.lists import Lists
from receval.evaluation.measure import Context, Measure

__all__ = ["Explanation", "Table"]

NOTED = 3  # values that the note on ties names
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

    def to_frame(self) -> pd.DataFrame:
        """The values as text with the table's decimals, and what stands beside them."""
        shown = self.summary.map(self._text)
        return shown + self.beside["text"] if self.beside else shown

    def to_latex(self) -> str:
        """A LaTeX tabular (booktabs), best values in bold face, counts in a comment."""
        rows = [
            [
                markup.tex(name),
                *(self._marked("latex", column, name) for column in self.summary),
            ]
            for name in self.summary.index
        ]
        columns = "l" + "r" * self.summary.shape[1]
        return markup.latex(["", *self.summary.columns], rows, self._below(), columns)

    def __repr__(self) -> str:
        return "\n".join([self.to_frame().to_string(), *self._below()])

    def _repr_html_(self) -> str:
        rows = [
            [str(name), *(self._marked("html", column, name) for column in self.summary)]
            for name in self.summary.index
        ]
        return markup.html(["", *self.summary.columns], rows, self._below())

    def _text(self, value: float) -> str:
        return "–" if np.isnan(value) else f"{value:.{self.digits}f}"

    def _marked(self, form: str, column: Any, name: Any) -> str:
        """A cell, bold if it is the best of its column as shown, with what stands beside it."""
        shown = self.summary[column].map(self._text)
        best = self.summary[column].max()
        text = str(shown[name])
        is_best = self.bold and len(shown) > 1 and text == self._text(best) and text != "–"
        before, after = BOLD[form]
        beside = self.beside[form].loc[name, column] if self.beside else ""
        return (f"{before}{text}{after}" if is_best else text) + str(beside)

    def _below(self) -> list[str]:
        return [*self.notes, markup.users(self.counts)]


@dataclass(frozen=True)
class Explanation:
    """One user's number: definition, choices and working.

    Attributes
    ----------
    user, measure, title, formula, source : str
        What is explained, and its definition.
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

    def __repr__(self) -> str:
        where = f"{self.title}, {self.source}; convention {self.convention}"
        return "\n".join(
            [
                f"{self.measure} of user {self.user!r} = {self.value:.6g} ({where})",
                *(f"  {what}: {how}" for what, how in self.choices.items()),
                self.table.to_string(index=False),
            ]
        )

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        rows = "".join(
            f"<li>{escape(what)}: {escape(how)}</li>" for what, how in self.choices.items()
        )
        html = (
            f"<p><b>{escape(self.measure)}</b> of user <b>{escape(repr(self.user))}</b> = "
            f"<b>{self.value:.6g}</b> ({escape(self.title)}, {escape(self.source)}; convention "
            f"{escape(self.convention)})</p><p>\\({escape(self.formula)}\\)</p><ul>{rows}</ul>"
            f"{self.table.round(6).to_html(index=False)}"
        )
        return {"text/plain": repr(self), "text/html": html}


def explain(
    lists: Lists, measure: Measure, context: Context, user: Any, values: pd.Series | None
) -> Explanation:
    """The working of one user's number, from the user's own rows.

    ``values`` are the measure's values by user; they differ from that of the list as it is
    ordered where a convention averages over ties.
    """
    if values is None:
        raise InputError(
            f"measure must have a value for each user; {measure.name} is of all users together"
        )
    truth = lists.truth
    code = truth.users.find(user)
    place = truth.judged.searchsorted(-1 if code is None else code)
    if code is None or place == truth.judged.size or truth.judged[place] != code:
        some = [truth.users.one(one) for one in truth.judged[:SHOWN]]
        raise InputError(f"user must be a judged user, such as {some}; got {user!r}")
    ((_, block),) = lists.only(np.array([place])).blocks()
    shown = block.items[0][block.items[0] >= 0]
    names = np.array([truth.items.one(item) for item in shown], dtype=object)
    value, in_order = float(values.loc[user]), float(measure.of(block, context)[0])
    if measure.working is not None and (value == in_order or np.isnan(in_order)):
        table = measure.working(block, context, measure.k, names)
    else:
        table = pd.DataFrame(
            {
                "rank": np.arange(1, shown.size + 1),
                "item": names,
                **({} if block.scores is None else {"score": block.scores[0, : shown.size]}),
                "gain": block.gains[0, : shown.size],
            }
        ).head(measure.k or shown.size)
    words = context.convention.words()
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
    )


def note_on_ties(ties: pd.DataFrame, digits: int, convention: Convention) -> tuple[str, ...]:
    """What equal scores change in a table with so many decimals; nothing if they do not."""
    if convention.ties == "average" or ties.empty:
        return ()
    text = ties[["pessimistic", "expected", "optimistic"]].map(lambda value: f"{value:.{digits}f}")
    changed = text[text["pessimistic"] != text["optimistic"]]
    if changed.empty:
        return ()
    shown = [
        f"{' '.join(key) if isinstance(key, tuple) else key} {row.pessimistic} to "
        f"{row.optimistic} (expected {row.expected})"
        for key, row in zip(changed.index, changed.head(NOTED).itertuples(), strict=False)
    ]
    more = f" and {len(changed) - NOTED} more" if len(changed) > NOTED else ""
    return (f"equal scores leave open: {', '.join(shown)}{more}; see ties()",)


def methods(measures: tuple[Measure, ...], context: Context, counts: pd.DataFrame) -> str:
    """The sentences for a methods section."""
    from receval import __version__

    names = ", ".join(one.name for one in measures)
    words = context.convention.words()
    needed = dict.fromkeys(choice for one in measures for choice in one.choices)
    choices = "; ".join(f"{choice}: {words[choice]}" for choice in needed)
    sources = sorted({one.source for one in measures})
    users = " ".join(
        f"{f'{name}: ' if name else ''}{markup.in_words(row)}." for name, row in counts.iterrows()
    )
    return (
        f"{names} were computed with receval {__version__} under its convention "
        f"'{context.convention.name}' ({context.convention.source}; definitions: "
        f"{', '.join(sources)}). Choices: {choices}. Means are over "
        f"{context.convention.mean_over()}. {_further(measures, context)}{users}"
    )


def _further(measures: tuple[Measure, ...], context: Context) -> str:
    """The choices that no convention makes, of the measures that depend on them."""
    keys = {one.key for one in measures}
    said = {
        "LTP": "The short head holds 20 % of all awards.",
        "CC": f"The catalogue has {context.n_items} items.",
        "ILD": "Similarity is the cosine of the items' feature columns.",
        "nov_t": "Ages are whole days up to the day given, or the latest novelty date.",
        "AUC": "Users without both relevant and irrelevant recommendations have no AUC.",
    }
    return "".join(f"{sentence} " for key, sentence in said.items() if key in keys)
