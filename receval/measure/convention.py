"""What a convention is: the choices behind a number, each in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from receval._files import read_toml
from receval.metrics.discounts import Discount, Gain, linear_gain, shifted_log2

__all__ = ["Convention"]

WORDS: dict[str, dict[str, str]] = read_toml("measure/words.toml")
TIES, MISSING = WORDS["ties"], WORDS["missing"]
FIELDS: dict[str, Any] = WORDS["choices"]
"""Each choice of a `Convention` and its fields."""
STABLE_UP_TO = {"ranx": 15}
"""Conventions whose source keeps the order of equal scores only in lists of up to so many items.

ranx 0.3.21 sorts with Numba's quicksort, which sorts up to 15 items by insertion.
"""


@dataclass(frozen=True)
class Convention:
    """The choices behind a number, in one named bundle.

    One of one's own is made from another with ``dataclasses.replace``, and handed to `evaluate`
    in place of a name.

    Attributes
    ----------
    name, source, verified : str
        What it is called, whose choices it states (with the version), and how that was checked.
    measures : str
        The measures that the source itself has under these choices, and that were checked;
        others are computed with the same choices, but have no counterpart there.
    gain, discount : callable
        Of the cumulative-gain family.
    ideal : str
        The list that nDCG compares with.
    precision, recall, average_precision : str
        What these divide by (the ``denominator`` of the metric functions).
    negative : str
        Whether a negative grade is an "error", or counts "zero" as in trec_eval.
    threshold : float
        Smallest grade that counts as relevant; 0 means any grade above 0. Grades below it are 0.
    relevant_from : float
        The same for measures that ask only whether an item is relevant; graded gains keep all
        grades. 0 means as ``threshold``.
    ties, missing, no_truth : str
        Equal scores; judged users without recommendations; users without a relevant item.
    cut_ties : pairs of str
        Measures for which the source orders equal scores differently where there is a cut-off,
        each with its rule.
    crossing : str
        Whether the item that reaches the share belongs to the short head.
    note : str
        What else one should know.
    """

    name: str
    source: str
    verified: str
    measures: str = ""
    gain: Gain = linear_gain
    discount: Discount = shifted_log2
    ideal: str = "relevant"
    precision: str = "cutoff"
    recall: str = "relevant"
    average_precision: str = "relevant"
    threshold: float = 0.0
    relevant_from: float = 0.0
    negative: str = "error"
    ties: str = "item"
    cut_ties: tuple[tuple[str, str], ...] = ()
    missing: str = "zero"
    no_truth: str = "zero"
    crossing: str = "inside"
    note: str = ""

    def words(self) -> dict[str, str]:
        """Each choice in words."""
        cut = "".join(f"; for {name}@k: {TIES[rule]}" for name, rule in self.cut_ties)
        told = {"relevant": _relevant(self), "ties": TIES[self.ties] + cut}
        return {
            choice: told.get(choice) or _word(field, getattr(self, field))
            for choice, (field, *_) in FIELDS.items()
        }

    def mean_over(self) -> str:
        """The users whose values the mean is taken of, in words."""
        asked = {"an answer": self.missing, "a relevant item": self.no_truth}
        conditions = [what for what, rule in asked.items() if rule == "skip"]
        return "judged users" + (f" with {' and '.join(conditions)}" if conditions else "")


def _relevant(rules: Convention) -> str:
    relevant = f"of {rules.threshold:g} or more" if rules.threshold else "above 0"
    if rules.relevant_from:
        relevant = f"of {rules.relevant_from:g} or more (for graded gains {relevant})"
    return f"a grade {relevant}" + ("; negative ones count 0" if rules.negative == "zero" else "")


def _word(field: str, value: Any) -> str:
    """What a field says: the name of a function, or words; all that divides has one table."""
    return name_of(value) if callable(value) else WORDS.get(field, WORDS["denominator"])[value]


def name_of(function: object) -> str:
    """A gain or discount by its name, with its parameters."""
    keywords = getattr(function, "keywords", None)
    inner = getattr(function, "func", function)
    name = getattr(inner, "__name__", str(inner))
    given = ", ".join(f"{key}={value!r}" for key, value in (keywords or {}).items())
    return f"{name}({given})" if given else name
