"""The meaning of "nDCG@10": measures by name, conventions, and lists matched with judgments."""

from receval.definitions.convention import Convention, convention, conventions
from receval.definitions.definition import Measure, measure, measures
from receval.metrics.formula import Terms

__all__ = ["Convention", "Measure", "Terms", "convention", "conventions", "measure", "measures"]
