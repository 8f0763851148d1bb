"""Whether a difference between two systems is more than chance, how large it is, and how sure.

Everything starts from one value per user and system. Two such columns are aligned by user; users
who lack a value on either side are left out and counted.

Tests
    `wilcoxon`, `paired_t`, `sign_test`, `permutation`: two-sided, each with its own null
    hypothesis.
Effect sizes
    `rank_biserial`, `cohens_d`, `mann_whitney_effect`.
Intervals
    `mean_interval`, `difference_interval`: bootstrap, seeded, in bounded memory.
Several comparisons
    `adjust`: Holm, Bonferroni, Benjamini–Hochberg.
Planning
    `minimum_detectable_difference`.

`Evaluation.compare` and `Evaluation.interval` apply them to the result of an evaluation.
"""

from receval.significance.corrections import adjust
from receval.significance.effects import (
    cohens_d,
    mann_whitney_effect,
    rank_biserial,
)
from receval.significance.intervals import (
    Interval,
    difference_interval,
    mean_interval,
)
from receval.significance.paired import (
    PairedTest,
    paired_t,
    sign_test,
    wilcoxon,
)
from receval.significance.permuting import permutation
from receval.significance.power import minimum_detectable_difference

__all__ = [
    "Interval",
    "PairedTest",
    "adjust",
    "cohens_d",
    "difference_interval",
    "mann_whitney_effect",
    "mean_interval",
    "minimum_detectable_difference",
    "paired_t",
    "permutation",
    "rank_biserial",
    "sign_test",
    "wilcoxon",
]
