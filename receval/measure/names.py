"""From a name such as "nDCG@10" to the measure that it stands for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from difflib import get_close_matches

import pandas as pd

from receval._checks import InputError, check_cutoff, shorten
from receval.measure.definitions import MEASURES
from receval.measure.form import Measure

__all__ = ["measure", "measures"]

BY_NAME = {name.lower(): one for one in MEASURES for name in (one.key, *one.aliases)}
PATTERN = re.compile(r"(?P<key>[^@\s]+)\s*(?:@\s*(?P<k>\S+))?")
WHOLE = re.compile(r"-?[0-9]{1,20}")


def measure(name: str) -> Measure:
    """The measure of a name such as "nDCG@10".

    Parameters
    ----------
    name : str
        Name of `measures`, in any case, with an optional cut-off behind "@".

    Returns
    -------
    Measure

    Raises
    ------
    InputError
        If the name is unknown (near ones are listed) or its cut-off is no positive integer.

    Examples
    --------
    >>> measure("ndcg@10").name, measure("P@5").name
    ('nDCG@10', 'Precision@5')
    """
    match = PATTERN.fullmatch(name.strip()) if isinstance(name, str) else None
    key = match["key"].lower() if match else ""
    if match is None or key not in BY_NAME:
        near = get_close_matches(key, BY_NAME)
        listed = ", ".join(dict.fromkeys(BY_NAME[one].key for one in near)) or ", ".join(
            one.key for one in MEASURES
        )
        raise InputError(
            f"measures must be known names such as 'nDCG@10'; got {shorten(name)}. "
            f"Near or known: {listed}"
        )
    found = BY_NAME[key]
    if match["k"] is None:
        return found
    if found.key in ("R-Precision", "AUC", "PC"):
        raise InputError(f"measures must name {found.key} without a cut-off; got {name!r}")
    k: object = int(match["k"]) if WHOLE.fullmatch(match["k"]) else match["k"]
    return replace(found, k=check_cutoff(k, f"the cut-off of {name!r}", optional=False))


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
            "level": "each user" if one.per_user else "all users together",
            "needs": ", ".join(one.needs),
            "source": one.source,
            "formula": one.mean_formula,
        }
        for one in MEASURES
    ]
    return pd.DataFrame(rows).set_index("measure")


def parse(names: str | Iterable[str]) -> list[Measure]:
    """The measures of one or several names, each once."""
    try:
        given = [names] if isinstance(names, str) else list(names)
    except TypeError:  # None, a number, an array without axes
        raise InputError(
            f"measures must be names such as 'nDCG@10', one or several; got {shorten(names)}"
        ) from None
    if not given:
        raise InputError("measures must name at least one measure, such as 'nDCG@10'; got none")
    found = [measure(name) for name in given]
    return list({one.name: one for one in found}.values())
