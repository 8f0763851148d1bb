"""Compare conventions on the same data: find those of a printed number, explain a difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard, Union, cast

import numpy as np
import pandas as pd

from receval._arrays import as_gains
from receval._checks import (
    AnyArray,
    InputError,
    Options,
    TableLike,
    check_not_empty,
    check_that,
    input_error,
    shorten,
    warn,
)
from receval.definitions.convention import CONVENTIONS, FIELDS, TIES, Convention, convention
from receval.definitions.definition import Measure
from receval.definitions.definition import measure as measure_named
from receval.evaluation.evaluate import evaluate
from receval.ledger import agrees
from receval.metrics.discounts import exponential_gain, reciprocal, undiscounted

DEFAULT = CONVENTIONS["receval"]

CHANGES: list[Options] = [
    {"gain": exponential_gain},
    {"discount": reciprocal},
    {"discount": undiscounted},
    {"precision": "reachable"},
    {"average_precision": "cutoff"},
    *({"ties": rule} for rule in TIES),
]
"""Single choices that no convention makes."""

Grades: TypeAlias = Union[Sequence[float], AnyArray, "pd.Series"]
"""The grades of one list."""


def which(
    value: float | str | Mapping[str, float | str],
    recommendations: TableLike | Grades,
    relevance: TableLike | Grades | None = None,
    measure: str = "nDCG",
    **options: Any,
) -> pd.DataFrame:
    """Find the conventions and single choices that lead to a printed number, or to several.

    Parameters
    ----------
    value : float, str or dict
        The number as it is printed. Its digits set the precision: ``"0.90"`` is not ``0.9``. For a
        row of a paper, pass the numbers of all its measures, because one convention has to fit all
        of them: ``{"nDCG@10": "0.139", "MAP@10": "0.081"}``.
    recommendations : table or path, or sequence of float
        As for `evaluate`, with one system; or the grades of one list, best rank first.
    relevance : table or path, or sequence of float, optional
        As for `evaluate`; or, with one list, the grades of all its relevant items, in any order.
        You may omit it only if you pass one list; receval then assumes that the list has all
        relevant items.
    measure : str, default "nDCG"
        Name of the measure of a single number, such as ``"nDCG@10"``.
    **options
        Further arguments of `evaluate`, such as ``user=`` or ``items=``. ``relevant_from=`` and
        ``users=`` hold under every convention.

    Returns
    -------
    DataFrame
        The columns ``convention``, ``changes``, ``value`` and ``distance``, nearest value first. If
        you pass several numbers, columns with the names of their measures replace ``value``.
        There is a row for each convention whose source has the measures; its ``changes`` are "".
        Each other row changes a single choice of the default convention, ``"receval"``. There is no
        row for a change that leaves all values as they are. ``distance`` is 0 if the value rounds
        to the number, and otherwise the absolute difference; of several numbers, it is the largest.
        A value is NaN if the convention refuses the tables or the mean is undefined, and then
        ``distance`` is NaN too. Of equal distances, rows with the same values are next to each
        other.

    Warns
    -----
    EvaluationWarning
        If no row fits. Then the authors may have had another split, other lists, other candidates,
        or another threshold.

    Raises
    ------
    InputError
        As in `evaluate`; also if ``value`` is not a number, there are several systems, you pass
        tables without relevance, a list has a grade that is not in its relevance, or an option is a
        choice of conventions.

    See Also
    --------
    explain_difference : Go from one convention to another, choice by choice.

    Examples
    --------
    A paper reports an nDCG@10 of 0.88. Its authors used a different discount:

    >>> grades = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
    >>> which("0.88", grades, measure="nDCG@10").round(4).head(5)
         convention                  changes   value  distance
    0  satisfaction                           0.8825    0.0000
    1         fuzzy                           0.8825    0.0000
    2       receval   discount: clipped_log2  0.8825    0.0000
    3       receval     discount: reciprocal  0.8778    0.0000
    4       receval   gain: exponential_gain  0.8951    0.0151

    With ratings, the reason can be the grade from which an item counts as relevant. You choose it.
    These two numbers of a paper fit together:

    >>> recs = pd.DataFrame({"user": [1, 1, 2, 2], "item": list("abab"), "score": [2, 1, 2, 1]})
    >>> ratings = pd.DataFrame({"user": [1, 1, 2], "item": ["a", "b", "a"], "relevance": [3, 5, 5]})
    >>> row = {"MRR": "0.75", "Precision@2": "0.50"}
    >>> which(row, recs, ratings, relevant_from=5)[["MRR", "Precision@2", "distance"]].head(1)
        MRR  Precision@2  distance
    0  0.75          0.5       0.0
    """
    # Read the numbers, the measures and the data.
    if isinstance(value, Mapping):
        names, numbers = list(value.keys()), list(value.values())
        value_columns = names
    else:
        names, numbers = [measure], [value]
        value_columns = ["value"]
    check_not_empty(numbers, "value", "hold a number for at least one measure")
    printed = [_read_printed(number) for number in numbers]
    measures = [measure_named(name) for name in names]
    if _is_list(recommendations):
        recommendations, relevance = _list_as_tables(recommendations, relevance)
    elif relevance is None:
        raise InputError("relevance must be given with tables; got None")
    tables = cast("TableLike", recommendations), cast("TableLike", relevance)
    _check_no_choices(options, "the search")

    # Compute the values under each candidate, and their distance to the printed numbers.
    rows = _rows_of_candidates(measures, *tables, options)
    table = pd.DataFrame(rows, columns=["convention", "changes", *value_columns])
    table["distance"] = [
        # Unlike Python's max, NumPy's is NaN if a distance is.
        np.max([_distance(mean, number) for mean, number in zip(means, printed, strict=True)])
        for means in table[value_columns].to_numpy(float).tolist()
    ]
    if not (table["distance"] == 0).any():
        warn(
            f"no convention gives {' and '.join(printed)}: the authors may have had another split, "
            "other lists or candidates (sampled negatives), or another lowest relevant grade "
            "(relevant_from=)",
            stacklevel=2,
        )
    # Sort by distance; among equal distances, rows with the same values follow one another.
    table["group"] = table.groupby(value_columns, sort=False, dropna=False).ngroup()
    table = table.sort_values(["distance", "group"], ignore_index=True)
    return table.drop(columns="group")


def explain_difference(
    recommendations: TableLike,
    relevance: TableLike,
    measure: str,
    a: str | Convention,
    b: str | Convention,
    **options: Any,
) -> pd.DataFrame:
    """Explain which choices make two conventions differ on these data, and by how much.

    The table goes from convention ``a`` to convention ``b``, one choice at a time.

    Parameters
    ----------
    recommendations, relevance : table or path
        As for `evaluate`, with one system.
    measure : str
        Name of one measure, such as ``"nDCG@10"``.
    a, b : str or Convention
        The first and the last convention.
    **options
        Further arguments of `evaluate`, such as ``user=`` or ``items=``.

    Returns
    -------
    DataFrame
        Indexed by choice. The first row has the mean under ``a``, and the last row the mean under
        ``b``. ``from`` and ``to`` are the two choices in words, ``value`` is the mean after the
        step, ``change`` is what the step adds, and ``alone`` is what the step would add if it were
        the only change to ``a``. The changes add up to the difference in the last row. A choice has
        no row if the two conventions agree on it, or if the measure does not depend on it.

    Raises
    ------
    InputError
        As in `evaluate`, for both conventions; also if there are several systems, or if an option
        is a choice that conventions make.

    Notes
    -----
    Choices interact: ``change`` is the effect of a step after the steps above it, so it may differ
    from ``alone``. The order of the steps is that of `conventions`.

    Examples
    --------
    >>> import pandas as pd
    >>> recs = pd.DataFrame({"user": 1, "item": ["a", "b", "c"], "score": [3, 2, 1]})
    >>> truth = pd.DataFrame({"user": 1, "item": ["b", "c", "d"], "relevance": [3, 1, 1]})
    >>> steps = explain_difference(recs, truth, "nDCG@3", "ranx", "lenskit")
    >>> steps.loc[steps["change"] != 0, ["to", "value", "change"]].round(5)
                        to    value   change
    choice
    ranx                    0.57924      NaN
    gain       binary_gain  0.53072 -0.04852
    discount  clipped_log2  0.61991  0.08918
    lenskit                 0.61991  0.04067
    """
    # Look up the names.
    used_measure = measure_named(measure)
    start = convention(a).for_measures([used_measure.spec.name])
    end = convention(b).for_measures([used_measure.spec.name])
    for rules in (start, end):
        rules.check_has(used_measure.spec.name, used_measure.name)
    _check_no_choices(options, "a and b")
    mean_under = partial(
        _mean_under,
        recommendations=recommendations,
        relevance=relevance,
        measure=used_measure,
        options=options,
    )
    start_value = mean_under(start)
    steps = [(start.name, "", "", start_value, np.nan, np.nan)]
    # Go from the first convention to the last one, one choice at a time. The words of a convention
    # describe its choices, for example "shifted_log2" for "discount".
    current = start
    current_value = start_value
    new_words = end.words()
    for choice, old in start.words().items():
        new = new_words[choice]
        if choice not in used_measure.choices or old == new:
            continue
        # The difference that this step would make if it were the only change to the first
        # convention.
        alone = mean_under(with_choice_of(start, choice, end)) - start_value
        current = with_choice_of(current, choice, end)
        previous_value = current_value
        current_value = mean_under(current)
        change = current_value - previous_value
        steps.append((choice, old, new, current_value, change, alone))
    steps.append((end.name, "", "", current_value, current_value - start_value, np.nan))
    columns = ["choice", "from", "to", "value", "change", "alone"]
    return pd.DataFrame(steps, columns=columns).set_index("choice")


# Values under a convention ------------------------------------------------------------------------


def _rows_of_candidates(
    measures: Sequence[Measure], recommendations: TableLike, relevance: TableLike, options: Options
) -> list[list[Any]]:
    """Return a row for each candidate: the convention, its change, and the value of each measure.

    Raises an `InputError` if every candidate refuses the tables.
    """
    # Candidates that make the same choices have the same values, so compute them once.
    values_by_choices: dict[tuple[str, ...], list[float]] = {}
    refusals: list[InputError] = []
    rows: list[list[Any]] = []
    for rules, change in _candidate_rules(measures):
        words = rules.words()
        choices = tuple(words[choice] for measure in measures for choice in measure.choices)
        if choices not in values_by_choices:
            try:
                values_by_choices[choices] = [
                    _mean_under(rules, recommendations, relevance, measure, options)
                    for measure in measures
                ]
            except InputError as error:
                # Some conventions refuse input that others accept, such as negative grades.
                values_by_choices[choices] = [np.nan] * len(measures)
                refusals.append(error)
        values = values_by_choices[choices]
        # Leave out changes that don't change a value of the default convention, which comes first.
        if not change or values != rows[0][2:]:
            rows.append([rules.name, change, *values])
    # If every candidate refused the input, the input must be wrong.
    if len(refusals) == len(values_by_choices):
        raise refusals[-1]
    return rows


def _check_no_choices(options: Options, chooser: str) -> None:
    """Raise an `InputError` if an option of `evaluate` is a choice that conventions make.

    The message tells the user to leave such choices to ``chooser``, which names one or more
    arguments, such as "a and b".
    """
    choices = [name for name in ("convention", "ties") if name in options]
    advice = "Give a Convention with them, made with dataclasses.replace"
    check_that(not choices, "options", f"leave the choices to {chooser}", choices, advice)


def _mean_under(
    rules: Convention,
    recommendations: TableLike,
    relevance: TableLike,
    measure: Measure,
    options: Options,
) -> float:
    """Return the mean of one system under a convention.

    ``options`` are further arguments of `evaluate`. Raises an `InputError` if there are several
    systems.
    """
    result = evaluate(recommendations, relevance, measure, convention=rules, **options)
    is_single = len(result.systems) == 1
    check_that(is_single, "recommendations", "be of one system", result.systems)
    return float(result.summary[measure.name].iloc[0])


def with_choice_of(rules: Convention, choice: str, other: Convention) -> Convention:
    """Return a copy of a convention that makes one choice as the ``other`` convention does.

    A choice such as "discount" can set several fields of a convention.
    """
    fields = {name: getattr(other, name) for name in FIELDS[choice]}
    return replace(rules, **fields)


def _distance(value: float, printed: str) -> float:
    """Return how far a value is from a printed number; 0 if it rounds to the number."""
    if agrees(value, printed):
        return 0.0
    return abs(value - float(printed))


def _candidate_rules(measures: Sequence[Measure]) -> list[tuple[Convention, str]]:
    """Return the conventions to try, each with its change in words; "" if there is no change.

    First come the conventions whose source has the measures, beginning with the default convention,
    which has all measures. Then come copies of the default convention with a single change: each
    choice that a measure depends on is replaced by each alternative in another convention or in
    `CHANGES`.
    """
    names = [measure.spec.name for measure in measures]
    candidates = []
    for rules in CONVENTIONS.values():
        # A convention lists the measures of its source, separated by spaces; "" means all measures.
        if not rules.measures or set(names) <= set(rules.measures.split()):
            candidates.append((rules, ""))
    # Take each choice from each other convention, such as "discount" from "lenskit".
    others = [*CONVENTIONS.values(), *(replace(DEFAULT, **change) for change in CHANGES)]
    choices = dict.fromkeys(choice for measure in measures for choice in measure.choices)
    # Several conventions can make the same choice, so try it once.
    tried = {f"{choice}: {words}" for choice, words in DEFAULT.words().items()}
    for choice, other in product(choices, others):
        # The exceptions that a convention makes for other measures don't matter here.
        rules = with_choice_of(DEFAULT, choice, other.for_measures(names))
        change = f"{choice}: {rules.words()[choice]}"
        if change not in tried:
            tried.add(change)
            candidates.append((rules, change))
    return candidates


def _read_printed(value: object) -> str:
    """Return a printed number as text with all its digits.

    Raises an `InputError` unless it is a number that is finite as a float, too.
    """
    with suppress(InvalidOperation):
        number = Decimal(str(value))
        if number.is_finite() and np.isfinite(float(number)):
            return str(number)
    raise input_error("value", "be a number as it is printed, '0.88'", shorten(value))


def _is_list(values: object) -> TypeGuard[Grades]:
    """Return whether the values are the grades of one list and not a table or a path.

    A list that holds a path is a list of files, which is a table.
    """
    if isinstance(values, (list, tuple)):
        return not any(isinstance(value, (str, Path)) for value in values)
    return isinstance(values, (np.ndarray, pd.Series)) and values.ndim > 0


def _list_as_tables(
    grades: Grades, relevance: TableLike | Grades | None
) -> tuple[dict[int, list[int]], dict[int, dict[int, float]]]:
    """Convert one list to the recommendations and the relevance of a user with the id 0.

    Both results are dicts by user. In the first one, this user has a list of items, and in the
    second one, a dict with the grade of each item. Items are numbers: the list has the items 0, 1,
    2, … in this order. Relevant items that are not in the list have the next numbers.

    Parameters
    ----------
    grades : array_like
        The grades of the list, best rank first.
    relevance : array_like or None
        The grades of all relevant items in any order; None means that the list has all of them.

    Raises
    ------
    InputError
        If the grades are not one list of numbers, or the relevance lacks a grade of the list.
    """
    # Read the grades; as_gains raises if one is negative or infinite.
    list_grades = as_gains(grades, "recommendations")
    all_grades = list_grades
    if relevance is not None:
        # These are in any order, so NaN may be anywhere. It counts as not relevant.
        all_grades = as_gains(relevance, "relevance", by_rank=False)
    is_one_list = list_grades.ndim == 1 and all_grades.ndim == 1
    is_empty = list_grades.size + all_grades.size == 0
    is_complete = is_one_list and not is_empty and not np.isnan(list_grades).any()
    check_that(is_complete, "recommendations", "be one list of grades", grades)
    # Count how often each grade above 0 occurs. The difference of two counters has only counts
    # above 0.
    listed, relevant = (
        Counter(values[values > 0].tolist()) for values in (list_grades, all_grades)
    )
    missing = sorted((listed - relevant).elements())
    if missing:
        raise InputError(f"relevance must hold every grade of the list; got none of {missing}")
    # The relevant items below the end of the list follow those of the list.
    grade_by_item = dict(enumerate([*list_grades.tolist(), *(relevant - listed).elements()]))
    return {0: list(range(list_grades.size))}, {0: grade_by_item}
