"""Novelty and diversity of single lists; the last axis is rank and is dropped."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import as_flags, as_numbers, as_tailed, divide_or_nan
from receval._checks import FloatArray, check_none, check_that
from receval.metrics.formula import sum_over_ranks
from receval.metrics.spec import MeasureSpec, PerListFunction


def user_novelty_terms(seen: npt.ArrayLike) -> FloatArray:
    """Return 1 at each item that the user has not seen, 0 elsewhere; the mean is `user_novelty`.

    See `user_novelty` for parameters and errors.

    Examples
    --------
    >>> user_novelty_terms([True, False, False])
    array([0., 1., 1.])
    """
    return np.asarray(as_flags(seen, "seen") == 0, np.float64)


def user_novelty(seen: npt.ArrayLike) -> FloatArray:
    r"""Share of the recommended items that the user has not seen before.

    .. math:: \mathrm{nov_u} = 1 - \frac{|\{o \in R_u : o \text{ seen by } u\}|}{|R_u|}

    Parameters
    ----------
    seen : array_like of bool, shape (..., n)
        True if the user has already seen the item at this rank; NaN marks an empty rank at the
        tail.

    Returns
    -------
    ndarray of float, shape (...)
        In [0, 1]; NaN for an empty list.

    Raises
    ------
    InputError
        If a value is not True, False or NaN.

    Notes
    -----
    The text of document 002 defines the seen share (`seen_share`); the document's tables print its
    complement, which this function returns.

    References
    ----------
    Document 002, section IV-A.

    Examples
    --------
    >>> user_novelty([True, False, False, False])
    np.float64(0.75)
    """
    return mean_over_items(user_novelty_terms(seen), seen)


NOV_U = MeasureSpec(
    name="nov_u",
    label="user novelty",
    title="user novelty",
    formula=r"1 - \frac{|\{o \in R_u : \text{seen}\}|}{|R_u|}",
    source="@peska2020; document 002",
    computation=PerListFunction(user_novelty, lambda lists, k: {"seen": lists.seen(k)}),
    needs=("history",),
)


def seen_share(seen: npt.ArrayLike) -> FloatArray:
    """Share of the recommended items that the user has seen before: 1 - `user_novelty`.

    Parameters
    ----------
    seen : array_like of bool, shape (..., n)
        True if the user has already seen the item at this rank; NaN marks an empty rank at the
        tail.

    Returns
    -------
    ndarray of float, shape (...)
        In [0, 1]; NaN for an empty list.

    Raises
    ------
    InputError
        If a value is not True, False or NaN.

    References
    ----------
    Document 002, section IV-A: the text defines user novelty in this way.

    Examples
    --------
    >>> seen_share([True, False, False, False])
    np.float64(0.25)
    """
    return mean_over_items(np.nan_to_num(as_flags(seen, "seen")), seen)


def temporal_novelty_terms(days: npt.ArrayLike) -> FloatArray:
    """Return ``1/ln(days + 2.72)`` of each item, 0 at empty ranks; the mean is `temporal_novelty`.

    See `temporal_novelty` for parameters and errors.

    Examples
    --------
    >>> temporal_novelty_terms([0, 7]).round(4)
    array([0.9994, 0.4397])
    """
    ages = as_non_negative(days, "days", "An item's date lies in the future")
    return np.nan_to_num(1 / np.log(ages + 2.72))


def temporal_novelty(days: npt.ArrayLike) -> FloatArray:
    r"""Return the average newness of the recommended items.

    .. math:: \mathrm{nov_t} = \frac{1}{|R_u|} \sum_{o \in R_u} \frac{1}{\ln(t_o + 2.72)}

    Parameters
    ----------
    days : array_like, shape (..., n)
        Age in days of the item at each rank, at least 0; NaN marks an empty rank at the tail.

    Returns
    -------
    ndarray of float, shape (...)
        Above 0 and at most 1/ln 2.72 = 0.99937; NaN for an empty list.

    Raises
    ------
    InputError
        If an age is negative or infinite.

    Notes
    -----
    The formula comes from document 002's program. The text refers to eq. 4, :math:`1/(\log t +
    \varepsilon)`, which has no value at zero days.

    References
    ----------
    Document 002, section IV-A and eq. 4.

    Examples
    --------
    >>> temporal_novelty([0, 7, 365]).round(4)
    np.float64(0.5361)
    """
    return mean_over_items(temporal_novelty_terms(days), days)


NOV_T = MeasureSpec(
    name="nov_t",
    label="temporal novelty",
    title="temporal novelty",
    formula=r"\frac{1}{|R_u|} \sum_{o \in R_u} \frac{1}{\ln(t_o + 2.72)}",
    source="@peska2020; document 002",
    computation=PerListFunction(temporal_novelty, lambda lists, k: {"days": lists.ages(k)}),
    needs=("novelty_date",),
    methods_note="ages are whole days up to the day given, or the latest novelty date",
)


def intra_list_diversity_terms(similarity: npt.ArrayLike) -> FloatArray:
    """Return 1 - similarity of each ordered pair of different items, 0 on the diagonal.

    See `intra_list_diversity` for parameters and errors.

    Examples
    --------
    >>> intra_list_diversity_terms([[1, 0.25], [0.25, 1]])
    array([[0.  , 0.75],
           [0.75, 0.  ]])
    """
    values = _read_similarity(similarity)
    is_different = np.eye(*values.shape[-2:]) == 0
    return np.where(is_different & ~np.isnan(values), 1 - values, 0.0)


def intra_list_diversity(similarity: npt.ArrayLike) -> FloatArray:
    r"""Average dissimilarity of the items in a list (ILD).

    .. math:: \mathrm{ILD} = \frac{1}{n (n-1)} \sum_{i \ne j} (1 - \mathrm{sim}(i, j))

    Parameters
    ----------
    similarity : array_like, shape (..., n, n)
        Similarity of the items at ranks i and j; rows and columns of NaN at the end mark empty
        ranks.

    Returns
    -------
    ndarray of float, shape (...)
        In [0, 1] for similarities in [0, 1]; NaN for lists of fewer than two items.

    Raises
    ------
    InputError
        If the last two axes differ in length, or the similarity of two items is infinite or NaN.

    References
    ----------
    Document 002, section IV-A. The pairs are those that the document's program counts.

    Examples
    --------
    >>> intra_list_diversity([[1, 0.5, 0], [0.5, 1, 0.25], [0, 0.25, 1]])
    np.float64(0.75)
    """
    # The similarity of an item with itself, on the diagonal, is NaN at empty ranks only.
    self_similarity = np.diagonal(_read_similarity(similarity), axis1=-2, axis2=-1)
    n_items = np.count_nonzero(~np.isnan(self_similarity), axis=-1)
    row_sums = sum_over_ranks(intra_list_diversity_terms(similarity), "similarity")
    return divide_or_nan(sum_over_ranks(row_sums, "similarity"), n_items * (n_items - 1))


ILD = MeasureSpec(
    name="ILD",
    title="intra-list diversity",
    formula=r"\frac{1}{n(n-1)} \sum_{i \ne j} (1 - \mathrm{sim}(i, j))",
    source="@smyth2001; document 002",
    computation=PerListFunction(
        intra_list_diversity, lambda lists, k: {"similarity": lists.similarity(k)}
    ),
    needs=("features",),
    methods_note="similarity is the cosine of the items' feature columns",
)


def mean_over_items(terms: FloatArray, values: npt.ArrayLike) -> FloatArray:
    """Return the mean of the terms of each list over the ranks at which ``values`` is not NaN."""
    is_item = ~np.isnan(np.asarray(values, np.float64))
    return divide_or_nan(sum_over_ranks(terms), np.count_nonzero(is_item, axis=-1))


def as_non_negative(values: npt.ArrayLike, name: str, advice: str = "") -> FloatArray:
    """Return numbers by rank; raise with ``advice`` if one is negative."""
    numbers = as_tailed(values, name)
    check_none(numbers, numbers < 0, name, "be at least 0", advice)
    return numbers


def _read_similarity(similarity: npt.ArrayLike) -> FloatArray:
    """Return the similarities as floats, of shape (..., n, n); raise unless they are complete.

    A rank holds an item if the diagonal, the similarity of an item with itself, has a number there.
    The similarity of any two items must be a number. All other ranks are empty: they come after the
    last item, and their rows and columns hold only NaN.
    """
    values = as_numbers(similarity, "similarity")
    is_square = values.ndim >= 2 and values.shape[-1] == values.shape[-2]
    check_that(is_square, "similarity", "be square in its last two axes", values.shape)
    check_none(values, np.isinf(values), "similarity", "be finite")
    advice = (
        "The diagonal distinguishes an item (give it 1) from an empty rank (NaN), which is last"
    )
    diagonal = np.diagonal(values, axis1=-2, axis2=-1)
    has_item = ~np.isnan(diagonal)
    is_gap = ~has_item[..., :-1] & has_item[..., 1:]
    check_none(
        diagonal[..., :-1], is_gap, "similarity's diagonal", "be a number at every item", advice
    )
    is_pair_of_items = has_item[..., :, np.newaxis] & has_item[..., np.newaxis, :]
    check_none(
        values,
        np.isnan(values) == is_pair_of_items,
        "similarity",
        "be a number between any two items, and NaN in the row and column of an empty rank",
        advice,
    )
    return values
