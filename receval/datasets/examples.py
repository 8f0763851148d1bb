"""The worked examples of the source documents, as tables."""

from __future__ import annotations

import pandas as pd

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
