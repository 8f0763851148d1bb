"""Which choices print a number that somebody reports: under every convention, and one at a time."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import InputError, input_error, shorten
from receval._lists import as_array, as_gains
from receval.evaluation.difference import value_under, with_choice_of
from receval.measure.convention import TIES, Convention
from receval.measure.definition import Measure
from receval.measure.names import CONVENTIONS
from receval.measure.names import measure as measure_named
from receval.metrics.discounts import exponential_gain, reciprocal, undiscounted
from receval.published import agrees

__all__ = ["which"]

DEFAULT = CONVENTIONS["receval"]
CHANGED: list[dict[str, Any]] = [  # what no convention has
    {"gain": exponential_gain},
    {"discount": reciprocal},
    {"discount": undiscounted},
    {"precision": "reachable"},
    {"average_precision": "cutoff"},
    *({"ties": rule} for rule in TIES),
]


def which(
    value: float | str,
    recommendations: Any,
    relevance: Any = None,
    measure: str = "nDCG",
    **options: Any,
) -> pd.DataFrame:
    """Which conventions and single choices print a number, nearest first.

    Parameters
    ----------
    value : float or str
        The number as it is printed; its digits set the precision: ``"0.90"`` is not ``0.9``.
    recommendations : table or path, or sequence of float
        As for `evaluate`, of one system; or the grades of one list, best rank first.
    relevance : table or path, or sequence of float, optional
        As for `evaluate`; beside one list the grades of all its relevant items, in any order.
        Default, of a list only: it holds all its relevant items.
    measure : str, default "nDCG"
        Name of one measure, such as ``"nDCG@10"``.
    **options
        Further arguments of `evaluate`, such as ``user=`` or ``items=``.

    Returns
    -------
    DataFrame
        ``convention``, ``changes``, ``value`` and ``distance``. There are the conventions whose
        source has the measure, as they are (``changes`` is ""), and the default one,
        ``"receval"``, with any single choice changed, if that changes the value. ``distance`` is 0
        where the value prints as the number, else how far it is away; NaN where the tables are
        refused. Rows of equal distance stand in the order of `conventions`, changes last.

    Raises
    ------
    InputError
        As `evaluate`; if ``value`` is no number, there are several systems, a table is without
        relevance, a list has a grade that is not in its relevance, or an option is a
        convention's choice.

    See Also
    --------
    explain_difference : the way from one convention to another, choice by choice.

    Examples
    --------
    An nDCG@10 was reported as 0.88. Somebody discounted the ranks in another way:

    >>> grades = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
    >>> which("0.88", grades, measure="nDCG@10").round(4).head(5)
         convention                  changes   value  distance
    0  satisfaction                           0.8825    0.0000
    1         fuzzy                           0.8825    0.0000
    2       receval   discount: clipped_log2  0.8825    0.0000
    3       receval     discount: reciprocal  0.8778    0.0000
    4       receval   gain: exponential_gain  0.8951    0.0151
    """
    printed, one = _printed(value), measure_named(measure)
    if _is_list(recommendations):
        recommendations, relevance = _by_user(recommendations, relevance)
    elif relevance is None:
        raise InputError("relevance must be given with tables; got None")
    mean = value_under(recommendations, relevance, one, options, "the search")
    known: dict[tuple[str, ...], float] = {}
    rows: list[tuple[str, str, float, float]] = []
    refused = None
    named = [rules for rules in CONVENTIONS.values() if _has(rules, one)]
    for rules, changes in [*((rules, "") for rules in named), *_changed(one)]:
        words = rules.words()
        choices = tuple(words[choice] for choice in one.choices)
        try:
            found = known[choices] = known[choices] if choices in known else mean(rules)
        except InputError as error:
            found, refused = np.nan, error
        if not (changes and found == rows[0][2]):
            off = 0.0 if agrees(found, printed) else abs(found - float(printed))
            rows.append((rules.name, changes, found, off))
    if refused and not known:
        raise refused
    table = pd.DataFrame(rows, columns=["convention", "changes", "value", "distance"])
    return table.sort_values("distance", kind="stable", ignore_index=True)


def _has(rules: Convention, one: Measure) -> bool:
    """Whether the source of a convention has a measure; the default one has all."""
    return not rules.measures or one.stated.name in rules.measures.split()


def _changed(one: Measure) -> list[tuple[Convention, str]]:
    """The default convention with every other single choice that a measure depends on."""
    others = [*CONVENTIONS.values(), *(replace(DEFAULT, **change) for change in CHANGED)]
    own, found = DEFAULT.words(), dict[str, Convention]()
    for choice, other in product(one.choices, others):
        rules = with_choice_of(DEFAULT, choice, other)
        if (words := rules.words()[choice]) != own[choice]:
            found.setdefault(f"{choice}: {words}", rules)
    return [(rules, changes) for changes, rules in found.items()]


def _printed(value: object) -> str:
    with suppress(InvalidOperation):
        number = Decimal(str(value))
        if number.is_finite() and np.isfinite(float(number)):
            return str(number)
    raise input_error("value", "be a number as it is printed, '0.88'", shorten(value))


def _is_list(given: Any) -> bool:
    """Whether it is one list of grades, and no table."""
    if isinstance(given, (list, tuple)):
        return not any(isinstance(one, (str, Path)) for one in given)
    return isinstance(given, (np.ndarray, pd.Series)) and given.ndim > 0


def _by_user(grades: Any, relevance: Any) -> tuple[dict[int, Any], dict[int, Any]]:
    """One list, and the grades of all its relevant items, as those of a user."""
    own = as_gains(as_array(grades, "recommendations"), "recommendations")
    every = own if relevance is None else as_gains(relevance, "relevance", by_rank=False)
    if own.ndim != 1 or every.ndim != 1 or np.isnan(own).any() or not (own.size + every.size):
        raise InputError(f"recommendations must be one list of grades; got {shorten(grades)}")
    there, known = Counter(own[own > 0].tolist()), Counter(every[every > 0].tolist())
    if there - known:
        missing = sorted((there - known).elements())
        raise InputError(f"relevance must hold every grade of the list; got none of {missing}")
    judged = [*own.tolist(), *(known - there).elements()]
    return {0: list(range(own.size))}, {0: dict(enumerate(judged))}
