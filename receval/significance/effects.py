"""Effect sizes: how large a difference is, in units that do not depend on the number of users.

To add an effect size for `compare_pairs`, put its function into `EFFECTS`. Add its
name in words to ``receval/evaluation/words.toml``, and an oracle (an independent computation) to
``tests/significance/test_significance.py``. A test fails as long as one of the two is missing.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from receval._arrays import divide_or_nan, without_rounding_noise
from receval._checks import FloatArray, check_choice
from receval.significance.pairs import Pairs, UserValues, paired

__all__ = ["cohens_d", "mann_whitney_effect", "rank_biserial"]


def rank_biserial(a: UserValues, b: UserValues) -> float:
    r"""Compute the matched-pairs rank-biserial correlation, the effect size of `wilcoxon`.

    .. math:: r = \frac{R^+ - R^-}{R^+ + R^-}

    with the sums of ranks of `wilcoxon`.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `receval.significance.wilcoxon`.

    Returns
    -------
    float
        In [-1, 1]; 1 if ``a`` is better for every user with a difference, NaN if no user has one.
        Users without a difference are left out before ranking.

    Raises
    ------
    InputError
        As in `receval.significance.wilcoxon`.

    References
    ----------
    Kerby, D. S.: The simple difference formula, Comprehensive Psychology 3, 2014.

    Examples
    --------
    Ranks 2 to 5 are in favour of ``a`` and rank 1 is against: (14 - 1) / 15.

    >>> round(rank_biserial([0.5, 0.4, 0.9, 0.8, 0.3], [0.3, 0.5, 0.5, 0.3, 0.0]), 3)
    0.867
    """
    return float(_rank_biserial(paired(a, b)))


def cohens_d(a: UserValues, b: UserValues) -> float:
    r"""Compute Cohen's d of paired differences (d_z): mean over standard deviation.

    .. math:: d_z = \frac{\bar d}{s_d}, \quad s_d^2 = \frac{1}{n - 1} \sum_u (d_u - \bar d)^2

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `receval.significance.wilcoxon`.

    Returns
    -------
    float
        Positive if ``a`` is better on average, NaN if all differences are equal.

    Raises
    ------
    InputError
        As in `receval.significance.wilcoxon`.

    Notes
    -----
    The paired t statistic is :math:`d_z \sqrt n`. The d of independent samples is another number:
    it divides by the standard deviation of the values, not of the differences.

    References
    ----------
    Cohen, J.: Statistical power analysis for the behavioral sciences, 2nd edition, 1988, 2.3.5.

    Examples
    --------
    >>> round(cohens_d([1, 2, 3, 4], [0, 1, 1, 2]), 3)
    2.598
    """
    return float(standardized_mean(paired(a, b)))


def mann_whitney_effect(a: UserValues, b: UserValues, *, form: str = "r") -> float:
    r"""Compute the effect size of Mann and Whitney's test, suggested by a note in document 000.

    .. math:: r = \frac{Z}{\sqrt{n_a + n_b}}, \quad
              Z = \frac{U - n_a n_b / 2}{\sigma_U}, \quad
              A = \frac{U}{n_a n_b}

    where U compares every value of ``a`` with every value of ``b``, and counts the pairs in which
    the value of ``a`` is higher. Pairs of equal values count one half, and :math:`\sigma_U` is
    corrected for ties.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `receval.significance.wilcoxon`.
    form : {"r", "superiority"}, default "r"
        Either r, or the superiority A: the probability that a value drawn from ``a`` is higher
        than one drawn from ``b``.

    Returns
    -------
    float
        r lies in (-1, 1); it is positive if ``a`` tends to be higher and NaN if all values are
        equal. A lies in [0, 1].

    Raises
    ------
    InputError
        As in `receval.significance.wilcoxon`; or if ``form`` is unknown.

    Notes
    -----
    The formula treats the two columns as independent samples and ignores which values belong to the
    same user. If users differ much more than systems, this effect size is far smaller than
    `rank_biserial`, which fits the signed-rank test.

    References
    ----------
    Document 000, note on effect size. H. B. Mann, D. R. Whitney: On a test of whether one of two
    random variables is stochastically larger than the other, Annals of Mathematical Statistics
    18(1), 1947.

    Examples
    --------
    Of nine pairs, ``a`` is higher in eight:

    >>> round(mann_whitney_effect([2, 4, 5], [0, 1, 3], form="superiority"), 3)
    0.889
    >>> round(mann_whitney_effect([2, 4, 5], [0, 1, 3]), 3)
    0.624
    """
    check_choice(form, "form", ("r", "superiority"))
    return float(_mann_whitney(paired(a, b), form))


def standardized_mean(pairs: Pairs) -> FloatArray:
    """Return the mean of the differences over their standard deviation; NaN if all are equal."""
    return divide_or_nan(pairs.mean, pairs.spread)


def _rank_biserial(pairs: Pairs) -> FloatArray:
    """Return, for each pair of columns, the sum of the signed ranks over the sum of all ranks."""
    return divide_or_nan(pairs.ranks.sum(axis=-1), np.abs(pairs.ranks).sum(axis=-1))


def _mann_whitney(pairs: Pairs, form: str = "r") -> FloatArray:
    """Return the effect size of Mann and Whitney's test for each pair of columns.

    ``form`` is "r" or "superiority"; `mann_whitney_effect` has the formulas of both. The two
    samples are the values of the first and of the second system, n users each.
    """
    from scipy import stats

    n = pairs.compared
    both_samples = np.concatenate([pairs.a, pairs.b], axis=-1)
    largest = np.abs(both_samples).max(axis=-1, keepdims=True)
    both_samples = without_rounding_noise(both_samples, scale=largest)
    ranks = stats.rankdata(both_samples, axis=-1)
    # U is the rank sum of the first sample minus the smallest possible rank sum, 1 + … + n.
    smallest_rank_sum = n * (n + 1) / 2
    u = ranks[..., :n].sum(axis=-1) - smallest_rank_sum
    n_pairs_of_values = n * n
    if form == "superiority":
        return divide_or_nan(u, n_pairs_of_values)
    # The variance of U if the samples do not differ. Ties reduce the spread of the ranks, so the
    # variance is computed from the ranks themselves.
    mean_rank = n + 0.5
    variance = n * ((ranks - mean_rank) ** 2).sum(axis=-1) / (2 * (2 * n - 1))
    # r = Z / sqrt(2 n) = (u - n² / 2) / sqrt(variance) / sqrt(2 n). If all values are equal, the
    # variance is 0, and dividing once by the product of both roots gives NaN.
    return divide_or_nan(u - n_pairs_of_values / 2, np.sqrt(variance * 2 * n))


EFFECTS: dict[str, Callable[[Pairs], FloatArray]] = {
    "rank_biserial": _rank_biserial,
    "cohens_d": standardized_mean,
    "mann_whitney": _mann_whitney,
}
"""The effect sizes of `compare_pairs` by name; each function returns one value per pair."""
