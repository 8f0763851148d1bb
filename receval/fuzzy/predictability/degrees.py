"""Tables of results as degrees of truth."""

from __future__ import annotations

import pandas as pd

from receval._checks import check_choice
from receval.fuzzy.predictability._tables import as_table, check_degrees, normalized

__all__ = ["degrees_of_truth"]


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
