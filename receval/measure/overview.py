"""All measures and all conventions, as tables."""

from __future__ import annotations

import pandas as pd

from receval._references import described
from receval.measure.names import CONVENTIONS, MEASURES

__all__ = ["conventions", "measures"]


def measures() -> pd.DataFrame:
    """All measures: name, what it is, what it needs, where it comes from.

    Returns
    -------
    DataFrame
        Indexed by name.

    Examples
    --------
    >>> measures().loc["LTP", "needs"]
    'awards'
    """
    rows = [
        {
            "measure": one.key,
            "title": one.title,
            "level": "each user" if one.of_all is None else "all users together",
            "needs": ", ".join(one.needs),
            "source": described(one.source),
            "formula": one.mean_formula,
        }
        for one in MEASURES
    ]
    return pd.DataFrame(rows).set_index("measure")


def conventions() -> pd.DataFrame:
    """All conventions with their choices, sources, and how each was verified.

    Returns
    -------
    DataFrame
        Conventions in rows, choices in columns. ``measures`` are those that the source itself
        has (every one for ``receval``); under a convention the others follow the same choices,
        but have no counterpart in the tool.

    Examples
    --------
    >>> table = conventions()
    >>> table.loc["satisfaction", "discount"], table.loc["lenskit", "precision divides by"]
    ('clipped_log2', 'the number of items retrieved, at most k')
    """
    rows = {
        one.name: one.words()
        | {
            "mean over": one.mean_over(),
            "measures": one.measures or "all",
            "source": described(one.source),
            "verified": one.verified,
            "note": one.note,
        }
        for one in CONVENTIONS.values()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("convention")
