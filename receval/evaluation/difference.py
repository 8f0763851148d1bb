"""Explain why two conventions give different numbers on the same data, choice by choice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import Options, TableLike, check_that, input_error
from receval.definitions.convention import FIELDS, Convention
from receval.definitions.definition import Measure
from receval.definitions.names import convention
from receval.definitions.names import measure as measure_named
from receval.evaluation.evaluate import evaluate


def value_under(
    recommendations: TableLike,
    relevance: TableLike,
    measure: Measure,
    options: Options,
    chooser: str,
) -> Callable[[Convention], float]:
    """Return a function that computes the mean of one system under a convention.

    The function takes a `Convention` and evaluates the two tables with it. ``options`` are further
    arguments of `evaluate`. Raises an `InputError` if an option is a choice of the convention. The
    message tells the user to leave such choices to ``chooser``, which names one or more arguments,
    such as "a and b".
    """
    choices = [name for name in ("convention", "ties", "missing") if name in options]
    if choices:
        advice = "Give a Convention with them, made with dataclasses.replace"
        raise input_error("options", f"leave the choices to {chooser}", ", ".join(choices), advice)

    def compute_mean(rules: Convention) -> float:
        """Return the mean under a convention; raise an error if there are several systems."""
        result = evaluate(recommendations, relevance, measure, convention=rules, **options)
        is_single = len(result.systems) == 1
        check_that(is_single, "recommendations", "be of one system", result.systems)
        return float(result.summary[measure.name].iloc[0])

    return compute_mean


def with_choice_of(rules: Convention, choice: str, other: Convention) -> Convention:
    """Return a copy of a convention that makes one choice as the ``other`` convention does.

    A choice such as "discount" can set several fields of a convention.
    """
    fields = {name: getattr(other, name) for name in FIELDS[choice]}
    return replace(rules, **fields)


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
    compute_mean = value_under(recommendations, relevance, used_measure, options, "a and b")
    start_value = compute_mean(start)
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
        alone = compute_mean(with_choice_of(start, choice, end)) - start_value
        current = with_choice_of(current, choice, end)
        previous_value = current_value
        current_value = compute_mean(current)
        change = current_value - previous_value
        steps.append((choice, old, new, current_value, change, alone))
    steps.append((end.name, "", "", current_value, current_value - start_value, np.nan))
    columns = ["choice", "from", "to", "value", "change", "alone"]
    return pd.DataFrame(steps, columns=columns).set_index("choice")
