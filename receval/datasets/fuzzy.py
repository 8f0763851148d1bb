"""Tables of document 002: what its algorithms achieved off-line and on-line."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from receval import published
from receval._checks import check_choice

__all__ = [
    "fuzzy_algorithms",
    "fuzzy_offline_results",
    "fuzzy_online_results",
    "fuzzy_unit_vectors",
]


def fuzzy_algorithms() -> pd.DataFrame:
    """The twelve algorithms of Table I, with their novelty and diversity flags three times over.

    Returns
    -------
    DataFrame
        Index ``id``; columns ``algorithm``, ``parameters``, ``history`` and, for ``novelty`` and
        ``diversity``, what the table prints (``printed_``), what the authors' notebook selects
        off-line (``notebook_``) and what the server's program sets on-line (``server_``).

    References
    ----------
    Document 002, Table I.

    Examples
    --------
    >>> fuzzy_algorithms().loc[10, ["printed_novelty", "notebook_novelty"]].tolist()
    ['no', 'yes']
    """
    document = published.load("002")
    table = _by_id(document["inputs"]["table1"])
    for flag in ("diversity", "novelty"):
        table.insert(3, f"printed_{flag}", document["figures"][f"table1_{flag}"]["printed"])
    return table


def fuzzy_offline_results(*, run: str = "notebook") -> pd.DataFrame:
    """Off-line metrics of the twelve algorithms; higher is better in every column.

    Parameters
    ----------
    run : {"notebook", "table"}, default "notebook"
        Two runs exist. ``"notebook"`` is behind the implications and Figure 2: 17 metrics, of
        which p5 and p10 are recovered as whole hit counts and r5 to five digits. ``"table"`` is
        behind Table II: the 14 metrics that were printed.

    Returns
    -------
    DataFrame
        Index ``id`` from 1 to 12, columns in the order of Figure 2.

    Raises
    ------
    InputError
        If the run is unknown.

    References
    ----------
    Document 002, Table II, and the notebooks published with it.

    Examples
    --------
    >>> fuzzy_offline_results().loc[12, ["AUC", "nDCG100"]].tolist()
    [0.814319, 0.228718]
    >>> fuzzy_offline_results(run="table").shape
    (12, 14)
    """
    check_choice(run, "run", ("notebook", "table"))
    inputs = published.load("002")["inputs"]
    results = _by_id(inputs["offline" if run == "notebook" else "offline_table2"])
    results["1-MAE"] = 1 - results.pop("neg_MAE").abs()
    if run == "notebook":
        recovered = _by_id(inputs["recovered"])
        for k in (5, 10):
            results[f"p{k}"] = recovered[f"hits_at_{k}"] / (k * recovered["n_users"])
        results["r5"] = recovered["r5"]
    return results[[name for name in inputs["offline_metrics"] if name in results]]


def fuzzy_online_results() -> pd.DataFrame:
    """On-line measures of the twelve algorithms, unrounded, as their authors' program answers them.

    Returns
    -------
    DataFrame
        Index ``id`` from 1 to 12; eight columns: IG (Gödel) and IL (Łukasiewicz) on c (clicks)
        and v (visits), ``_pos`` weighted by position, ``_nov`` by user novelty. ILc and ILv, and
        IGv and IGv_nov where lists had ten places, do not follow document 002's eq. 12; see the
        ledger.

    References
    ----------
    Document 002, Table II, and the notebook published with it, cell 66.

    Examples
    --------
    >>> fuzzy_online_results()["IGc"].idxmax()
    8
    """
    return _by_id(published.load("002")["inputs"]["online"])


def fuzzy_unit_vectors() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Off-line and on-line columns divided by their length, as printed: the inputs of Figure 2.

    Returns
    -------
    offline, online : DataFrame
        Twelve algorithms, 17 off-line metrics and 8 on-line measures, six digits.

    References
    ----------
    Document 002, section V-C, and the notebook published with it, cells 84 and 85.

    Examples
    --------
    >>> offline, online = fuzzy_unit_vectors()
    >>> offline.shape, online.shape
    ((12, 17), (12, 8))
    """
    document = published.load("002")
    names, figures = document["inputs"]["offline_metrics"], document["figures"]
    apart = ["p5", "p10", "r5"]  # printed in tables of their own
    parts = [figures[f"unit_offline{part}"]["printed"] for part in ("", "_hits", "_r5")]
    in_order = [name for name in names if name not in apart] + apart
    offline = _by_id(np.column_stack(parts).astype(float), in_order)
    online = np.array(figures["unit_online"]["printed"], float)
    return offline[names], _by_id(online, document["inputs"]["online_measures"])


def _by_id(values: Any, columns: list[str] | None = None) -> pd.DataFrame:
    return pd.DataFrame(values, pd.RangeIndex(1, 13, name="id"), columns)
