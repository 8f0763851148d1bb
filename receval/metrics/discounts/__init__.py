r"""Discounts and gains: the weight of a rank, and the value of a grade.

The literature uses the name DCG for every combination of two discounts and three gains. In receval,
each discount and each gain has a name.

============================ ===================================== =============================
name                         definition                            used by
============================ ===================================== =============================
`shifted_log2`               :math:`1/\log_2(1+i)`                 document 004, trec_eval, ranx
`clipped_log2`               :math:`1/\max(1, \log_2 i)`           document 001, LensKit
`reciprocal`                 :math:`1/i`                           reciprocal rank
`undiscounted`               :math:`1`                             cumulative gain
`linear_gain`                :math:`g`                             documents 001 (example), 004
`binary_gain`                :math:`[g > 0]`                       RecTools, RePlay, LensKit
`exponential_gain`           :math:`2^g-1`                         document 001 (IDCG formula)
`relison_gain`               :math:`2^{g-t+1}-1` where g >= t      RELISON's program (004), Elliot
============================ ===================================== =============================
"""

from receval.metrics.discounts.grades import (
    Gain,
    binary_gain,
    exponential_gain,
    linear_gain,
    relison_gain,
)
from receval.metrics.discounts.ranks import (
    Discount,
    clipped_log2,
    reciprocal,
    shifted_log2,
    undiscounted,
)

__all__ = [
    "Discount",
    "Gain",
    "binary_gain",
    "clipped_log2",
    "exponential_gain",
    "linear_gain",
    "reciprocal",
    "relison_gain",
    "shifted_log2",
    "undiscounted",
]
