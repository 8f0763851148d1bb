"""Conventions by name: the choices that tools and documents make differently."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from receval._checks import check_choice
from receval.metrics.discounts import (
    Discount,
    Gain,
    clipped_log2,
    linear_gain,
    relison_gain,
    shifted_log2,
)

__all__ = ["Convention", "convention", "conventions"]

TIES = {
    "item": "equal scores by item id ascending (numbers as numbers, text by code point)",
    "trec_eval": "scores compared as float32, equal ones by item id as byte string, descending",
    "input": "equal scores in the order of the rows",
    "optimistic": "equal scores with relevant items first",
    "pessimistic": "equal scores with relevant items last",
}
MISSING = {
    "zero": "judged users without recommendations count 0",
    "skip": "judged users without recommendations are left out",
    "error": "judged users without recommendations are an error",
}
NO_TRUTH = {
    "zero": "users without a relevant item count 0",
    "skip": "users without a relevant item are left out",
}


@dataclass(frozen=True)
class Convention:
    """The choices behind a number, in one named bundle.

    Attributes
    ----------
    name, source, verified : str
        What it is called, whose choices it states, and how that was checked.
    gain, discount : callable
        Of the cumulative-gain family.
    precision, recall, average_precision : str
        What these divide by (the ``denominator`` of the metric functions).
    threshold : float
        Smallest grade that counts as relevant; 0 means any grade above 0.
    ties, missing, no_truth : str
        Equal scores; judged users without recommendations; users without a relevant item.
    crossing : str
        Whether the item that reaches the share belongs to the short head.
    """

    name: str
    source: str
    verified: str
    gain: Gain = linear_gain
    discount: Discount = shifted_log2
    precision: str = "cutoff"
    recall: str = "relevant"
    average_precision: str = "relevant"
    threshold: float = 0.0
    ties: str = "item"
    missing: str = "zero"
    no_truth: str = "zero"
    crossing: str = "inside"

    def words(self) -> dict[str, str]:
        """Each choice in words."""
        relevant = f"{self.threshold:g} or more" if self.threshold else "above 0"
        return {
            "relevant": f"a grade {relevant}",
            "gain": _name(self.gain),
            "discount": _name(self.discount),
            "precision divides by": DENOMINATORS[self.precision],
            "recall divides by": DENOMINATORS[self.recall],
            "AP divides by": DENOMINATORS[self.average_precision],
            "ties": TIES[self.ties],
            "missing": MISSING[self.missing],
            "no relevant item": NO_TRUTH[self.no_truth],
            "short head": f"the item that reaches the share is {self.crossing}",
        }


DENOMINATORS = {
    "cutoff": "the cut-off k",
    "retrieved": "the number of items retrieved, at most k",
    "reachable": "the smaller of k and the number of relevant items",
    "relevant": "the number of relevant items",
    "found": "the number of relevant items found",
}

CONVENTIONS = {
    one.name: one
    for one in (
        Convention(
            name="receval",
            source="this package: trec_eval's formulas, ties by item id",
            verified="live: ranx, ir-measures, scikit-learn",
        ),
        Convention(
            name="trec_eval",
            source="trec_eval 9, as pytrec_eval-terrier and ir-measures run it (with -c)",
            verified="live: ir-measures, pytrec_eval-terrier",
            ties="trec_eval",
        ),
        Convention(
            name="ranksys",
            source="RankSys metrics, the ones that RELISON's program calls for precision and nDCG",
            verified="from source",
            gain=relison_gain(threshold=0.5),
            threshold=0.5,
            average_precision="reachable",
            ties="input",
        ),
        Convention(
            name="relison",
            source="document 004, as its text defines the metrics",
            verified="from the document's formulas",
            precision="retrieved",
            ties="input",
        ),
        Convention(
            name="matchmaking",
            source="document 000, section on evaluated metrics",
            verified="from the document's formulas",
            ties="input",
        ),
        Convention(
            name="satisfaction",
            source="document 001, section on nDCG (the example's form)",
            verified="the document's example",
            discount=clipped_log2,
            ties="input",
        ),
    )
}


def convention(name: str) -> Convention:
    """A convention by its name.

    Parameters
    ----------
    name : str
        One of the names in `conventions`.

    Returns
    -------
    Convention

    Raises
    ------
    InputError
        If there is no such convention.

    Examples
    --------
    >>> convention("relison").words()["precision divides by"]
    'the number of items retrieved, at most k'
    """
    return CONVENTIONS[check_choice(name, "convention", CONVENTIONS)]


def conventions() -> pd.DataFrame:
    """All conventions with their choices, sources, and how each was verified.

    Returns
    -------
    DataFrame
        Conventions in rows, choices in columns.

    Examples
    --------
    >>> conventions().loc["satisfaction", "discount"]
    'clipped_log2'
    """
    rows = {
        one.name: one.words() | {"source": one.source, "verified": one.verified}
        for one in CONVENTIONS.values()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("convention")


def _name(function: object) -> str:
    keywords = getattr(function, "keywords", None)
    inner = getattr(function, "func", function)
    name = getattr(inner, "__name__", str(inner))
    if not keywords:
        return name
    return f"{name}({', '.join(f'{key}={value!r}' for key, value in keywords.items())})"
