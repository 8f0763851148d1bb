"""The worked examples and tables that the source documents print, as frames."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import FloatArray, Record, check_choice
from receval._files import read_published


def borda_example() -> pd.DataFrame:
    """Return the Borda points of five group members for ten items.

    Returns
    -------
    DataFrame
        Members U1 to U5 in rows, items M1 to M10 in columns, points from 1 to 10. If a member gives
        several items the same rating, they share the lowest of their places, as they do by default
        in `receval.metrics.borda_points`. For example, U1 has two items with 9 points and none with
        10.

    References
    ----------
    Document 001, table of the Borda count.

    Examples
    --------
    >>> borda_example().loc["U1", ["M8", "M4", "M10", "M2"]].tolist()
    [9, 9, 6, 4]
    """
    inputs = read_published("001")["inputs"]
    return pd.DataFrame.from_dict(inputs["points"], orient="index", columns=inputs["items"])


def retrieval_example() -> pd.DataFrame:
    """Return true and predicted similarities of the query G1 to three graphs.

    Returns
    -------
    DataFrame
        Graphs G2 to G4 in rows, with the columns ``truth`` and ``retrieved``. Each column is a
        ranking for the functions of `receval.metrics.retrieval`.

    References
    ----------
    Document 003, table at the beginning of the metrics.

    Examples
    --------
    >>> retrieval_example()["retrieved"].to_dict()
    {'G2': 0.5, 'G3': 0.2, 'G4': 0.3}
    """
    inputs = read_published("003")["inputs"]
    return pd.DataFrame({name: inputs[name] for name in ("truth", "retrieved")})


def fuzzy_algorithms() -> pd.DataFrame:
    """Return the twelve algorithms of Table I, with three versions of their flags.

    Returns
    -------
    DataFrame
        Index ``id``; columns ``algorithm``, ``parameters``, ``history``, and three versions of
        the flags ``novelty`` and ``diversity``: as printed in the table (``printed_``), as
        selected off-line by the authors' notebook (``notebook_``), and as set on-line by the
        server's program (``server_``).

    References
    ----------
    Document 002, Table I.

    Examples
    --------
    >>> fuzzy_algorithms().loc[10, ["printed_novelty", "notebook_novelty"]].tolist()
    ['no', 'yes']
    """
    document = read_published("002")
    table = _index_by_id(document["inputs"]["table1"])
    for flag in ("diversity", "novelty"):  # the column inserted last comes first
        table.insert(3, f"printed_{flag}", document["figures"][f"table1_{flag}"]["printed"])
    return table


def fuzzy_offline_results(*, run: str = "notebook") -> pd.DataFrame:
    """Return off-line metrics of the twelve algorithms; higher is better in every column.

    Parameters
    ----------
    run : {"notebook", "table"}, default "notebook"
        The run of the experiment. The implications and Figure 2 come from ``"notebook"``, which has
        17 metrics; p5 and p10 are recovered as whole hit counts, and r5 to five digits. Table II
        comes from ``"table"``, which has the 14 metrics that are printed there.

    Returns
    -------
    DataFrame
        Indexed by ``id``, from 1 to 12, with columns in the order of Figure 2.

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
    inputs = read_published("002")["inputs"]
    name_by_run = {"notebook": "offline", "table": "offline_table2"}
    results = _index_by_id(inputs[name_by_run[run]])
    results["1-MAE"] = 1 - results.pop("neg_MAE").abs()  # the files have the negated MAE
    if run == "notebook":
        # The notebook's output lacks these three metrics, but the ledger has recovered them.
        recovered = _index_by_id(inputs["recovered"])
        for k in (5, 10):
            results[f"p{k}"] = recovered[f"hits_at_{k}"] / (k * recovered["n_users"])
        results["r5"] = recovered["r5"]
    return results[[name for name in inputs["offline_metrics"] if name in results]]


def fuzzy_online_results() -> pd.DataFrame:
    """Return on-line measures of the twelve algorithms, unrounded, from the authors' program.

    Returns
    -------
    DataFrame
        Indexed by ``id``, from 1 to 12. In the names of the eight columns, IG stands for Gödel's
        and IL for Łukasiewicz's implicator, c for clicks and v for visits, ``_pos`` for weights by
        position and ``_nov`` for weights by user novelty. ILc and ILv do not follow document 002's
        eq. 12, and neither do IGv and IGv_nov if lists had ten places; see the ledger.

    References
    ----------
    Document 002, Table II, and the notebook published with it, cell 66.

    Examples
    --------
    >>> fuzzy_online_results()["IGc"].idxmax()
    8
    """
    return _index_by_id(read_published("002")["inputs"]["online"])


def fuzzy_unit_vectors() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return off-line and on-line columns divided by their length: the inputs of Figure 2.

    Returns
    -------
    offline, online : DataFrame
        Twelve algorithms with 17 off-line metrics and 8 on-line measures, with the six digits that
        are printed.

    References
    ----------
    Document 002, section V-C, and the notebook published with it, cells 84 and 85.

    Examples
    --------
    >>> offline, online = fuzzy_unit_vectors()
    >>> offline.shape, online.shape
    ((12, 17), (12, 8))
    """
    document = read_published("002")
    metrics = document["inputs"]["offline_metrics"]
    figures = document["figures"]
    # The ledger has the off-line columns in three tables: most of them, then p5 and p10, then r5.
    parts = [figures[f"unit_offline{part}"]["printed"] for part in ("", "_hits", "_r5")]
    values = np.column_stack(parts).astype(float)
    separate = ["p5", "p10", "r5"]
    # So these columns are not in the order of the document's metrics.
    printed_order = [metric for metric in metrics if metric not in separate] + separate
    offline = _index_by_id(values, printed_order)[metrics]
    online_values = np.array(figures["unit_online"]["printed"], float)
    online = _index_by_id(online_values, document["inputs"]["online_measures"])
    return offline, online


def _index_by_id(values: Record | FloatArray, columns: list[str] | None = None) -> pd.DataFrame:
    """Return values of the twelve algorithms as a frame with the index ``id``, from 1 to 12.

    ``values`` is either a matrix, whose columns get the names in ``columns``, or a dict of columns.
    """
    return pd.DataFrame(values, pd.RangeIndex(1, 13, name="id"), columns)
