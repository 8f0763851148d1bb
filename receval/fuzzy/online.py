r"""On-line measures from a log: to what degree a system's ranking implies the users' responses.

Each impression is a pair of an object o and a user u, recommended at place p, with a response
h: clicked or not, visited later or not. With :math:`f = 1/\log_2(p+1)`, which is
:math:`f_k^{DG}(s_k(p))`, document 002 takes means over all pairs at the first k places:

============ ==================================================== =============================
measure      value of one pair                                    weight of the pair
============ ==================================================== =============================
``IL``       :math:`\min(1, 1 - f + h)` (Łukasiewicz)             1
``IG``       :math:`h` (Gödel; on clicks the click-through rate)  1
``IG_pos``   :math:`h`                                            :math:`f`
``IG_nov``   :math:`h`                                            :math:`1/|X_u|`, the column
                                                                  ``weight``
============ ==================================================== =============================

The authors' program computes other numbers; ``variant`` chooses the definition.

===================== ===================================================================
variant               differs from the equations in
===================== ===================================================================
``"equations"``       nothing
``"session_means"``   the sum of a session is divided by k (or by the weights of the first k
                      places), however long its list is, and the mean is over sessions
``"program"``         as ``"session_means"``, and: responses below place k count; Łukasiewicz
                      adds f in place of 1 - f; ``IG_pos`` divides by the weights of the
                      places that the session really has; ``IG_nov`` multiplies a session's
                      responses by the sum of their weights
===================== ===================================================================

``"session_means"`` and ``"equations"`` agree if every list has k places, and the rows of a session
all have the same weight.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from receval._arrays import ROUNDING, divide_or_nan
from receval._checks import (
    FloatArray,
    IntArray,
    TableLike,
    as_generator_or_random,
    check_count,
    check_number,
    check_that,
    format_first,
    warn,
)
from receval._table import WorkingTable
from receval.fuzzy import _log
from receval.fuzzy._plan import Implicators, common_cutoff, list_lengths, plan_measures
from receval.fuzzy._variants import (
    measure_fractions,
    measure_systems,
    notes_on_repeats,
)
from receval.fuzzy.attribution import attribute_clicks, attribute_visits, impression_of
from receval.metrics.connectives import goedel, lukasiewicz
from receval.metrics.connectives.scaling import linear_score
from receval.metrics.discounts import Discount, shifted_log2
from receval.significance import resampled_sums
from receval.significance.intervals import effective_number, ends_without_spread
from receval.tables.columns import read_column
from receval.tables.reading import open_table

__all__ = [
    "attribute_clicks",
    "attribute_visits",
    "impression_of",
    "online_intervals",
    "online_measures",
    "online_terms",
]


def online_measures(
    impressions: TableLike,
    *,
    response: str = "clicked",
    k: int | None = None,
    system: str = "system",
    position: str = "position",
    weight: str | None = None,
    variant: str = "equations",
    session: str | None = None,
    user: str | None = None,
    item: str | None = None,
    implicator: Implicators | None = None,
    f: Discount | None = None,
    weights: Mapping[str, str | Discount] | None = None,
) -> pd.DataFrame:
    r"""Compute on-line measures of each system, from the places and responses in a log.

    .. math:: \mathcal{I}_L = \frac1n \sum \min\Big(1, 1 - \frac{1}{\log_2(p+1)} + h\Big)
              \qquad
              \mathcal{I}_{G,w} = \frac{\sum w h}{\sum w}

    with sums over the impressions of the system at places :math:`p \le k`; w is 1 for ``IG``,
    :math:`1/\log_2(p+1)` for ``IG_pos`` and the column ``weight`` for ``IG_nov``. With
    ``implicator``, ``f`` and ``weights`` you define your own measures:

    .. math:: \mathcal{I}_{w} = \frac{\sum w \, I\big(f(p), h\big)}{\sum w}

    Parameters
    ----------
    impressions : DataFrame or other table of named columns
        One row per recommended item.
    response : str, default "clicked"
        Column of the response h: boolean, or 0 and 1, or a grade from 0 to 1, such as the share of
        an article that was read. `attribute_clicks` and `attribute_visits` add such a column.
    k : int, optional
        Number of places that count; in document 002 it is 6 on clicks and 20 on visits.
        Impressions at later places are left out and counted. Default: the last place that every
        system fills, because systems with longer lists get more responses to later places.
    system, position : str
        Columns of the system, and of the place in its list, from 1.
    weight : str, optional
        Column of the weights in ``IG_nov``, at least 0; in the document :math:`1/|X_u|`, one
        over the number of items that the user has visited.
    variant : {"equations", "session_means", "program"}, default "equations"
        The definition, as described in this module.
    session, user, item : str, optional
        Columns that identify a list and its items. Default: the columns of these names, if there
        are any. Variants that average over sessions need them; otherwise they help to find
        duplicates. If a session id occurs with several systems or users, it stands for several
        sessions.
    implicator : callable or mapping, optional
        I(b, h), such as `product`; or several by name, such as ``{"IL": lukasiewicz}``. A single
        one gets the name of its function. Default: the two implicators of the document.
    f : callable, optional
        Function from a place to the degree b, in [0, 1], such as those of
        `receval.metrics.discounts`. Default: `shifted_log2`, as in the document.
    weights : mapping, optional
        Weights by suffix: each weight is a column of the log, or a function of places, and its
        suffix is appended to the names of the measures. ``{"pos": shifted_log2, "nov": "weight"}``
        gives ``IL_pos``, ``IL_nov``, ``IG_pos`` and ``IG_nov``. It replaces ``weight``. If you pass
        an ``implicator`` or an ``f``, there are no weights by default.

    Returns
    -------
    DataFrame
        Systems in rows; ``IL``, ``IG``, ``IG_pos`` and ``IG_nov`` in columns, or, for each
        implicator that you pass, its mean and its weighted means. All are in [0, 1] under
        ``"equations"``. ``IG_nov`` is NaN without ``weight``. A weighted mean is NaN if all its
        weights are 0. All measures are NaN for a system that has no impression in the first k
        places. ``attrs["counts"]`` holds the numbers of ``impressions`` and ``responses``. For
        places after k, it has the numbers ``beyond_k`` (impressions) and ``responses_beyond_k``. If
        there are columns of users and items, it also holds ``responses_repeated``: responses of a
        user to an item that the user responded to before under the same system. If these decide
        which system is best, ``attrs["notes"]`` and an `EvaluationWarning` say so. There is another
        note if the lists of the systems end at different places within the first k.

    Raises
    ------
    InputError
        If there is no impression, a column is missing, a response is outside [0, 1], a place is not
        a whole number of at least 1, a weight is negative or not finite, a session has an item or a
        place twice, or ``k`` is not a positive integer; if an implicator or ``f`` returns degrees
        outside [0, 1]; if both ``weight`` and ``weights`` are passed; or if grades or your own
        measures are combined with a variant other than "equations".

    Notes
    -----
    According to eq. 12, the Gödel implicator of a yes-or-no response is the response itself, so
    ``IG`` is the click-through rate. With grades, ``IG`` is the mean of I(f(p), h): a response h
    counts fully if it is at least f(p). To scale the responses, use `scaled`; to use a step
    function of the linear score as ``f``, pass ``lambda p: dcg_scaling(k)(linear_score(p, k))``,
    which is `shifted_log2` up to place k.

    References
    ----------
    Document 002, section IV-B, eq. 12, and section VI (graded responses).

    Examples
    --------
    >>> log = pd.DataFrame({"system": "A", "position": [1, 2, 3], "clicked": [0, 0, 1]})
    >>> online_measures(log, k=6).round(4)
                IL      IG  IG_pos  IG_nov
    system
    A       0.4564  0.3333  0.2346     NaN

    Grades, another implicator and weights of your own:

    >>> log["read"] = [0.5, 0.0, 1.0]
    >>> from receval.fuzzy import product
    >>> from receval.metrics import shifted_log2
    >>> online_measures(log, response="read", implicator=product, weights={"pos": shifted_log2})
            product  product_pos
    system
    A           0.5     0.469279
    """
    plan = plan_measures(implicator, f, weight, weights, variant)
    log, systems = _log.read(
        impressions,
        response,
        system,
        position,
        weight,
        user=user,
        session=session,
        item=item,
        more_weights=plan.weight_columns,
    )
    index = pd.Index(systems, name=system)
    k, notes = common_cutoff(k, list_lengths(log, systems))
    values = measure_systems(log, k, variant, plan.measures, plan.f)
    table = pd.DataFrame(values, index=index)
    has_response = log["response"] > 0
    is_beyond_k = log["position"] > k
    n_responses = int(has_response.sum())
    table.attrs["counts"] = {
        "impressions": len(log),
        "beyond_k": int(is_beyond_k.sum()),
        "responses": n_responses,
        "responses_beyond_k": int((has_response & is_beyond_k).sum()),
    }
    if "user" in log and "item" in log:
        is_repeated_response = log[has_response].duplicated(["system", "user", "item"])
        is_repeated = is_repeated_response.reindex(log.index, fill_value=False)
        n_repeated = int(is_repeated.sum())
        table.attrs["counts"]["responses_repeated"] = n_repeated
        # Measure again without the repeated responses, and compare which system is best.
        log_once = log.assign(response=log["response"].mask(is_repeated, 0.0))
        values_once = measure_systems(log_once, k, variant, plan.measures, plan.f)
        notes_of_repeats = notes_on_repeats(table, pd.DataFrame(values_once, index=index))
        notes += notes_of_repeats
        table.attrs["notes"] = notes
        if notes_of_repeats:
            warn(
                f"{n_repeated} of {n_responses} responses are repeated: "
                f"{'; '.join(notes_of_repeats)}",
                stacklevel=2,
            )
    elif notes:
        table.attrs["notes"] = notes
    return table


def online_intervals(
    impressions: TableLike,
    *,
    response: str = "clicked",
    k: int | None = None,
    system: str = "system",
    position: str = "position",
    weight: str | None = None,
    variant: str = "equations",
    session: str | None = None,
    user: str = "user",
    item: str | None = None,
    implicator: Implicators | None = None,
    f: Discount | None = None,
    weights: Mapping[str, str | Discount] | None = None,
    level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> pd.DataFrame:
    """Compute on-line measures with confidence intervals, by bootstrap over users.

    Impressions of one user depend on each other, so the function draws users of each system, with
    replacement and with all their impressions. The ends of the interval are percentiles of the
    measure over the draws.

    Parameters
    ----------
    impressions, response, k, system, position, weight, variant, session, item
        As in `online_measures`.
    user : str
        Column of the users.
    implicator, f, weights
        As in `online_measures`.
    level : float, default 0.95
        Share of the draws that the interval covers.
    n_resamples : int, default 2000
        Number of draws. The time grows with the number of draws times the number of users.
    rng : Generator or int, optional
        Source of randomness, or a seed for one.

    Returns
    -------
    DataFrame
        Indexed by (system, measure), with the columns ``value`` (that of `online_measures`),
        ``low`` and ``high``. Draws in which a measure is undefined are left out. If all responses
        of a system are 0, or all are 1, the draws can't say how certain a measure is. A measure of
        0 or 1 then gets Wilson's interval of a proportion, which takes users as outcomes. Any other
        measure has an interval of NaN.

    Warns
    -----
    EvaluationWarning
        If a measure has no interval, because all responses or all users' values are equal.

    Raises
    ------
    InputError
        As in `online_measures`; also if ``level`` is not between 0 and 1 or ``n_resamples`` is not
        a positive integer.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 13. Wilson (1927), Probable
    inference, the law of succession, and statistical inference.

    Examples
    --------
    >>> log = pd.DataFrame({"system": "A", "user": range(100), "position": 1})
    >>> log["clicked"] = log["user"] < 20
    >>> online_intervals(log, k=6, rng=0).loc[("A", "IG")].round(2).tolist()
    [0.2, 0.12, 0.28]
    """
    plan = plan_measures(implicator, f, weight, weights, variant)
    log, systems = _log.read(
        impressions,
        response,
        system,
        position,
        weight,
        user=user,
        session=session,
        item=item,
        more_weights=plan.weight_columns,
    )
    k, _ = common_cutoff(k, list_lengths(log, systems))
    check_that("user" in log, "user", "be the name of a column, since users are drawn", user)
    level = check_number(level, "level", "a number between 0 and 1", lambda x: 0 < x < 1)
    n_draws = check_count(n_resamples, "n_resamples")
    generator = as_generator_or_random(rng)
    # A person who used two systems counts as a user of each.
    user_codes = _log.number_groups(log[["system", "user"]])
    system_by_user = log["system"].groupby(user_codes).first().to_numpy()
    numerators, denominators = measure_fractions(log, k, variant, user_codes, plan.measures, plan.f)
    names = [measure.name for measure in plan.measures]
    # A row per user: the numerators of the measures, then their denominators. A measure of drawn
    # users is the sum of its numerators divided by that of its denominators.
    terms_by_user = np.concatenate([numerators, denominators]).T
    tail = (1 - level) / 2
    is_counted = log["position"] <= k
    n_responses = log["response"][is_counted].groupby(log["system"][is_counted]).nunique()
    tables = {}
    without_interval = []
    for code, label in enumerate(systems):
        terms = terms_by_user[system_by_user == code]
        # The value with all users.
        numerator_sums, denominator_sums = np.split(terms.sum(axis=0), 2)
        value = divide_or_nan(numerator_sums, denominator_sums)
        # The values of the draws: draws in rows, measures in columns. quantile() ignores NaN.
        drawn_sums = resampled_sums(terms, n_draws, generator)
        drawn_numerators, drawn_denominators = np.split(drawn_sums, 2, axis=-1)
        drawn_values = pd.DataFrame(divide_or_nan(drawn_numerators, drawn_denominators))
        low, high = drawn_values.quantile([tail, 1 - tail]).to_numpy(copy=True)
        # If the responses don't differ, the draws only vary the lists, and if no user's values
        # differ from the mean, they vary nothing.
        numerator_by_user, denominator_by_user = np.split(terms, 2, axis=-1)
        deviations = np.abs(numerator_by_user - value * denominator_by_user).max(axis=0)
        has_no_spread = deviations <= ROUNDING * np.abs(numerator_by_user).max(axis=0)
        if n_responses.get(code, 0) == 1:
            has_no_spread[:] = True
        for measure in np.flatnonzero(has_no_spread & ~np.isnan(value)):
            n_users = effective_number(denominator_by_user[:, measure])
            low[measure], high[measure] = ends_without_spread(value[measure], n_users, level)
            if math.isnan(low[measure]):
                without_interval.append((label, names[measure]))
        tables[label] = pd.DataFrame({"value": value, "low": low, "high": high}, names)
    if without_interval:
        warn(
            f"there is no interval for {format_first(without_interval)}: all responses or all "
            "users' values are equal, which doesn't make the measure certain",
            stacklevel=2,
        )
    table: pd.DataFrame = pd.concat(tables, names=[system, "measure"])
    return table


def online_terms(
    impressions: TableLike, *, response: str = "clicked", k: int, position: str = "position"
) -> pd.DataFrame:
    """List what each impression adds to the measures: the working of `online_measures`.

    Parameters
    ----------
    impressions, response, k, position
        As in `online_measures`.

    Returns
    -------
    DataFrame
        One row per impression of the first k places, with the log's index if it has one. The
        columns are the place ``p``, its score ``s`` = (k + 1 - p) / k, ``f`` = 1/log2(p + 1),
        the response ``h``, and its Łukasiewicz value ``IL`` and Gödel value ``IG``. The measures
        ``IL`` and ``IG`` are the means of the last two columns; ``IG_pos`` is the mean of ``IG``
        with the weights ``f``.

    Raises
    ------
    InputError
        As in `online_measures`.

    References
    ----------
    Document 002, eq. 6, 7 and 12.

    Examples
    --------
    >>> log = pd.DataFrame({"position": [1, 6], "clicked": [True, False]})
    >>> online_terms(log, k=6).round(3)
       p      s      f  h     IL  IG
    0  1  1.000  1.000  1  1.000   1
    1  6  0.167  0.356  0  0.644   0
    """
    k = check_count(k, "k")
    log = open_table(impressions, "impressions")
    positions = _log.positions(read_column(log, position, "impressions"), position)
    responses = _log.grades(read_column(log, response, "impressions"), response)
    is_within_k = positions <= k
    p = positions[is_within_k]
    h = responses[is_within_k]
    f = shifted_log2(p)
    index = getattr(impressions, "index", None)  # only pandas tables have an index
    if index is not None:
        index = index[is_within_k]
    terms: dict[str, FloatArray | IntArray] = {
        "p": p,
        "s": linear_score(p, k),
        "f": f,
        "h": h,
        "IL": lukasiewicz(f, h),
        "IG": goedel(f, h),
    }
    if np.isin(h, [0, 1]).all():  # yes or no, which tables show as whole numbers
        terms["h"] = terms["h"].astype(np.int64)
        terms["IG"] = terms["IG"].astype(np.int64)
    return WorkingTable(terms, index)
