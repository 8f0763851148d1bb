"""What "nDCG@10" means: measures by name, conventions, and the lists that measures are taken of."""

from receval.measure.convention import Convention
from receval.measure.definition import Measure
from receval.measure.names import convention, measure
from receval.measure.overview import conventions, measures
from receval.metrics.formula import Terms

__all__ = ["Convention", "Measure", "Terms", "convention", "conventions", "measure", "measures"]
