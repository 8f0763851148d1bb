"""Data that readers pass to the views: numbers with labels, and sliders for them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TypeAlias

import ipywidgets as widgets
import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._checks import FloatArray, check_none, check_that, check_unique, input_error
from receval._escape import for_plot
from receval._lists import as_finite
from receval._views import slider
from receval.tables.columns import read_column, read_numbers

__all__ = [
    "Labelled",
    "as_labelled",
    "check_length",
    "check_same_labels",
    "item_sliders",
    "numbers_column",
    "plot_labels",
]

MAX_SLIDERS = 12  # more don't fit on a screen together with the picture

Labelled: TypeAlias = pd.Series | Mapping[Hashable, float] | npt.ArrayLike
"""Numbers with labels: a Series, a dict, or a list, whose labels are then 1, 2, 3, …"""


def as_labelled(values: Labelled, name: str, *, least: int = 2) -> pd.Series:
    """Return a reader's numbers as a Series of floats whose index holds the labels as text.

    Parameters
    ----------
    values : Series, mapping or list
        The numbers. Those of a list get the labels 1, 2, 3, …
    name : str
        The argument in error messages.
    least : int, default 2
        The smallest number of values.

    Raises
    ------
    InputError
        If a value is not a finite number, a label occurs twice, or there are fewer than ``least``
        values or more than twelve, because each gets a slider.
    """
    if isinstance(values, Mapping):
        values = pd.Series(dict(values))
    if isinstance(values, pd.Series):
        labels = [str(label) for label in values.index]
        numbers = as_finite(values.to_numpy(), name)
    else:
        numbers = as_finite(values, name)
        check_that(numbers.ndim == 1, name, "have one axis", values)
        labels = [str(place) for place in range(1, len(numbers) + 1)]
    check_unique(labels, name, "label")
    check_length(labels, name, least)
    return pd.Series(numbers, labels)


def check_length(labels: object, name: str, least: int = 1, most: int = MAX_SLIDERS) -> None:
    """Raise unless there are ``least`` to ``most`` entries, as each gets a slider or a row.

    ``labels`` is the list of entries, and ``name`` is the argument in error messages.
    """
    n_entries = len(labels)  # type: ignore[arg-type]
    if not least <= n_entries <= most:
        advice = ""
        if n_entries > most:
            advice = "Pass a selection: each entry has its own control"
        raise input_error(name, f"have {least} to {most} entries", n_entries, advice)


def check_same_labels(first: pd.Series, second: pd.Series, names: tuple[str, str]) -> pd.Series:
    """Return ``second`` in the order of ``first``; raise unless both have the same labels.

    ``names`` are the two arguments in error messages.
    """
    differing = first.index.symmetric_difference(second.index)
    if len(differing):
        examples = ", ".join(differing[:5])
        rule = "have the same labels"
        raise input_error(" and ".join(names), rule, f"{examples} in only one of the two")
    return second[first.index]


def item_sliders(
    values: pd.Series, *, least: float | None = None, most: float | None = None, label: str = "{}"
) -> dict[str, widgets.DOMWidget]:
    """Build a slider for each value; they have the names ``item_1``, ``item_2`` and so on.

    Parameters
    ----------
    values : Series of float
        The initial values, by label.
    least, most : float, optional
        The ends of all sliders. Default: the smallest and the largest value. If these are equal,
        ``most`` is ``least`` plus 1.
    label : str, default "{}"
        The text next to a slider; the braces stand for the label of the value.

    Returns
    -------
    dict of sliders
        They move by 1 if all values and ends are whole, by 0.5 if these are multiples of 0.5, and
        otherwise by a hundredth of the way from end to end.
    """
    if least is None:
        least = float(values.min())
    if most is None:
        most = float(values.max())
        if most == least:
            most = least + 1
    numbers = np.array([*values, least, most])
    if (numbers % 1 == 0).all():
        step = 1.0
    elif (numbers % 0.5 == 0).all():
        step = 0.5
    else:
        step = (most - least) / 100
    sliders = {}
    for place, (item, value) in enumerate(values.items(), 1):
        text = label.format(item)
        if step == 1:
            sliders[f"item_{place}"] = slider(text, int(value), int(least), int(most))
        else:
            sliders[f"item_{place}"] = slider(text, float(value), least, most, step)
    return sliders


def numbers_column(table: object, column: str, name: str) -> FloatArray:
    """Return a column of a reader's table as floats; raise if it is missing or has gaps.

    ``name`` is the table in error messages.
    """
    series = read_column(table, column, name)
    numbers = read_numbers(series, f"{name}[{column!r}]")
    values: FloatArray = np.asarray(numbers, float)
    check_none(values, ~np.isfinite(values), f"{name}[{column!r}]", "be finite")
    return values


def plot_labels(labels: pd.Index) -> list[str]:
    """Return labels as a figure can show them, cut to 14 characters."""
    return [for_plot(label, longest=14) for label in labels]
