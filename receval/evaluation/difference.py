"""Why two conventions give different numbers on the same data: one choice at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import input_error
from receval.evaluation.evaluate import evaluate
from receval.measure.convention import FIELDS, Convention
from receval.measure.definition import Measure
from receval.measure.names import convention
from receval.measure.names import measure as measure_named

__all__ = ["explain_difference"]


def value_under(
    recommendations: Any, relevance: Any, one: Measure, options: Mapping[str, Any], named: str
) -> Callable[[Convention], float]:
    """The mean of one system as a function of the convention, which is ``named`` and no option."""
    chosen = [name for name in ("convention", "ties", "missing") if name in options]
    if chosen:
        advice = "Give a Convention with them, made with dataclasses.replace"
        raise input_error("options", f"leave the choices to {named}", ", ".join(chosen), advice)

    def value(rules: Convention) -> float:
        result = evaluate(recommendations, relevance, one, convention=rules, **options)
        if len(result.systems) != 1:
            got = ", ".join(map(str, result.systems))
            raise input_error("recommendations", "be of one system", got)
        return float(result.summary[one.name].iloc[0])

    return value


def with_choice_of(rules: Convention, choice: str, other: Convention) -> Convention:
    """A convention with one choice of another."""
    return replace(rules, **{name: getattr(other, name) for name in FIELDS[choice]})


def explain_difference(
    recommendations: Any,
    relevance: Any,
    measure: str,
    a: str | Convention,
    b: str | Convention,
    **options: Any,
) -> pd.DataFrame:
    """Which choice makes two conventions differ on these data, and by how much.

    Goes from convention ``a`` to convention ``b`` one choice at a time.

    Parameters
    ----------
    recommendations, relevance : table or path
        As for `evaluate`, of one system.
    measure : str
        Name of one measure, such as ``"nDCG@10"``.
    a, b : str or Convention
        From whose number to whose.
    **options
        Further arguments of `evaluate`, such as ``user=`` or ``items=``.

    Returns
    -------
    DataFrame
        Indexed by choice; the first row is the mean under ``a``, the last one that under ``b``.
        ``from`` and ``to`` are the two choices in words, ``value`` the mean after the step,
        ``change`` what the step adds (these add up to the difference, which the last row has),
        and ``alone`` what it would add as the only change of ``a``. Choices in which the two
        agree, or that the measure does not depend on, have no row.

    Raises
    ------
    InputError
        As `evaluate`; if there are several systems; or if an option is a convention's choice.

    Notes
    -----
    Choices interact: a step is worth what it changes after the steps above it, which is why
    ``change`` and ``alone`` may differ. The order of the steps is that of `conventions`.

    Examples
    --------
    >>> import pandas as pd
    >>> recs = pd.DataFrame({"user": 1, "item": ["a", "b", "c"], "score": [3, 2, 1]})
    >>> truth = pd.DataFrame({"user": 1, "item": ["b", "c", "d"], "relevance": [3, 1, 1]})
    >>> found = explain_difference(recs, truth, "nDCG@3", "ranx", "lenskit")
    >>> found.loc[found["change"] != 0, ["to", "value", "change"]].round(5)
                        to    value   change
    choice
    ranx                    0.57924      NaN
    gain       binary_gain  0.53072 -0.04852
    discount  clipped_log2  0.61991  0.08918
    lenskit                 0.61991  0.04067
    """
    start, end = convention(a), convention(b)
    one = measure_named(measure)
    value = value_under(recommendations, relevance, one, options, "a and b")
    first = last = value(start)
    rows: list[Any] = [(start.name, "", "", first, np.nan, np.nan)]
    reached = start
    for choice, old in start.words().items():
        new = end.words()[choice]
        if choice in one.choices and old != new:
            reached = with_choice_of(reached, choice, end)
            alone = value(with_choice_of(start, choice, end)) - first
            before, last = last, value(reached)
            rows.append((choice, old, new, last, last - before, alone))
    rows.append((end.name, "", "", last, last - first, np.nan))
    columns = ["choice", "from", "to", "value", "change", "alone"]
    return pd.DataFrame(rows, columns=columns).set_index("choice")
