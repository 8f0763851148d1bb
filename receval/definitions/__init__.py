"""The meaning of "nDCG@10": measures by name, conventions, and lists matched with judgments."""

from receval.definitions.convention import Convention
from receval.definitions.definition import Measure
from receval.definitions.names import convention, conventions, measure, measures
from receval.metrics.formula import Terms

__all__ = ["Convention", "Measure", "Terms", "convention", "conventions", "measure", "measures"]
