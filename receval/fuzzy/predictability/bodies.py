"""Bodies of several metrics: "good by these metrics together, therefore good with users"."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np
import pandas as pd

from receval._checks import FloatArray, check_choice, check_none, check_that
from receval.fuzzy.predictability._tables import as_table, check_degrees, normalized

__all__ = ["aggregate_bodies", "degrees_of_truth"]

AGGREGATES: dict[str, Callable[..., FloatArray]] = {
    "mean": np.mean,
    "minimum": np.min,
    "median": np.median,
}


def degrees_of_truth(table: pd.DataFrame, *, normalize: str = "l2") -> pd.DataFrame:
    r"""Turn a table of results into degrees of truth, as `implication_matrix` does.

    .. math:: b_i^p = x_i^p / \lVert x^p \rVert_2

    Parameters
    ----------
    table : DataFrame
        Systems in rows, metrics or measures in columns; at least 0, higher is better.
    normalize : {"l2", "max"}, default "l2"
        Divide columns by their Euclidean length (the document), or by their largest value.

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
    check_choice(normalize, "normalize", ("l2", "max"))
    checked = as_table(table, "table")
    values = checked.to_numpy()
    check_degrees(checked, "table", normalize)
    return pd.DataFrame(normalized(values, normalize), checked.index, checked.columns)


def aggregate_bodies(
    degrees: pd.DataFrame,
    bodies: Mapping[str, Sequence[Hashable]],
    *,
    aggregate: str = "mean",
) -> pd.DataFrame:
    r"""Combine several metrics into one body of an implication.

    The implication "good by all of these metrics, therefore good with users" has one body,
    :math:`b_i = @(b_i^{p_1}, \dots, b_i^{p_m})`. The document allows any aggregation @ that is
    left-continuous; this function offers the mean, the minimum (all metrics must be good), and the
    median.

    Parameters
    ----------
    degrees : DataFrame
        Degrees of truth in [0, 1], such as `degrees_of_truth` returns; systems in rows, metrics in
        columns.
    bodies : mapping
        The metrics that each body combines, by the name of the body.
    aggregate : {"mean", "minimum", "median"}, default "mean"
        How the metrics are combined, system by system.

    Returns
    -------
    DataFrame
        Systems in rows, bodies in columns. Pass it to `implication_matrix` or `predictability_test`
        with ``normalize=None``, and apply `degrees_of_truth` to the on-line table.

    Raises
    ------
    InputError
        If a degree is missing or outside [0, 1], a body has no metric or one that isn't a column,
        or the aggregation is unknown.

    References
    ----------
    Document 002, section II-B.

    Examples
    --------
    >>> degrees = pd.DataFrame({"AUC": [0.6, 0.8], "ILD": [0.8, 0.6]}, index=["a", "b"])
    >>> aggregate_bodies(degrees, {"both": ["AUC", "ILD"]}, aggregate="minimum")["both"].tolist()
    [0.6, 0.6]
    """
    check_choice(aggregate, "aggregate", AGGREGATES)
    table = as_table(degrees, "degrees")
    check_none(table.to_numpy(), (table < 0).to_numpy(), "degrees", "be in [0, 1]")
    advice = "degrees_of_truth makes degrees of a table"
    check_none(table.to_numpy(), (table > 1).to_numpy(), "degrees", "be in [0, 1]", advice)
    has_bodies = isinstance(bodies, Mapping) and len(bodies) > 0
    check_that(has_bodies, "bodies", "name at least one body", bodies)
    columns = {}
    for name, metrics in bodies.items():
        where = f"bodies[{name!r}]"
        is_list = not isinstance(metrics, str) and len(metrics) > 0
        check_that(is_list, where, "list at least one metric", metrics)
        missing = [metric for metric in metrics if metric not in table]
        check_that(not missing, where, "name columns of degrees", missing)
        columns[name] = AGGREGATES[aggregate](table[[*metrics]].to_numpy(), axis=1)
    return pd.DataFrame(columns, table.index)
