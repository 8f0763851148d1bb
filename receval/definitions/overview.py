"""All measures and all conventions, as tables."""

from __future__ import annotations

import pandas as pd

from receval._references import describe_references
from receval.definitions.names import CONVENTIONS, MEASURES

__all__ = ["conventions", "measures"]


def measures() -> pd.DataFrame:
    """Return all measures: name, title, what each needs, and where it comes from.

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
            "measure": measure.key,
            "title": measure.title,
            "level": "each user" if measure.of_all is None else "all users together",
            "needs": ", ".join(measure.needs),
            "source": describe_references(measure.source),
            "formula": measure.mean_formula,
        }
        for measure in MEASURES
    ]
    return pd.DataFrame(rows).set_index("measure")


def conventions() -> pd.DataFrame:
    """Return all conventions with their choices, their sources, and how each was verified.

    Returns
    -------
    DataFrame
        Conventions in rows, choices in columns. The column ``measures`` lists the measures that the
        source itself has ("all" for ``receval``). You can compute other measures under a convention
        too: they follow the same choices, but have no counterpart in the tool. The exceptions are
        in the column ``refused``, with the reasons: the source computes these measures in a way
        that receval doesn't have.

    Examples
    --------
    >>> table = conventions()
    >>> table.loc["satisfaction", "discount"], table.loc["lenskit", "precision divides by"]
    ('clipped_log2', 'the number of items retrieved, at most k')
    """
    rows = {
        convention.name: convention.words()
        | {
            "mean over": convention.mean_over(),
            "measures": convention.measures or "all",
            "source": describe_references(convention.source),
            "verified": convention.verified,
            "refused": "; ".join(f"{measure}: {reason}" for measure, reason in convention.refused),
            "note": convention.note,
        }
        for convention in CONVENTIONS.values()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("convention")
