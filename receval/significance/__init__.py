"""Judge a difference between two systems: whether it is chance, how large and how certain it is.

Everything starts from one value per user and system. Two such columns are aligned by user. Users
who lack a value on either side are left out and counted.

Tests
    `wilcoxon`, `paired_t`, `sign_test` and `permutation` are two-sided; each has its own null
    hypothesis, and returns an effect size that fits it. `resampled_t` compares values of folds,
    whose training sets overlap.
Intervals
    `mean_interval`: Student's, and Wilson's for proportions.
Several comparisons
    `adjust`: Holm, Benjamini–Hochberg.

`Evaluation.compare` and `Evaluation.interval` apply these functions to the result of an
evaluation.
"""

from receval.significance.intervals import Interval, mean_interval
from receval.significance.paired import (
    PairedTest,
    adjust,
    paired_t,
    permutation,
    resampled_t,
    sign_test,
    wilcoxon,
)

__all__ = [
    "Interval",
    "PairedTest",
    "adjust",
    "mean_interval",
    "paired_t",
    "permutation",
    "resampled_t",
    "sign_test",
    "wilcoxon",
]
