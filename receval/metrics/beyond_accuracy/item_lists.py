"""Novelty and diversity of single lists; the last axis is rank and is dropped."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import ratio, retrieved
from receval._checks import FloatArray, InputError, check_none
from receval._lists import as_flags, as_numbers, as_tailed
from receval.metrics.formula import sum_over_ranks
from receval.metrics.spec import MeasureSpec, PerListFunction


def user_novelty_terms(seen: npt.ArrayLike) -> FloatArray:
    """1 at each item that the user has not seen, 0 elsewhere; their mean is `user_novelty`.

    Parameters and errors are those of `user_novelty`.

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
        Whether the user saw the item at each rank before; NaN marks an empty rank at the tail.

    Returns
    -------
    ndarray of float, shape (...)
        In [0, 1]; NaN for an empty list.

    Raises
    ------
    InputError
        If a value is neither True nor False.

    Notes
    -----
    The text of document 002 defines the seen share (`seen_share`); its tables print this
    complement.

    References
    ----------
    Document 002, section IV-A.

    Examples
    --------
    >>> user_novelty([True, False, False, False])
    np.float64(0.75)
    """
    return mean_of_items(user_novelty_terms(seen), seen)


NOV_U = MeasureSpec(
    name="nov_u",
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
        Whether the user saw the item at each rank before; NaN marks an empty rank at the tail.

    Returns
    -------
    ndarray of float, shape (...)
        In [0, 1]; NaN for an empty list.

    Raises
    ------
    InputError
        If a value is neither True nor False.

    References
    ----------
    Document 002, section IV-A, as the text defines user novelty.

    Examples
    --------
    >>> seen_share([True, False, False, False])
    np.float64(0.25)
    """
    flags = as_flags(seen, "seen")
    return ratio((flags == 1).sum(axis=-1), retrieved(flags))


def temporal_novelty_terms(days: npt.ArrayLike) -> FloatArray:
    """``1/ln(days + 2.72)`` of each item, 0 at an empty rank; their mean is the novelty.

    Parameters and errors are those of `temporal_novelty`.

    Examples
    --------
    >>> temporal_novelty_terms([0, 7]).round(4)
    array([0.9994, 0.4397])
    """
    age = at_least_0(days, "days", "An item's date lies in the future")
    return np.nan_to_num(1 / np.log(age + 2.72))


def temporal_novelty(days: npt.ArrayLike) -> FloatArray:
    r"""How new the recommended items are, averaged over the list.

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
    The formula is that of document 002's program. The text refers to eq. 4,
    :math:`1/(\log t + \varepsilon)`, which has no value at zero days.

    References
    ----------
    Document 002, section IV-A and eq. 4.

    Examples
    --------
    >>> temporal_novelty([0, 7, 365]).round(4)
    np.float64(0.5361)
    """
    return mean_of_items(temporal_novelty_terms(days), days)


NOV_T = MeasureSpec(
    name="nov_t",
    title="temporal novelty",
    formula=r"\frac{1}{|R_u|} \sum_{o \in R_u} \frac{1}{\ln(t_o + 2.72)}",
    source="@peska2020; document 002",
    computation=PerListFunction(temporal_novelty, lambda lists, k: {"days": lists.ages(k)}),
    needs=("novelty_date",),
    methods_note="ages are whole days up to the day given, or the latest novelty date",
)


def intra_list_diversity_terms(similarity: npt.ArrayLike) -> FloatArray:
    """1 - similarity of each ordered pair of different items, 0 on the diagonal.

    Parameters and errors are those of `intra_list_diversity`.

    Examples
    --------
    >>> intra_list_diversity_terms([[1, 0.25], [0.25, 1]])
    array([[0.  , 0.75],
           [0.75, 0.  ]])
    """
    s = _similarities(similarity)
    different = np.eye(*s.shape[-2:]) == 0
    return np.where(different & ~np.isnan(s), 1 - s, 0.0)


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
        If the last two axes differ in length, a similarity is infinite, or NaN stands between
        two items.

    References
    ----------
    Document 002, section IV-A, with the pairs as its program takes them.

    Examples
    --------
    >>> intra_list_diversity([[1, 0.5, 0], [0.5, 1, 0.25], [0, 0.25, 1]])
    np.float64(0.75)
    """
    n = retrieved(np.diagonal(_similarities(similarity), axis1=-2, axis2=-1))
    by_row = sum_over_ranks(intra_list_diversity_terms(similarity), "similarity")
    return ratio(sum_over_ranks(by_row, "similarity"), n * (n - 1))


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


def mean_of_items(terms: FloatArray, given: npt.ArrayLike) -> FloatArray:
    """The mean of the terms over the items: the ranks at which what was ``given`` is not NaN."""
    return ratio(sum_over_ranks(terms), retrieved(np.asarray(given, np.float64)))


def at_least_0(values: npt.ArrayLike, name: str, advice: str = "") -> FloatArray:
    """Numbers by rank, none of them negative."""
    numbers = as_tailed(values, name)
    check_none(numbers, numbers < 0, name, "be at least 0", advice)
    return numbers


def _similarities(similarity: npt.ArrayLike) -> FloatArray:
    s = as_numbers(similarity, "similarity")
    if s.ndim < 2 or s.shape[-1] != s.shape[-2]:
        raise InputError(f"similarity must be square in its last two axes; got shape {s.shape}")
    check_none(s, np.isinf(s), "similarity", "be finite")
    diagonal = np.diagonal(s, axis1=-2, axis2=-1)
    # An empty rank is NaN throughout: a NaN on the diagonal only is a self-similarity left out.
    known = ~np.isnan(s)
    there = np.asarray(known.any(axis=-1) | known.any(axis=-2))
    unclear = there & np.isnan(diagonal)
    unclear[..., :-1] |= ~there[..., :-1] & there[..., 1:]
    advice = "The self-similarity tells an item (give it 1) from an empty rank, which is NaN "
    advice += "throughout its row and column and stands at the end"
    check_none(diagonal, unclear, "similarity's diagonal", "be a number at every item", advice)
    both = there[..., :, np.newaxis] & there[..., np.newaxis, :]
    check_none(s, both & ~known, "similarity", "be a number between any two items")
    return s
