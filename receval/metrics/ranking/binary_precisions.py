"""Average precision: the precisions at the ranks of the relevant items (grade above 0)."""

from __future__ import annotations

import numpy.typing as npt

from receval._checks import FloatArray, check_choice
from receval._lists import as_gains, check_cutoff
from receval.metrics.form import Form
from receval.metrics.ranking.binary_counts import counted
from receval.metrics.ranking.divisors import OF_AVERAGE, PRECISIONS
from receval.metrics.stated import Stated


def average_precision_terms(gains: npt.ArrayLike, *, k: int | None = None) -> FloatArray:
    """Precision at each relevant rank, 0 elsewhere; their sum is AP's numerator.

    Parameters and errors are those of `average_precision`.

    Examples
    --------
    >>> average_precision_terms([1, 0, 1]).round(4)
    array([1.    , 0.    , 0.6667])
    """
    return PRECISIONS.columns(as_gains(gains)[..., : check_cutoff(k)]).terms


def average_precision_form(denominator: str = "relevant") -> Form:
    return Form(PRECISIONS, OF_AVERAGE[check_choice(denominator, "denominator", OF_AVERAGE)])


def average_precision(
    gains: npt.ArrayLike,
    n_relevant: npt.ArrayLike,
    *,
    k: int | None = None,
    denominator: str = "relevant",
) -> FloatArray:
    r"""Average of the precisions at the relevant ranks (AP); its mean over lists is the MAP.

    .. math:: \mathrm{AP@}k = \frac{1}{D} \sum_{i=1}^{\min(k, n)} [g_i > 0] \, \mathrm{P@}i

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades by rank.
    n_relevant : array_like of int, shape (...)
        Number of relevant items.
    k : int, optional
        Cut-off rank.
    denominator : {"relevant", "reachable", "listed", "cutoff", "found"}, default "relevant"
        What D is. ``"relevant"``: n_relevant (document 004, trec_eval, ranx).
        ``"reachable"``: min(k, n_relevant) (RankSys, RePlay). ``"listed"``: the smaller of
        n_relevant and the number of items retrieved, at most k (LensKit). ``"cutoff"``: k.
        ``"found"``: the relevant items among the first k (document 002's program); 0 if
        there is none although something is relevant.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN where nothing is relevant.

    Raises
    ------
    InputError
        As all of `receval.metrics.ranking`.

    Notes
    -----
    With a cut-off, ``"relevant"`` cannot reach 1 where more than k items are relevant;
    ``"found"`` can fall when a further relevant item is found.

    References
    ----------
    Document 004, Average precision.

    Examples
    --------
    >>> average_precision([1, 0, 1], 4).round(4)
    np.float64(0.4167)
    >>> average_precision([1, 0, 1], 4, denominator="found").round(4)
    np.float64(0.8333)
    """
    return average_precision_form(denominator)(counted(gains, n_relevant), check_cutoff(k))


MAP = Stated(
    name="MAP",
    label="AP",
    title="mean average precision",
    formula=r"\frac{1}{D_u} \sum_{i \le k} [g_{ui} > 0]\, P@i(u)",
    source="@buckley2000; document 004",
    how=average_precision_form,
    choices={"denominator": "average_precision"},
    aliases=("ap", "average_precision"),
)
