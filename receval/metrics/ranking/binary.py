"""Metrics that ask of each rank only whether its item is relevant (grade above 0)."""

from __future__ import annotations

import numpy.typing as npt

from receval._checks import (
    FloatArray,
    InputError,
    as_gains,
    as_numbers,
    check_choice,
    check_cutoff,
    check_leading,
    is_scalar,
    refuse,
)
from receval.metrics.ranking import _formulas
from receval.metrics.ranking._parts import relevant_counts, summed


def hit(gains: npt.ArrayLike, *, k: int | None = None) -> FloatArray:
    r"""Whether a relevant item is among the first k; its mean over lists is the hit rate (HR).

    .. math:: \mathrm{hit@}k = [\exists\, i \le k : g_i > 0]

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grade of the item at each rank, best first; NaN marks an empty rank at the tail.
    k : int, optional
        Cut-off rank. Default: the whole list.

    Returns
    -------
    ndarray of float, shape (...)
        1 or 0; 0 for an empty list.

    Raises
    ------
    InputError
        If a grade is negative or infinite, NaN stands before a grade, or ``k`` is not a
        positive integer.

    References
    ----------
    Document 000, section "Evaluated metrics", HR@10.

    Examples
    --------
    >>> hit([[0, 1, 0], [0, 0, 1]], k=2)
    array([1., 0.])
    """
    return _formulas.hit(summed(precision_terms(gains, k=k)))


def reciprocal_rank_terms(gains: npt.ArrayLike, *, k: int | None = None) -> FloatArray:
    """``1/rank`` at the first relevant rank, 0 elsewhere; sums to `reciprocal_rank`.

    Parameters and errors are those of `reciprocal_rank`.

    Examples
    --------
    >>> reciprocal_rank_terms([0, 1, 1])
    array([0. , 0.5, 0. ])
    """
    return _formulas.reciprocal_rank_terms(as_gains(gains), check_cutoff(k))


def reciprocal_rank(gains: npt.ArrayLike, *, k: int | None = None) -> FloatArray:
    r"""One over the rank of the first relevant item; its mean over lists is the MRR.

    .. math:: \mathrm{RR@}k = \begin{cases} 1 / \min \{ i \le k : g_i > 0 \} \\
              0 & \text{without a relevant item among the first } k \end{cases}

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grade of the item at each rank, best first; NaN marks an empty rank at the tail.
    k : int, optional
        Cut-off rank. Default: the whole list, as in document 002; document 000 cuts at 10.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]; 0 for an empty list.

    Raises
    ------
    InputError
        If a grade is negative or infinite, NaN stands before a grade, or ``k`` is not a
        positive integer.

    References
    ----------
    Document 000, section "Evaluated metrics", mir and MRR@10.

    Examples
    --------
    >>> reciprocal_rank([[0, 1, 1], [0, 0, 1]], k=2)
    array([0.5, 0. ])
    """
    return summed(reciprocal_rank_terms(gains, k=k))


def precision_terms(gains: npt.ArrayLike, *, k: int | None = None) -> FloatArray:
    """1 at each relevant rank, 0 elsewhere: what precision and recall count.

    Parameters and errors are those of `precision`.

    Examples
    --------
    >>> precision_terms([3, 0, 1], k=2)
    array([1., 0.])
    """
    return _formulas.hit_terms(as_gains(gains), check_cutoff(k))


recall_terms = precision_terms  # the two count the same and divide by different numbers


def precision(
    gains: npt.ArrayLike,
    *,
    k: int | None = None,
    denominator: str = "cutoff",
    n_relevant: npt.ArrayLike | None = None,
) -> FloatArray:
    r"""Share of relevant items among the first k.

    .. math:: \mathrm{P@}k = \frac{1}{D} \sum_{i=1}^{\min(k, n)} [g_i > 0]

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grade of the item at each rank, best first; NaN marks an empty rank at the tail.
    k : int, optional
        Cut-off rank. Default: the length of each list.
    denominator : {"cutoff", "retrieved", "reachable"}, default "cutoff"
        What D is. ``"cutoff"``: k, even where the list is shorter (trec_eval, RankSys).
        ``"retrieved"``: the number of items retrieved, at most k (document 004's text).
        ``"reachable"``: min(k, n_relevant), so that a perfect list scores 1.
    n_relevant : array_like of int, shape (...), optional
        Number of relevant items of each list; needed, and used, by ``"reachable"`` only.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN where D is 0: an empty list without cut-off or under
        ``"retrieved"``; nothing relevant under ``"reachable"``.

    Raises
    ------
    InputError
        If a grade is negative or infinite, NaN stands before a grade, ``k`` is not a positive
        integer, ``denominator`` is unknown, or ``n_relevant`` is missing, negative, or smaller
        than the number of relevant items in the list.

    References
    ----------
    Document 004, Precision; document 001, eq. of precision (there TP + FP is the number
    retrieved); document 002, section IV-A, p5 and p10.

    Examples
    --------
    A list of two, cut at 4:

    >>> precision([1, 0], k=4), precision([1, 0], k=4, denominator="retrieved")
    (np.float64(0.25), np.float64(0.5))
    """
    gains, k = as_gains(gains), check_cutoff(k)
    check_choice(denominator, "denominator", ("cutoff", "retrieved", "reachable"))
    total = None
    if denominator == "reachable":
        if n_relevant is None:
            raise InputError("n_relevant must be given when denominator is 'reachable'; got None")
        total = relevant_counts(n_relevant, gains)
    hits = summed(_formulas.hit_terms(gains, k))
    return _formulas.precision(hits, gains, total, k, denominator)


def recall(
    gains: npt.ArrayLike,
    n_relevant: npt.ArrayLike,
    *,
    k: int | None = None,
    denominator: str = "relevant",
) -> FloatArray:
    r"""Share of the relevant items that are among the first k.

    .. math:: \mathrm{R@}k = \frac{1}{D} \sum_{i=1}^{\min(k, n)} [g_i > 0]

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grade of the item at each rank, best first; NaN marks an empty rank at the tail.
    n_relevant : array_like of int, shape (...)
        Number of relevant items of each list, retrieved or not.
    k : int, optional
        Cut-off rank. Default: the length of each list.
    denominator : {"relevant", "reachable"}, default "relevant"
        What D is: n_relevant, or min(k, n_relevant) as LensKit has it.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN where D is 0.

    Raises
    ------
    InputError
        If a grade is negative or infinite, NaN stands before a grade, ``k`` is not a positive
        integer, ``denominator`` is unknown, or ``n_relevant`` is negative or smaller than the
        number of relevant items in the list.

    References
    ----------
    Document 004, Recall; document 001, eq. of recall.

    Examples
    --------
    >>> recall([1, 0, 1], 4)
    np.float64(0.5)
    """
    gains, k = as_gains(gains), check_cutoff(k)
    check_choice(denominator, "denominator", ("relevant", "reachable"))
    hits = summed(_formulas.hit_terms(gains, k))
    return _formulas.recall(hits, gains, relevant_counts(n_relevant, gains), k, denominator)


def f1(precision: npt.ArrayLike, recall: npt.ArrayLike) -> FloatArray:
    r"""Harmonic mean of precision and recall.

    .. math:: F_1 = 2 \cdot \frac{P \cdot R}{P + R}

    Parameters
    ----------
    precision, recall : array_like
        Values in [0, 1], of shapes that broadcast; NaN where undefined.

    Returns
    -------
    ndarray of float
        Values in [0, 1]; 0 where both are 0; NaN where either is NaN.

    Raises
    ------
    InputError
        If a value lies outside [0, 1].

    References
    ----------
    Document 001, eq. of :math:`F_1`.

    Examples
    --------
    >>> f1([0.5, 0.0], [1.0, 0.0]).round(4)
    array([0.6667, 0.    ])
    """
    scalar = is_scalar(precision) and is_scalar(recall)
    p, r = (
        as_numbers([values] if is_scalar(values) else values, name)
        for values, name in ((precision, "precision"), (recall, "recall"))
    )
    for values, name in ((p, "precision"), (r, "recall")):
        refuse(values, (values < 0) | (values > 1), name, "be between 0 and 1")
    check_leading("precision recall", p.shape, r.shape)
    value = _formulas.f1(p, r)
    return value[0] if scalar else value


def r_precision_terms(gains: npt.ArrayLike, n_relevant: npt.ArrayLike) -> FloatArray:
    """1 at each relevant rank up to rank ``n_relevant``, 0 elsewhere.

    Parameters and errors are those of `r_precision`.

    Examples
    --------
    >>> r_precision_terms([1, 0, 1], 2)
    array([1., 0., 0.])
    """
    gains = as_gains(gains)
    return _formulas.r_precision_terms(gains, relevant_counts(n_relevant, gains))


def r_precision(gains: npt.ArrayLike, n_relevant: npt.ArrayLike) -> FloatArray:
    r"""Precision at rank R, where R is the number of relevant items.

    .. math:: \mathrm{R\text{-}Precision} = \frac{1}{R} \sum_{i=1}^{R} [g_i > 0]

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grade of the item at each rank, best first; NaN marks an empty rank at the tail.
    n_relevant : array_like of int, shape (...)
        R, the number of relevant items of each list, retrieved or not.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]. NaN where nothing is relevant.

    Raises
    ------
    InputError
        If a grade is negative or infinite, NaN stands before a grade, or ``n_relevant`` is
        negative or smaller than the number of relevant items in the list.

    References
    ----------
    Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, section 8.4.

    Examples
    --------
    >>> r_precision([1, 0, 1], 2)
    np.float64(0.5)
    """
    gains = as_gains(gains)
    return _formulas.r_precision(gains, relevant_counts(n_relevant, gains))


def average_precision_terms(gains: npt.ArrayLike, *, k: int | None = None) -> FloatArray:
    """Precision at each relevant rank, 0 elsewhere; their sum is AP's numerator.

    Parameters and errors are those of `average_precision`.

    Examples
    --------
    >>> average_precision_terms([1, 0, 1]).round(4)
    array([1.    , 0.    , 0.6667])
    """
    return _formulas.average_precision_terms(as_gains(gains), check_cutoff(k))


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
        Grade of the item at each rank, best first; NaN marks an empty rank at the tail.
    n_relevant : array_like of int, shape (...)
        Number of relevant items of each list, retrieved or not.
    k : int, optional
        Cut-off rank. Default: the length of each list.
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
        If a grade is negative or infinite, NaN stands before a grade, ``k`` is not a positive
        integer, ``denominator`` is unknown, or ``n_relevant`` is negative or smaller than the
        number of relevant items in the list.

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
    gains, k = as_gains(gains), check_cutoff(k)
    check_choice(denominator, "denominator", ("relevant", "reachable", "listed", "cutoff", "found"))
    total = relevant_counts(n_relevant, gains)
    precisions = summed(_formulas.average_precision_terms(gains, k))
    return _formulas.average_precision(precisions, gains, total, k, denominator)
