r"""Attractiveness: the click rate that items would have if users looked at each of them.

People look at the top of a list first. In the *position-based model*, a user clicks if she looks at
the place and the item attracts her. The probability of a click is the examination probability e(p)
of the place, times the attractiveness of the item.

`attractiveness` divides each response by e(p). The result says how much people would like the items
that a system shows, whatever their places. The click rate only says how often people click. So the
two can rank the systems differently.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd

from receval._arrays import as_answer, as_finite
from receval._checks import (
    FloatArray,
    IntArray,
    TableLike,
    check_none,
    check_that,
    check_unique,
)
from receval.fuzzy._log import check_columns, read_grades, read_log, read_positions
from receval.fuzzy.counterfactual import ratio_with_error, student_ends
from receval.metrics.discounts import Discount
from receval.tables.columns import to_pandas

__all__ = ["attractiveness", "examination_probabilities"]

Examination: TypeAlias = Mapping[int, float] | pd.Series | Discount
"""The probability that a user looks at a place: by place, or a function of places."""


def attractiveness(
    impressions: TableLike,
    *,
    examination: Examination,
    response: str = "clicked",
    system: str = "system",
    position: str = "position",
    user: str = "user",
) -> pd.DataFrame:
    r"""Estimate how attractive the items of each system are, whatever their place.

    .. math:: \frac1n \sum_{i} \frac{h_i}{e(p_i)}

    with a sum over the n impressions of a system, their places p, their responses h, and the
    examination probabilities e.

    Parameters
    ----------
    impressions : DataFrame
        One row per impression.
    examination : mapping, Series or callable
        Probability, above 0, that a user looks at a place: by place, such as the result of
        `examination_probabilities`, or a function of places, such as
        `receval.metrics.shifted_log2`. Probabilities that are estimated relative to place 1 may be
        a little above 1.
    response : str, default "clicked"
        Column of responses: boolean, 0 and 1, or grades from 0 to 1.
    system, position : str
        Columns of the system, and of the place in its list, from 1.
    user : str
        Column of the users, the unit of the intervals. Without a column "user", intervals treat
        impressions as independent.

    Returns
    -------
    DataFrame
        Systems in rows. The columns are ``attractiveness`` (the estimate), ``low`` and ``high``
        (its 95 % confidence interval), and ``unit`` (what the interval treats as independent). The
        interval is NaN for fewer than two units.

    Raises
    ------
    InputError
        If the log is empty, a column is missing, a response is outside [0, 1], a place is not a
        whole number of at least 1, a place has no examination probability, or such a probability is
        not above 0.

    Notes
    -----
    The estimate is right if the examination probabilities are right, and if only the place decides
    whether users look at an item. The intervals treat these probabilities as exact. If the system
    chooses the places, don't estimate the probabilities from its own log.

    References
    ----------
    Craswell et al. (2008), doi 10.1145/1341531.1341545 (models of position bias).

    Examples
    --------
    Half of the users look at place 2, so a click there counts twice:

    >>> log = pd.DataFrame({"system": "A", "position": [1, 2, 1, 2], "clicked": [1, 1, 0, 0]})
    >>> float(attractiveness(log, examination={1: 1.0, 2: 0.5}).loc["A", "attractiveness"])
    0.75
    """
    rows, systems = read_log(impressions, response, system=system, position=position, user=user)
    rows["liked"] = rows["response"] / _probabilities(examination, rows["position"].to_numpy())
    unit = "user"
    if unit not in rows:
        unit = "impression"
        rows[unit] = np.arange(len(rows))
    estimates = {}
    for code, label in enumerate(systems.tolist()):
        part = rows[rows["system"] == code]
        unit_codes = pd.factorize(part[unit])[0]
        value, error = ratio_with_error(part["liked"].to_numpy(), np.ones(len(part)), unit_codes)
        estimates[label] = [value, *student_ends(value, error, unit_codes)]
    columns = ["attractiveness", "low", "high"]
    table = pd.DataFrame.from_dict(estimates, orient="index", columns=columns)
    return table.rename_axis(system).assign(unit=unit)


def examination_probabilities(
    impressions: TableLike,
    *,
    response: str = "clicked",
    position: str = "position",
) -> pd.Series:
    r"""Estimate how likely users are to look at each place, from lists in random order.

    .. math:: \hat e(p) = \frac{\text{response rate at place } p}{\text{response rate at place } 1}

    If chance decides which item gets which place, the items of all places are equally attractive.
    Then the response rates of the places differ only because users look at some places more often,
    so these rates are proportional to the examination probabilities.

    Parameters
    ----------
    impressions : DataFrame
        One row per impression, of lists whose order was random. Filter the log first: the order of
        a recommender is not random.
    response, position : str
        Columns of the responses, and of the places.

    Returns
    -------
    Series
        Probabilities by place, relative to place 1, which has the value 1. They are at least 0.
        With few responses, some may exceed 1 by chance. ``attrs["counts"]`` holds the numbers of
        ``impressions`` and of ``responses`` by place.

    Raises
    ------
    InputError
        If the log is empty, a column is missing, a response is outside [0, 1], a place is not a
        whole number of at least 1, or place 1 has no response.

    References
    ----------
    Joachims, Swaminathan and Schnabel (2017), Unbiased Learning-to-Rank with Biased Feedback,
    section 5.1.

    Examples
    --------
    >>> log = pd.DataFrame({"position": [1, 1, 2, 2, 2, 2], "clicked": [1, 1, 1, 0, 1, 0]})
    >>> examination_probabilities(log).tolist()
    [1.0, 0.5]
    """
    table = to_pandas(impressions, "impressions")
    check_columns(table, [position, response], "impressions")
    check_that(len(table) > 0, "impressions", "have at least one row", "none")
    places = read_positions(table[position], position)
    responses = read_grades(table[response], response)
    by_place = pd.Series(responses).groupby(places)
    rates = by_place.mean().rename_axis(position)
    top_rate = float(rates.get(1, 0.0))
    check_that(top_rate > 0, response, "be above 0 in some row at place 1", top_rate)
    probabilities = (rates / top_rate).rename("examination")
    probabilities.attrs["counts"] = {
        "impressions": by_place.size().to_dict(),
        "responses": by_place.sum().to_dict(),
    }
    return probabilities


def _probabilities(examination: Examination, places: IntArray) -> FloatArray:
    """Return the examination probability of each place; raise if one is missing or not above 0."""
    if callable(examination):
        answer = examination(places.astype(np.float64))
        probability = as_finite(as_answer(answer, places.shape, "examination"), "examination")
    else:
        rule = "be a mapping of places, a Series or a function of places"
        check_that(isinstance(examination, (Mapping, pd.Series)), "examination", rule, examination)
        by_place = pd.Series(examination, dtype=object)
        check_unique(by_place.index.tolist(), "examination", "place")
        missing = np.setdiff1d(places, by_place.index)
        rule = "have a probability for each place of the log"
        check_that(len(missing) == 0, "examination", rule, missing.tolist())
        probability = as_finite(by_place[places].to_numpy(), "examination")
    check_none(probability, probability <= 0, "examination", "be above 0")
    return probability
