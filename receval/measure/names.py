"""From a name such as "nDCG@10" or "RBP(p=0.9)@10" to the measure that it stands for."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable
from difflib import get_close_matches
from importlib import import_module

import pandas as pd

from receval._checks import InputError, shorten
from receval.measure.form import Measure
from receval.measure.spelling import spelled
from receval.metrics import beyond_accuracy, ranking
from receval.metrics.stated import Stated

__all__ = ["measure", "measures"]


def _stated() -> Iterable[Stated]:
    """What the modules of the metrics state, in their order."""
    for package in (ranking, beyond_accuracy):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            values = vars(import_module(module.name)).values()
            yield from (one for one in values if isinstance(one, Stated))


STATED = tuple(dict.fromkeys(_stated()))
BY_NAME = {name.lower(): one for one in STATED for name in (one.name, *one.aliases)}


def measure(name: str | Measure, own: Iterable[Measure] = ()) -> Measure:
    """The measure of a name such as "nDCG@10".

    Parameters
    ----------
    name : str or Measure
        Name of `measures`, in any case, with an optional cut-off behind "@" and parameters in
        parentheses before it; a measure is answered as it is.
    own : iterable of Measure
        Further measures that are known by their names.

    Returns
    -------
    Measure

    Raises
    ------
    InputError
        If the name is unknown (near ones are listed), its cut-off is no positive integer, or it
        takes no cut-off or no such parameter.

    Examples
    --------
    >>> measure("ndcg@10").name, measure("P@5").name, measure("rbp(p=0.90)@10").name
    ('nDCG@10', 'Precision@5', 'RBP(p=0.9)@10')
    """
    if isinstance(name, Measure):
        return name
    for one in own:
        if one.own and isinstance(name, str) and one.name == name.strip():
            return one
    parts = spelled(name)
    stated = BY_NAME.get(parts.name.lower()) if parts else None
    if parts is None or stated is None:
        near = get_close_matches(parts.name.lower() if parts else "", BY_NAME)
        listed = dict.fromkeys(BY_NAME[one].name for one in near) or [one.name for one in STATED]
        raise InputError(
            f"measures must be known names such as 'nDCG@10'; got {shorten(name)}. "
            f"Near or known: {', '.join(listed)}"
        )
    if parts.cut is not None and not stated.cut:
        raise InputError(f"measures must name {stated.name} without a cut-off; got {name!r}")
    for option in parts.parameters:
        if option not in stated.options:
            takes = f"only {', '.join(stated.options)}" if stated.options else "none"
            raise InputError(
                f"measures must give parameters that {stated.name} takes ({takes}); got {name!r}"
            )
    if parts.parameters:
        stated.how(**parts.parameters)  # type: ignore[operator]  # refuses a value by its name
    found, k = Measure.of_stated(stated, parts.parameters), parts.k
    return found if k is None else found.at(k)


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
        for one in (Measure.of_stated(stated, {}) for stated in STATED)
    ]
    return pd.DataFrame(rows).set_index("measure")


Names = str | Measure | Iterable[str | Measure]


def parse(names: Names, own: Iterable[Measure] = ()) -> list[Measure]:
    """The measures of one or several names, each once; measures stand for themselves."""
    try:
        given = [names] if isinstance(names, (str, Measure)) else list(names)
    except TypeError:  # None, a number, an array without axes
        raise InputError(
            f"measures must be names such as 'nDCG@10', one or several; got {shorten(names)}"
        ) from None
    if not given:
        raise InputError("measures must name at least one measure, such as 'nDCG@10'; got none")
    found: dict[str, Measure] = {}
    for name in given:
        one = measure(name, own)
        other = found.setdefault(one.name, one)
        known = one.own and (one.key.lower() in BY_NAME)
        if known or other.own != one.own or other.stated is not one.stated:
            raise InputError(
                f"measures must have names of their own; got another {one.name!r}. Rename it"
            )
    return list(found.values())
