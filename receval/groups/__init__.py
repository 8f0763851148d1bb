"""Document 001: what a group chooses, and how satisfied its members are.

`factorize`
    Predict ratings by matrix factorization.
`evaluate_groups`
    Choose a list for each group by several strategies, and measure every member's satisfaction.
"""

from receval.groups.factorization import Factorization, factorize
from receval.groups.satisfaction import GroupEvaluation, evaluate_groups

__all__ = ["Factorization", "GroupEvaluation", "evaluate_groups", "factorize"]
