"""How large a difference is, in units that do not depend on the number of users."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from receval._arrays import ratio
from receval._checks import FloatArray, check_choice
from receval.significance.pairs import Pairs, paired

__all__ = ["cohens_d", "mann_whitney_effect", "rank_biserial"]


def rank_biserial(a: Any, b: Any) -> float:
    r"""Matched-pairs rank-biserial correlation, the effect size of Wilcoxon's signed-rank test.

    .. math:: r = \frac{R^+ - R^-}{R^+ + R^-}

    with the sums of ranks of `wilcoxon`.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `receval.significance.wilcoxon`.

    Returns
    -------
    float
        In [-1, 1]: 1 where ``a`` is better for every user with a difference. NaN where no user
        has one. Users without difference are left out before ranking.

    Raises
    ------
    InputError
        As `receval.significance.wilcoxon`.

    References
    ----------
    D. S. Kerby: The simple difference formula, Comprehensive Psychology 3, 2014.

    Examples
    --------
    Ranks 2 to 5 for, rank 1 against: (14 - 1) / 15.

    >>> round(rank_biserial([0.5, 0.4, 0.9, 0.8, 0.3], [0.3, 0.5, 0.5, 0.3, 0.0]), 3)
    0.867
    """
    return float(_rank_biserial(paired(a, b)))


def cohens_d(a: Any, b: Any) -> float:
    r"""Cohen's d for paired differences (d_z): their mean in units of their standard deviation.

    .. math:: d_z = \frac{\bar d}{s_d}, \quad s_d^2 = \frac{1}{n - 1} \sum_u (d_u - \bar d)^2

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `receval.significance.wilcoxon`.

    Returns
    -------
    float
        Positive where ``a`` is better on average. NaN where all differences are equal.

    Raises
    ------
    InputError
        As `receval.significance.wilcoxon`.

    Notes
    -----
    The paired t statistic is :math:`d_z \sqrt n`. It is not the d of independent samples, whose
    denominator is the standard deviation of the values and not of the differences.

    References
    ----------
    J. Cohen: Statistical power analysis for the behavioral sciences, 2nd edition, 1988, 2.3.5.

    Examples
    --------
    >>> round(cohens_d([1, 2, 3, 4], [0, 1, 1, 2]), 3)
    2.598
    """
    return float(standardized(paired(a, b)))


def mann_whitney_effect(a: Any, b: Any, *, form: str = "r") -> float:
    r"""Effect size of Mann and Whitney's test, which a note in document 000 suggests.

    .. math:: r = \frac{Z}{\sqrt{n_a + n_b}}, \quad
              Z = \frac{U - n_a n_b / 2}{\sigma_U}, \quad
              A = \frac{U}{n_a n_b}

    where U counts the pairs of a value of ``a`` and a value of ``b`` in which that of ``a`` is
    higher, equal ones as one half, and :math:`\sigma_U` is corrected for ties.

    Parameters
    ----------
    a, b : Series or array_like, shape (users,)
        As in `receval.significance.wilcoxon`.
    form : {"r", "superiority"}, default "r"
        Which of the two: r, or A, the probability that a value drawn from ``a`` is higher
        than one drawn from ``b``.

    Returns
    -------
    float
        r in (-1, 1), positive where ``a`` tends to be higher, NaN where all values are equal;
        A in [0, 1].

    Raises
    ------
    InputError
        As `receval.significance.wilcoxon`; or if ``form`` is neither.

    Notes
    -----
    It takes the two columns for independent samples and forgets which values belong to one user:
    where users differ much more than systems, it comes out far smaller than `rank_biserial`,
    which fits the signed-rank test.

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


def standardized(pairs: Pairs) -> FloatArray:
    return ratio(pairs.mean, pairs.spread)


def _rank_biserial(pairs: Pairs) -> FloatArray:
    return ratio(pairs.ranks.sum(axis=-1), np.abs(pairs.ranks).sum(axis=-1))


def _mann_whitney(pairs: Pairs, form: str = "r") -> FloatArray:
    from scipy import stats

    n = pairs.compared
    ranks = stats.rankdata(np.concatenate([pairs.a, pairs.b], axis=-1), axis=-1)
    u = ranks[..., :n].sum(axis=-1) - n * (n + 1) / 2
    if form == "superiority":
        return ratio(u, n**2)
    # The spread of the ranks is less by what ties take from it.
    variance = n * ((ranks - n - 0.5) ** 2).sum(axis=-1) / (2 * (2 * n - 1))
    return ratio(u - n * n / 2, np.sqrt(variance * 2 * n))


EFFECTS: dict[str, Callable[[Pairs], FloatArray]] = {
    "rank_biserial": _rank_biserial,
    "cohens_d": standardized,
    "mann_whitney": _mann_whitney,
}
