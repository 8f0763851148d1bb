"""Predictability: which off-line metric implies success with users.

Two tables have the systems (algorithms) as index. One has off-line metrics in its columns, the
other on-line measures. Higher must be better in all columns. `receval.fuzzy.testing` tests whether
a metric predicts a measure by more than chance would give.
"""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from receval._arrays import ROUNDING, as_finite, divide_or_nan, without_rounding_noise
from receval._checks import (
    FloatArray,
    InputError,
    check_choice,
    check_integer,
    check_none,
    check_that,
    check_unique,
    format_first,
    input_error,
    shorten,
)
from receval.metrics.connectives import goedel, product
from receval.metrics.connectives.formulas import Connective, apply_connective
from receval.metrics.ties import tied_ranks
from receval.tables.columns import check_frame, index_by_id

ROUNDING_ERROR = 2.0**-48
"""The largest rounding error of a number, as a share of the largest number that it comes from."""


def degrees_of_truth(table: pd.DataFrame) -> pd.DataFrame:
    r"""Turn a table of results into degrees of truth, as `implication_matrix` does.

    .. math:: b_i^p = x_i^p / \lVert x^p \rVert_2

    Parameters
    ----------
    table : DataFrame
        Systems in rows, metrics or measures in columns; at least 0, higher is better.

    Returns
    -------
    DataFrame
        The same rows and columns, values in [0, 1].

    Raises
    ------
    InputError
        If a row or column occurs twice, a value is missing, infinite or negative, or a column is
        all zero.

    References
    ----------
    Document 002, section V-C.

    Examples
    --------
    >>> degrees_of_truth(pd.DataFrame({"AUC": [3.0, 4.0]}))["AUC"].tolist()
    [0.6, 0.8]
    """
    checked = read_results(table, "table")
    degrees = as_degrees(checked, "table")
    return pd.DataFrame(degrees, checked.index, checked.columns)


def implication_matrix(
    offline: pd.DataFrame,
    online: pd.DataFrame,
    implicator: Connective,
    *,
    normalize: str | None = "l2",
) -> pd.DataFrame:
    r"""Compute how far each off-line metric implies each on-line measure, averaged over systems.

    .. math:: c_p^q = \frac{1}{n} \sum_{i=1}^{n} I\left(b_i^p,\, h_i^q\right), \qquad
              b^p = \frac{x^p}{\lVert x^p \rVert_2}, \quad h^q = \frac{y^q}{\lVert y^q \rVert_2}

    Parameters
    ----------
    offline, online : DataFrame
        Results :math:`x_i^p` and :math:`y_i^q`: the same systems as index, in any order; one
        column per metric or measure; at least 0, higher is better.
    implicator : callable
        I(b, h), such as `goedel`, or a `scaled` one.
    normalize : {"l2", None}, default "l2"
        How to make columns comparable: divide them by their Euclidean length, as the document does.
        If None, values must be in [0, 1].

    Returns
    -------
    DataFrame
        Off-line metrics in rows, on-line measures in columns; values in [0, 1].

    Raises
    ------
    InputError
        If the systems of the two tables differ, a system or column occurs twice, a value is missing
        or negative, a column to be normalised is all zero, or a value is above 1 and ``normalize``
        is None.

    Notes
    -----
    Degrees that differ by rounding errors (at most :math:`2^{-48}` of them) count as equal. Without
    this tolerance, the Gödel implicator would react to rounding errors. With it, a metric and the
    same metric times 100 imply each other fully.

    References
    ----------
    Document 002, eq. 13 and 14.

    Examples
    --------
    >>> from receval.fuzzy import lukasiewicz
    >>> offline = pd.DataFrame({"AUC": [3.0, 4.0], "ILD": [4.0, 3.0]}, index=["a", "b"])
    >>> online = pd.DataFrame({"CTR": [0.03, 0.04]}, index=["a", "b"])
    >>> implication_matrix(offline, online, lukasiewicz).round(3)
         CTR
    AUC  1.0
    ILD  0.9
    """
    if normalize is not None:
        check_choice(normalize, "normalize", ("l2",))
    offline, online = read_both(offline, online)
    body = as_degrees(offline, "offline", normalize)
    head = as_degrees(online, "online", normalize)
    values = mean_implications(body, head, implicator)
    return pd.DataFrame(values, offline.columns, online.columns)


def implication_ranks(matrix: pd.DataFrame) -> pd.DataFrame:
    """Rank the off-line metrics for each on-line measure: Figure 2 of the document.

    Parameters
    ----------
    matrix : DataFrame
        Result of `implication_matrix`.

    Returns
    -------
    DataFrame
        Ranks in the same rows and columns: 1 for the largest mean implication of a column;
        equal values share the mean of their ranks. ``.mean(axis=1)`` gives the mean rank of
        each metric.

    Raises
    ------
    InputError
        If a value is missing or infinite.

    References
    ----------
    Document 002, figure 2.

    Examples
    --------
    >>> matrix = pd.DataFrame({"CTR": [0.5, 0.9, 0.5]}, index=["MAP", "AUC", "ILD"])
    >>> implication_ranks(matrix)["CTR"].tolist()
    [2.5, 1.0, 2.5]
    """
    checked = read_results(matrix, "matrix")
    return pd.DataFrame(descending_ranks(checked.to_numpy()), checked.index, checked.columns)


def metric_advice(offline: pd.DataFrame, online: pd.DataFrame) -> pd.DataFrame:
    r"""Rank off-line metrics by how useful they are for selecting and for excluding systems.

    To *select* systems you need a metric that doesn't promise much more than users confirm. The
    product and Łukasiewicz implicators measure by how much a metric over-estimates. To *exclude*
    systems you need a metric that hardly ever over-estimates. The Gödel implicator gives small and
    large over-estimates the same weight.

    A good rank proves nothing by itself. A metric whose values are nearly equal over-estimates
    little, even if it says nothing about the systems. So each rank comes with the *lift*: the mean
    implication minus its expected value if the systems swap their outcomes at random. Only the lift
    says whether the metric distinguishes good systems from bad ones; `predictability_test` says
    whether the lift is more than chance.

    Parameters
    ----------
    offline, online : DataFrame
        As in `implication_matrix`.

    Returns
    -------
    DataFrame
        One row per off-line metric, ordered by the first column. ``selection`` and ``exclusion``
        are mean ranks over the on-line measures (1 is best). ``selection_by_chance`` and
        ``exclusion_by_chance`` are the mean implications by chance, and ``selection_lift`` and
        ``exclusion_lift`` are the observed mean implications minus those by chance. ``kendall`` is
        the mean Kendall correlation with the on-line measures, which is 0 by chance.

    Raises
    ------
    InputError
        As in `implication_matrix`.

    References
    ----------
    Document 002, section V-C, its last paragraphs.

    Examples
    --------
    >>> offline = pd.DataFrame({"AUC": [3.0, 4.0], "ILD": [4.0, 3.0]}, index=["a", "b"])
    >>> online = pd.DataFrame({"CTR": [0.03, 0.04]}, index=["a", "b"])
    >>> metric_advice(offline, online)[["selection", "exclusion", "kendall"]]
         selection  exclusion  kendall
    AUC        1.0        1.0      1.0
    ILD        2.0        2.0     -1.0
    """
    offline, online = read_both(offline, online)
    body = as_degrees(offline, "offline")
    head = as_degrees(online, "online")
    # If systems swap their outcomes at random, the expected value is the mean over all pairs: the
    # off-line values of any system with the outcomes of any system.
    n_systems = len(body)
    bodies_of_pairs = np.repeat(body, n_systems, axis=0)
    heads_of_pairs = np.tile(head, (n_systems, 1))
    ranks = pd.DataFrame(index=offline.columns)
    lifts = pd.DataFrame(index=offline.columns)
    for task, implicator in {"selection": product, "exclusion": goedel}.items():
        values = mean_implications(body, head, implicator)
        by_chance = mean_implications(bodies_of_pairs, heads_of_pairs, implicator)
        ranks[task] = descending_ranks(values).mean(axis=1)
        lifts[f"{task}_by_chance"] = by_chance.mean(axis=1)
        lifts[f"{task}_lift"] = (values - by_chance).mean(axis=1)
    # A metric or measure without two different values has no correlation: the mean is NaN too.
    mean_kendall = agreement_matrix(offline, online).mean(axis=1, skipna=False)
    advice = ranks.assign(kendall=mean_kendall).join(lifts)
    return advice.sort_values("selection", kind="stable")


def agreement_matrix(offline: pd.DataFrame, online: pd.DataFrame) -> pd.DataFrame:
    r"""Compute Kendall's :math:`\tau_b` of every off-line metric with every on-line measure.

    It says how similarly two columns order the systems, without implication.

    .. math:: \tau_b = \frac{C - D}{\sqrt{(P - T_x)(P - T_y)}}

    with C concordant and D discordant pairs of systems, P pairs in all, and :math:`T_x` or
    :math:`T_y` pairs that are tied in a column.

    Parameters
    ----------
    offline, online : DataFrame
        The same systems as index, in any order; one column per metric or measure; higher is
        better. Pass one table twice to compare its columns with each other.

    Returns
    -------
    DataFrame
        Off-line metrics in rows, on-line measures in columns; values in [-1, 1], and NaN if a
        column has no two different values.

    Raises
    ------
    InputError
        If the systems of the two tables differ, or a value is missing or infinite.

    References
    ----------
    Document 002, section V-B; Kendall (1945), Biometrika 33.

    Examples
    --------
    >>> offline = pd.DataFrame({"AUC": [0.6, 0.7, 0.8, 0.9]})
    >>> online = pd.DataFrame({"CTR": [0.02, 0.01, 0.04, 0.03]})
    >>> agreement_matrix(offline, online).loc["AUC", "CTR"].round(4)
    np.float64(0.3333)
    """
    offline, online = read_both(offline, online)
    values = kendall(offline.to_numpy(), online.to_numpy())
    return pd.DataFrame(values, offline.columns, online.columns)


def selection_regret(offline: pd.DataFrame, online: pd.DataFrame, *, top: int = 3) -> pd.DataFrame:
    r"""Compute how much you lose if you select systems by an off-line metric.

    You can test only a few systems on-line. If you select the ``top`` best by a metric, and the
    on-line test then finds the best of them, the relative regret is

    .. math:: \frac{\max_i y_i - \max_{i \in \text{selected}} y_i}{\max_i y_i}

    Parameters
    ----------
    offline, online : DataFrame
        The same systems as index, in any order; higher is better; on-line values at least 0.
    top : int, default 3
        Number of systems to select.

    Returns
    -------
    DataFrame
        Indexed by (metric, measure): ``regret``, and ``by_chance``, the mean regret of ``top``
        systems chosen at random. Both are in [0, 1]. If systems are tied for the last places, the
        regret is the mean over all choices among them. NaN if no on-line value is above 0.

    Raises
    ------
    InputError
        If the systems differ, a value is missing or infinite, an on-line value is negative, or
        ``top`` is not a positive integer up to the number of systems.

    Examples
    --------
    >>> offline = pd.DataFrame({"AUC": [0.9, 0.8, 0.7, 0.6]}, index=[*"abcd"])
    >>> online = pd.DataFrame({"CTR": [0.02, 0.01, 0.04, 0.03]}, index=[*"abcd"])
    >>> selection_regret(offline, online, top=2).loc[("AUC", "CTR")].round(3).tolist()
    [0.5, 0.167]
    """
    offline, online = read_both(offline, online)
    x, y = offline.to_numpy(), online.to_numpy()
    n_selected = check_integer(top, "top", 1, len(x))
    check_that((y >= 0).all(), "online", "be at least 0", y.min())
    rows = []
    for metric in x.T:
        for outcomes in y.T:
            best = outcomes.max()
            selected = _expected_best(metric, outcomes, n_selected)
            # A constant metric selects at random.
            at_random = _expected_best(np.zeros(len(metric)), outcomes, n_selected)
            rows.append(divide_or_nan([best - selected, best - at_random], best))
    columns = [offline.columns, online.columns]
    index = pd.MultiIndex.from_product(columns, names=["metric", "measure"])
    return pd.DataFrame(rows, index, ["regret", "by_chance"])


def _expected_best(metric: FloatArray, outcomes: FloatArray, n_selected: int) -> float:
    """Return the mean of the best outcome of the systems that a metric selects.

    The mean is over all ways to choose among the systems that are tied for the last places.
    """
    last_value = np.sort(metric)[-n_selected]
    is_sure = metric > last_value
    tied = np.sort(outcomes[metric == last_value])[::-1]  # the best outcome first
    n_places = n_selected - int(is_sure.sum())
    best_of_sure = outcomes[is_sure].max(initial=0)
    n_choices = math.comb(len(tied), n_places)
    mean = 0.0
    for place, outcome in enumerate(tied):
        # Count the choices that contain this system and no better tied one.
        n_best = math.comb(len(tied) - 1 - place, n_places - 1)
        mean += n_best / n_choices * max(best_of_sure, outcome)
    return mean


def mean_implications(body: FloatArray, head: FloatArray, implicator: Connective) -> FloatArray:
    """Return the mean implication of each column of ``head`` by each column of ``body``.

    Both have systems in rows; the result has the shape (body columns, head columns).
    """
    return mean_of_sorted(truths(body[:, :, np.newaxis], head[:, np.newaxis, :], implicator))


def mean_of_sorted(values: FloatArray) -> FloatArray:
    """Return the mean along the first axis; the order along it changes no bit of the result."""
    return np.asarray(np.sort(values, axis=0).mean(axis=0))


def truths(body: FloatArray, head: FloatArray, implicator: Connective) -> FloatArray:
    """Return I(b, h) for arrays of degrees b and h that broadcast to one shape."""
    b, h = np.broadcast_arrays(body, head)
    # Degrees that differ only by rounding become equal: an implicator may jump at b = h.
    differs_by_rounding = np.abs(b - h) <= ROUNDING_ERROR * h
    return apply_connective(implicator, np.where(differs_by_rounding, h, b), h, "implicator")


def kendall(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return Kendall's tau-b of each column of ``x`` with each column of ``y``.

    Both have the shape (..., systems, columns), and the result the shape (..., columns of ``x``,
    columns of ``y``). NaN if a column has no two different values, or if it has NaN.
    """
    products = np.zeros((x.shape[-1], y.shape[-1]))
    x_squares, y_squares = np.zeros(x.shape[-1]), np.zeros(y.shape[-1])
    # All pairs at once would need memory for n (n - 1) / 2 rows.
    for first in range(x.shape[-2] - 1):
        # 1 if the first system of a pair is higher, -1 if it is lower, 0 for a tie.
        x_signs = np.sign(x[..., [first], :] - x[..., first + 1 :, :])
        y_signs = np.sign(y[..., [first], :] - y[..., first + 1 :, :])
        products = products + np.swapaxes(x_signs, -2, -1) @ y_signs
        x_squares = x_squares + (x_signs**2).sum(axis=-2)
        y_squares = y_squares + (y_signs**2).sum(axis=-2)
    lengths = np.sqrt(x_squares[..., :, np.newaxis] * y_squares[..., np.newaxis, :])
    return divide_or_nan(products, lengths)


def kendall_of_normals(correlation: FloatArray | pd.Series) -> FloatArray:
    r"""Return Kendall's tau of a bivariate normal distribution: :math:`(2/\pi) \arcsin \rho`."""
    return np.asarray(2 / np.pi * np.arcsin(correlation))


def read_both(offline: object, online: object) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return both tables as `read_results` does, with the systems in the order of the first.

    Raises if the tables have different systems.
    """
    offline = read_results(offline, "offline")
    online = read_results(online, "online")
    only_offline = offline.index.difference(online.index, sort=False).tolist()
    only_online = online.index.difference(offline.index, sort=False).tolist()
    if only_offline or only_online:
        offline_text = format_first(only_offline, to_text=shorten) or "none"
        online_text = format_first(only_online, to_text=shorten) or "none"
        got = f"{offline_text} only off-line, {online_text} only on-line"
        raise input_error("offline and online", "have the same systems as index", got)
    return offline, online.reindex(offline.index)


def read_results(table: object, name: str) -> pd.DataFrame:
    """Return a table of results as finite numbers, with the systems as index.

    A column "system" or "algorithm" becomes the index. Values of a column that differ by rounding
    only become equal, so that noise orders no systems. Raises if the table is empty or a label
    repeats; ``name`` is its name in error messages.
    """
    checked = index_by_id(check_frame(table, name), ["system", "algorithm"], name)
    check_that(not checked.empty, name, "have rows and columns", checked.shape)
    check_unique(checked.index.tolist(), name, "row")
    check_unique(checked.columns.tolist(), name, "column")
    columns = [
        as_finite(values.to_numpy(), f"{name}[{label!r}]") for label, values in checked.items()
    ]
    tied = tied_by_rounding(np.column_stack(columns))
    return pd.DataFrame(tied, checked.index, checked.columns)


def as_degrees(table: pd.DataFrame, name: str, normalize: str | None = "l2") -> FloatArray:
    """Return the values of a table of `read_results` as degrees of truth.

    Columns are divided by their Euclidean length, unless ``normalize`` is None.

    Raises
    ------
    InputError
        If a value is negative, a column to be normalised is all zero, or a value is above 1 and
        ``normalize`` is None; ``name`` is the name of the table in messages.
    """
    for label, column in table.items():
        values = column.to_numpy()
        where = f"{name}[{label!r}]"
        rule = "be at least 0, higher is better"
        check_none(values, values < 0, where, rule, "Turn an error into a merit, such as 1 - MAE")
        if normalize is None:
            check_none(values, values > 1, where, "be in [0, 1] when normalize is None")
        elif not values.any():
            raise InputError(f"{where} must not be all zero: it has no direction; got zeros")
    degrees: FloatArray = table.to_numpy()
    if normalize is None:
        return degrees
    # Dividing by the largest value first keeps squares from overflowing, and `fsum` makes the sum
    # independent of the order of the systems.
    shares = degrees / degrees.max(axis=0)
    lengths = [math.sqrt(math.fsum(squares)) for squares in (shares**2).T]
    return np.asarray(shares / lengths)


def tied_by_rounding(values: FloatArray) -> FloatArray:
    """Make values of a column equal if rounding errors alone can explain how they differ.

    The differences of large numbers have the rounding errors of these, so the largest value of the
    column decides. Whole numbers, such as counts, have no rounding errors.
    """
    has_fractions = (values != np.floor(values)).any(axis=0)
    # `without_rounding_noise` takes the share ROUNDING of each size as noise.
    sizes = has_fractions * np.abs(values).max(axis=0) * (ROUNDING_ERROR / ROUNDING)
    return without_rounding_noise(values.T, scale=sizes[:, np.newaxis]).T


def descending_ranks(values: FloatArray) -> FloatArray:
    """Return the ranks in each column: 1 for the largest value, and ties share the mean rank.

    Values that differ by rounding errors only are ties.
    """
    return tied_ranks(-tied_by_rounding(values).T).T
