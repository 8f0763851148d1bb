"""Several comparisons at once: p-values corrected for their number."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray, as_numbers, check_choice, refuse

__all__ = ["adjust"]

CORRECTIONS = {
    "holm": "holm",
    "bonferroni": "bonferroni",
    "benjamini-hochberg": "fdr_bh",
    "bh": "fdr_bh",
    "none": "",
}


def adjust(p: npt.ArrayLike, *, correction: str | None = "holm") -> FloatArray:
    r"""P-values corrected for the number of comparisons made.

    With the m p-values in ascending order :math:`p_{(1)} \le \dots \le p_{(m)}`:

    .. math:: \text{Bonferroni: } m p_{(i)}, \quad
              \text{Holm: } \max_{j \le i} (m - j + 1) p_{(j)}, \quad
              \text{Benjamini–Hochberg: } \min_{j \ge i} \frac{m}{j} p_{(j)}

    and none above 1.

    Parameters
    ----------
    p : array_like, shape (m,)
        P-values of one family of comparisons. NaN (an undefined test) stays NaN and does not
        count in m.
    correction : {"holm", "bonferroni", "benjamini-hochberg", "bh", "none"}, default "holm"
        Holm and Bonferroni bound the probability of any false finding, Holm never being weaker;
        Benjamini–Hochberg ("bh" for short) the expected share of false ones among the findings.
        "none" or None leaves all as they are.

    Returns
    -------
    ndarray of float, shape (m,)
        To be compared with the level alpha.

    Raises
    ------
    InputError
        If a p-value lies outside [0, 1], or the correction is unknown.

    References
    ----------
    S. Holm: A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6(2), 1979. Y. Benjamini, Y. Hochberg: Controlling the false discovery rate, JRSS B
    57(1), 1995.

    Examples
    --------
    >>> p = [0.01, 0.04, 0.03]
    >>> adjust(p).round(3).tolist()
    [0.03, 0.06, 0.06]
    >>> adjust(p, correction="bonferroni").round(3).tolist()
    [0.03, 0.12, 0.09]
    >>> adjust(p, correction="bh").round(3).tolist()
    [0.03, 0.04, 0.04]
    """
    how = CORRECTIONS[
        check_choice("none" if correction is None else correction, "correction", CORRECTIONS)
    ]
    values = as_numbers(p, "p").copy()
    refuse(values, (values < 0) | (values > 1), "p", "lie in [0, 1]")
    known = ~np.isnan(values)
    if how and known.any():
        from statsmodels.stats.multitest import multipletests

        values[known] = multipletests(values[known], method=how)[1]
    return values
