"""receval: evaluation in which every number shows its definition, its working and its source.

`receval.metrics`
    Metrics on arrays, one definition each.
`receval.working`
    The term-by-term table behind a number.
`receval.published`
    Printed figures of the source documents, and the ledger that compares them.
`receval.datasets`
    The documents' examples and other data to try things on.
"""

from receval import metrics
from receval._checks import InputError

__version__ = "0.1.0"

__all__ = ["InputError", "metrics"]
