"""The meaning of "nDCG@10": measures by name, conventions, and lists matched with judgments."""

from receval.measure.convention import Convention
from receval.measure.definition import Measure
from receval.measure.names import convention, measure
from receval.measure.overview import conventions, measures
from receval.metrics.formula import Terms

__all__ = ["Convention", "Measure", "Terms", "convention", "conventions", "measure", "measures"]
