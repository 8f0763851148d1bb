"""Conventions by name, as `conventions.toml` states them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from receval._checks import check_choice, check_number, refusal
from receval._files import stated_in
from receval._references import described
from receval.measure.convention import MISSING, TIES, Convention
from receval.measure.names import spelled
from receval.metrics import discounts

__all__ = ["convention", "conventions"]


def from_record(name: str, record: Mapping[str, Any]) -> Convention:
    """A convention of which gain and discount are told by name, and pairs are lists."""
    told = {key: value for key, value in record.items() if key != "name"}
    for key in {"gain", "discount"} & {*told}:
        told[key] = _function(told[key])
    cut_ties = tuple((measure, rule) for measure, rule in told.pop("cut_ties", ()))
    return Convention(name=name, cut_ties=cut_ties, **told)


def _function(name: str) -> Any:
    """A gain or discount of receval by its name; one of the user's own keeps only the name."""
    parts = spelled(name)
    if parts is None or parts.name not in discounts.__all__:
        return NotKept(name)
    found = getattr(discounts, parts.name)
    return found(**parts.parameters) if parts.parameters else found


class NotKept:
    """A function of the user's own of which a file has the name only."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *_: object) -> Any:
        raise refusal(self.__name__, "be given to be computed", "only its name, from the file")


def _stated() -> dict[str, Convention]:
    told = stated_in("measure/conventions.toml")
    whole = {name: told.get(own.pop("like", ""), {}) | own for name, own in told.items()}
    return {name: from_record(name, own) for name, own in whole.items()}


CONVENTIONS = _stated()


def convention(
    name: str | Convention,
    *,
    ties: str | None = None,
    missing: str | None = None,
    relevant_from: float | None = None,
) -> Convention:
    """A convention by its name.

    Parameters
    ----------
    name : str or Convention
        One of the names in `conventions`; a `Convention` is answered as it is.
    ties, missing : str, optional
        Other rules than its own for equal scores, and for judged users without answer.
    relevant_from : float, optional
        The grade from which on an item is relevant to measures that ask no more.

    Returns
    -------
    Convention

    Raises
    ------
    InputError
        If there is no such convention or rule, or it counts no grade so low as ``relevant_from``.

    Examples
    --------
    >>> convention("relison").words()["precision divides by"]
    'the number of items retrieved, at most k'
    """
    found = name
    if not isinstance(found, Convention):
        found = CONVENTIONS[check_choice(name, "convention", CONVENTIONS)]
    if ties is not None:
        found = replace(found, ties=check_choice(ties, "ties", TIES), cut_ties=())
    if missing is not None:
        found = replace(found, missing=check_choice(missing, "missing", MISSING))
    if relevant_from is not None:
        least = check_number(relevant_from, "relevant_from", "a grade above 0", lambda g: g > 0)
        if least < found.threshold:
            rule = f"be at least {found.threshold:g}, below which {found.name!r} has no grades"
            raise refusal("relevant_from", rule, f"{least:g}")
        found = replace(found, relevant_from=least)
    return found


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
