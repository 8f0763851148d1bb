r"""Implicational quantifiers of a four-fold table: founded and critical implication.

Hájek and Havránek judge "body, therefore head" by four counts of objects:

============== ========= ==============
..             head true head false
============== ========= ==============
**body true**  a         b
**body false** c         d
============== ========= ==============

An *implicational* quantifier depends on a and b only: more objects that confirm the implication (a)
or fewer that contradict it (b) never make it false. The document interprets such quantifiers as
aggregations of the implication over all objects (section IV-B).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from receval._arrays import divide_or_nan
from receval._checks import check_number, check_that
from receval.metrics.connectives.formulas import pair

__all__ = [
    "FourfoldTable",
    "Quantifier",
    "critical_implication",
    "founded_implication",
    "fourfold_table",
]


class FourfoldTable(NamedTuple):
    """Counts of objects, by whether their body and their head are true.

    Attributes
    ----------
    a : body and head are true.
    b : only the body is true.
    c : only the head is true.
    d : neither is true.
    """

    a: int
    b: int
    c: int
    d: int


class Quantifier(NamedTuple):
    """The result of an implicational quantifier.

    Attributes
    ----------
    holds : whether the implication holds with the probability ``p``.
    degree : the largest ``p`` with which it holds, in [0, 1]; NaN if no body is true.
    """

    holds: bool
    degree: float


def fourfold_table(body: npt.ArrayLike, head: npt.ArrayLike) -> FourfoldTable:
    """Count objects by whether the degrees of their body and head are at least 0.5.

    Parameters
    ----------
    body, head : array_like
        Degrees of truth in [0, 1], of the same shape.

    Returns
    -------
    FourfoldTable

    Raises
    ------
    InputError
        If a degree is missing or outside [0, 1], or the shapes don't fit.

    References
    ----------
    Hájek and Havránek (1978), Mechanizing Hypothesis Formation. Document 002, section IV-B.

    Examples
    --------
    >>> fourfold_table([1.0, 0.6, 0.4, 0.9], [1, 0, 1, 1])
    FourfoldTable(a=2, b=1, c=1, d=0)
    """
    body_degrees, head_degrees = pair(body=body, head=head)
    is_body_true = body_degrees >= 0.5
    is_head_true = head_degrees >= 0.5
    return FourfoldTable(
        a=int((is_body_true & is_head_true).sum()),
        b=int((is_body_true & ~is_head_true).sum()),
        c=int((~is_body_true & is_head_true).sum()),
        d=int((~is_body_true & ~is_head_true).sum()),
    )


def founded_implication(table: FourfoldTable, *, p: float = 0.9) -> Quantifier:
    r"""Judge whether enough of the objects with a true body have a true head.

    .. math:: \frac{a}{a + b} \ge p

    Parameters
    ----------
    table : FourfoldTable
        The counts.
    p : float, default 0.9
        Smallest share of objects with a true head, among those with a true body; in (0, 1].

    Returns
    -------
    Quantifier
        ``degree`` is a / (a + b).

    Raises
    ------
    InputError
        If ``table`` is not a `FourfoldTable`, or ``p`` is outside (0, 1].

    References
    ----------
    Hájek and Havránek (1978), Mechanizing Hypothesis Formation.

    Examples
    --------
    >>> founded_implication(FourfoldTable(a=18, b=2, c=0, d=0), p=0.85).holds
    True
    """
    share = _check_quantifier(table, p)
    degree = float(divide_or_nan(table.a, table.a + table.b))
    return Quantifier(degree >= share, degree)


def critical_implication(
    table: FourfoldTable, *, p: float = 0.9, alpha: float = 0.05
) -> Quantifier:
    r"""Judge whether the head is true with probability p or more, by a test at level alpha.

    The lower critical implication rejects the hypothesis that the probability of the head, given
    the body, is below p, if

    .. math:: \sum_{i=a}^{a+b} \binom{a+b}{i} p^i (1-p)^{a+b-i} \le \alpha

    Parameters
    ----------
    table : FourfoldTable
        The counts.
    p : float, default 0.9
        Probability, in (0, 1].
    alpha : float, default 0.05
        Level of the test, in (0, 1).

    Returns
    -------
    Quantifier
        ``degree`` is the largest p for which the sum is at most alpha. It is the lower limit of
        Clopper and Pearson's one-sided interval, and always below a / (a + b).

    Raises
    ------
    InputError
        As in `founded_implication`; also if ``alpha`` is outside (0, 1).

    References
    ----------
    Hájek and Havránek (1978), Mechanizing Hypothesis Formation.

    Examples
    --------
    Eighteen of twenty are a share of 0.9, but the true probability may be as low as 0.72:

    >>> result = critical_implication(FourfoldTable(a=18, b=2, c=0, d=0))
    >>> result.holds, round(result.degree, 2)
    (False, 0.72)
    """
    from scipy.stats import beta  # slow to import

    probability = _check_quantifier(table, p)
    level = check_number(alpha, "alpha", "a number between 0 and 1", lambda x: 0 < x < 1)
    if table.a + table.b == 0:
        degree = np.nan
    elif table.a == 0:
        degree = 0.0  # the sum is 1 for every p
    else:
        degree = float(beta.ppf(level, table.a, table.b + 1))
    return Quantifier(degree >= probability, degree)


def _check_quantifier(table: object, p: object) -> float:
    """Return p as a number; raise if it is invalid, or if there is no four-fold table."""
    rule = "be a FourfoldTable, such as fourfold_table returns"
    check_that(isinstance(table, FourfoldTable), "table", rule, table)
    return check_number(p, "p", "in (0, 1]", lambda x: 0 < x <= 1)
