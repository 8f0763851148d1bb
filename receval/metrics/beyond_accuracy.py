"""Metrics beyond accuracy: coverage, the long tail, novelty, diversity.

There are two kinds. *Set-level* measures take the lists of all users together, as item codes of
shape (lists, rank) with -1 for an empty rank, and return one number. *Per-list* measures return
one value per list and drop the last axis, as in `receval.metrics.ranking`.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_array,
    as_codes,
    as_counts,
    as_flags,
    as_numbers,
    as_tailed,
    check_no_repeats,
    divide_or_nan,
)
from receval._checks import (
    AnyArray,
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    check_choice,
    check_count,
    check_none,
    check_number,
    check_that,
)
from receval.metrics.formula import sum_over_ranks
from receval.metrics.spec import MeasureSpec, PerListFunction, SetLevel

__all__ = [
    "average_popularity",
    "catalog_coverage",
    "exposure_gini",
    "intra_list_diversity",
    "inverse_user_frequency",
    "long_tail_percentage",
    "prediction_coverage",
    "seen_share",
    "short_head",
    "temporal_novelty",
    "user_novelty",
]


# Novelty and diversity of single lists ------------------------------------------------------------


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
    computation=PerListFunction(
        temporal_novelty, lambda lists, k: {"days": lists.of_items(lists.run.context.age, k)}
    ),
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


# Popularity ---------------------------------------------------------------------------------------


def inverse_user_frequency_terms(users: npt.ArrayLike, n_users: int) -> FloatArray:
    """Return ``log2(n_users / users)`` of each item, and 0 at empty ranks; the mean is MIUF.

    See `inverse_user_frequency` for parameters and errors.

    Examples
    --------
    >>> inverse_user_frequency_terms([4, 1, 0], 8)
    array([1., 3., 3.])
    """
    n_users = check_count(n_users, "n_users")
    counts = as_non_negative(users, "users")
    check_none(counts, counts > n_users, "users", f"be at most n_users, {n_users}")
    return np.nan_to_num(np.log2(n_users / np.maximum(counts, 1)))


def inverse_user_frequency(users: npt.ArrayLike, n_users: int) -> FloatArray:
    r"""Mean inverse user frequency (MIUF): high if few users know the recommended items.

    .. math:: \mathrm{MIUF} = \frac{1}{|R_u|} \sum_{o \in R_u} \log_2 \frac{|U|}{|U_o|}

    Parameters
    ----------
    users : array_like, shape (..., n)
        Number of users who know the item at each rank; NaN marks an empty rank at the tail. An
        item that nobody knows counts as known to one user, as in RecTools.
    n_users : int
        Number of all users, at least 1.

    Returns
    -------
    ndarray of float, shape (...)
        In bits, from 0 (everybody knows all items) to log2 n_users; NaN for an empty list.

    Raises
    ------
    InputError
        If a number is negative, infinite or above ``n_users``, or ``n_users`` is not a positive
        integer.

    References
    ----------
    Zhou et al. (2010), PNAS 107(10), doi:10.1073/pnas.1000488107, as RecTools 0.19.0 computes it.

    Examples
    --------
    >>> inverse_user_frequency([4, 1], 8)
    np.float64(2.0)
    """
    return mean_over_items(inverse_user_frequency_terms(users, n_users), users)


MIUF = MeasureSpec(
    name="MIUF",
    title="mean inverse user frequency",
    formula=r"\frac{1}{|R_u|} \sum_{o \in R_u} \log_2 \frac{|U|}{|U_o|}",
    source="@zhou2010",
    computation=PerListFunction(
        inverse_user_frequency,
        lambda lists, k: {
            "users": lists.of_items(lists.history.users, k),
            "n_users": lists.history.user_codes.size,
        },
    ),
    needs=("history",),
    methods_note="an item that no user has in the history counts as known to one user",
)


def average_popularity_terms(interactions: npt.ArrayLike) -> FloatArray:
    """Return the popularity of each item, 0 at an empty rank; the mean is `average_popularity`.

    See `average_popularity` for parameters and errors.

    Examples
    --------
    >>> average_popularity_terms([4, 1, float("nan")])
    array([4., 1., 0.])
    """
    return np.nan_to_num(as_non_negative(interactions, "interactions"))


def average_popularity(interactions: npt.ArrayLike) -> FloatArray:
    r"""Average recommendation popularity (ARP): the mean number of earlier interactions.

    .. math:: \mathrm{ARP} = \frac{1}{|R_u|} \sum_{o \in R_u} \phi(o)

    Parameters
    ----------
    interactions : array_like, shape (..., n)
        Number of interactions with the item at each rank; NaN marks an empty rank at the tail.

    Returns
    -------
    ndarray of float, shape (...)
        Interactions per item, at least 0; NaN for an empty list.

    Raises
    ------
    InputError
        If a number is negative or infinite.

    References
    ----------
    Yin et al. (2012), Challenging the long tail recommendation, PVLDB 5(9), as RecTools 0.19.0
    computes it.

    Examples
    --------
    >>> average_popularity([4, 1])
    np.float64(2.5)
    """
    return mean_over_items(average_popularity_terms(interactions), interactions)


ARP = MeasureSpec(
    name="ARP",
    title="average recommendation popularity",
    formula=r"\frac{1}{|R_u|} \sum_{o \in R_u} \phi(o)",
    source="@yin2012",
    computation=PerListFunction(
        average_popularity,
        lambda lists, k: {"interactions": lists.of_items(lists.history.rows, k)},
    ),
    needs=("history",),
    higher_is_better=False,
)


def exposure_gini_terms(items: npt.ArrayLike, n_items: int) -> FloatArray:
    """Return the terms :math:`(2i - n - 1) x_i` of the sum in `exposure_gini`, one per item.

    Parameters
    ----------
    items, n_items
        As in `exposure_gini`.

    Returns
    -------
    ndarray of float, shape (n,)
        Terms in the order of the item codes. If several items are in the same number of lists, the
        order of their codes decides their places i.

    Examples
    --------
    >>> exposure_gini_terms([[0, 1], [0, 2]], 4)
    array([ 6., -1.,  1.,  0.])
    """
    n_items = check_count(n_items, "n_items")
    codes = _read_lists(items, n_items=n_items)
    n_lists = np.bincount(codes[codes >= 0], minlength=n_items)
    # The place i of each item in the order of rising numbers of lists. The inner argsort gives the
    # items in that order, and its argsort gives their places.
    place = np.argsort(np.argsort(n_lists, kind="stable")) + 1
    return np.asarray((2.0 * place - n_items - 1) * n_lists + 0.0)  # + 0.0 turns -0 into 0


def exposure_gini(items: npt.ArrayLike, n_items: int) -> float:
    r"""Gini index of exposure: high if few items of the catalogue get most recommendations.

    :math:`x_1 \le \dots \le x_n` are the numbers of lists that hold each item, in ascending order:

    .. math:: G = \frac{\sum_{i=1}^{n} (2 i - n - 1) \, x_i}{n \sum_{i=1}^{n} x_i}

    Parameters
    ----------
    items : array_like of int, shape (lists, rank)
        Item codes 0 … n_items - 1, -1 for an empty rank.
    n_items : int
        Size n of the catalogue, at least 1. Items that are in no list have an x of 0.

    Returns
    -------
    float
        From 0 (all items equally often) to 1 - 1/n (one item only); NaN if nothing is recommended
        at all.

    Raises
    ------
    InputError
        If the catalogue is empty, a code lies outside it or is not whole, or a list has an item
        twice.

    Notes
    -----
    Castells et al. (2022), RankSys and RELISON divide by n - 1 instead of n, and the two programs
    print 1 minus the index.

    References
    ----------
    Fleder and Hosanagar (2009), Management Science 55(5), doi:10.1287/mnsc.1080.0974.

    Examples
    --------
    >>> exposure_gini([[0, 1], [0, 2]], 4)
    0.375
    """
    n_items = check_count(n_items, "n_items")
    return _gini(_count_exposure(_read_lists(items, n_items=n_items))[1], n_items)


def _count_exposure(codes: IntArray) -> IntArray:
    """Return two rows: the codes of the recommended items, and their numbers of lists."""
    return np.array(np.unique(codes[codes >= 0], return_counts=True))


def _add_exposure(states: list[AnyArray]) -> AnyArray:
    """Add up arrays of items and counts, as `_count_exposure` returns them.

    The items may be ids, so the dtype may be object.
    """
    items, counts = np.concatenate(states, axis=1)
    items, item_index = np.unique(items, return_inverse=True)
    total = np.bincount(item_index, counts.astype(np.int64)).astype(np.int64)
    return np.array([items, total], dtype=states[0].dtype)


def _gini(counts: AnyArray, n_items: int) -> float:
    """Return the Gini index of a catalogue of ``n_items``; items without a count have 0."""
    counts = np.sort(np.asarray(counts, np.int64))
    # Items in no list come first and add nothing.
    place = np.arange(n_items - counts.size, n_items) + 1
    return float(divide_or_nan(((2 * place - n_items - 1) * counts).sum(), n_items * counts.sum()))


GINI = MeasureSpec(
    name="Gini",
    title="Gini index of exposure",
    formula=r"\frac{\sum_i (2i - n - 1)\, x_i}{n \sum_i x_i},\quad x_i = |\{u : b_i \in R_u@k\}|",
    source="@fleder2009",
    computation=SetLevel(
        partial=lambda lists, k: _count_exposure(lists.top(k)),
        combine=_add_exposure,
        finish=lambda state, facts: _gini(state[1], facts.n_items),
        has_items=True,
    ),
    needs=("catalogue",),
    methods_note="the catalogue has {n_items} items",
    higher_is_better=False,
)


# Measures of the lists of all users together ------------------------------------------------------


def prediction_coverage_terms(items: npt.ArrayLike) -> FloatArray:
    """Return 1 for each list that is not empty, else 0; the mean is `prediction_coverage`.

    See `prediction_coverage` for parameters and errors.

    Examples
    --------
    >>> prediction_coverage_terms([[4, 2], [-1, -1]])
    array([1., 0.])
    """
    return np.asarray((_read_lists(items) >= 0).any(axis=1), np.float64)


def prediction_coverage(items: npt.ArrayLike) -> float:
    r"""Share of lists that are not empty (PC).

    .. math:: \mathrm{PC} = \frac{|\{c \in C : \mathit{match}(c) \ne \varnothing\}|}{|C|}

    Parameters
    ----------
    items : array_like of int, shape (lists, rank)
        Item codes, -1 for an empty rank.

    Returns
    -------
    float
        In [0, 1]; NaN if there are no lists.

    Raises
    ------
    InputError
        If a code is below -1 or not whole, or there are more than two axes.

    References
    ----------
    Document 000, section "Evaluated metrics", PC.

    Examples
    --------
    >>> prediction_coverage([[4, 2], [-1, -1]])
    0.5
    """
    is_answered = prediction_coverage_terms(items)
    return float(divide_or_nan(is_answered.sum(), is_answered.size))


PC = MeasureSpec(
    name="PC",
    title="prediction coverage",
    formula=r"[R_u \ne \varnothing]",
    source="@herlocker2004; document 000",
    computation=PerListFunction(
        prediction_coverage_terms,
        lambda lists, _k: {"items": np.where(lists.length > 0, 0, -1)[:, np.newaxis]},
    ),
    depends_on=(),
    takes_cutoff=False,
)


def catalog_coverage(items: npt.ArrayLike, n_items: int) -> float:
    r"""Share of the catalogue's items that are in at least one list (CC).

    .. math:: \mathrm{CC} = \frac{\left|\bigcup_{c \in C} \mathit{match}(c)\right|}{|B|}

    Parameters
    ----------
    items : array_like of int, shape (lists, rank)
        Item codes 0 … n_items - 1, -1 for an empty rank.
    n_items : int
        Size of the catalogue B, at least 1.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InputError
        If the catalogue is empty, a code lies outside it or is not whole, an item occurs twice in
        a list, or there are more than two axes.

    References
    ----------
    Document 000, section "Evaluated metrics", CC@10.

    Examples
    --------
    >>> catalog_coverage([[4, 2], [2, -1]], 8)
    0.25
    """
    size = check_count(n_items, "n_items")
    lists = _read_lists(items, n_items=size)
    return float(_distinct_items(lists).size / size)


def _distinct_items(codes: IntArray) -> IntArray:
    """Return the item codes without the -1 of empty ranks, each once."""
    return np.unique(codes[codes >= 0])


CC = MeasureSpec(
    name="CC",
    title="catalogue coverage",
    formula=r"\frac{|\bigcup_u R_u@k|}{|B|}",
    source="@ge2010; document 000",
    computation=SetLevel(
        partial=lambda lists, k: _distinct_items(lists.top(k)),
        combine=lambda states: np.unique(np.concatenate(states)),
        finish=lambda items, facts: float(divide_or_nan(items.size, facts.n_items)),
        has_items=True,
    ),
    needs=("catalogue",),
    methods_note="the catalogue has {n_items} items",
)


def short_head(awards: npt.ArrayLike, *, share: float = 0.2, crossing: str = "inside") -> BoolArray:
    r"""Return the most awarded items that together hold ``share`` of all awards.

    With items in descending order of awards, the short head is :math:`(b_1, \dots, b_e)` with

    .. math:: \sum_{k=1}^{e-1} \mathit{awards}(b_k) < s \cdot |C|
              \le \sum_{k=1}^{e} \mathit{awards}(b_k)

    Parameters
    ----------
    awards : array_like of int, shape (..., items)
        Number of awards of each item.
    share : float, default 0.2
        The share s, in (0, 1]. It means exactly the decimal number that you write: 0.2 is 1/5.
    crossing : {"inside", "outside"}, default "inside"
        ``"inside"``: the item with which the sum reaches the share belongs to the head, as in the
        formula. ``"outside"``: that item belongs to the tail unless it reaches the share exactly,
        as in both of document 000's programs.

    Returns
    -------
    ndarray of bool, shape (..., items)
        True for items of the short head; the others are the long tail. Items with equal awards
        keep their order.

    Raises
    ------
    InputError
        If an award count is negative or not whole, there is no award at all, ``share`` lies
        outside (0, 1], or ``crossing`` is unknown.

    References
    ----------
    Document 000, section "Evaluated metrics", SH; its programs differ (see ``crossing``).

    Examples
    --------
    >>> short_head([1, 5, 2, 2], share=0.6)
    array([False,  True,  True, False])
    >>> short_head([1, 5, 2, 2], share=0.6, crossing="outside")
    array([False,  True, False, False])
    """
    n_awards = as_counts(as_array(awards, "awards"), "awards")
    share = check_number(share, "share", "a number in (0, 1]", lambda s: 0 < s <= 1)
    check_choice(crossing, "crossing", ("inside", "outside"))
    is_head = np.zeros(n_awards.shape, bool)
    for catalogue in np.ndindex(n_awards.shape[:-1]):
        is_head[catalogue] = _find_head(n_awards[catalogue], share, crossing)
    return is_head


def _find_head(n_awards: IntArray, share: float, crossing: str) -> BoolArray:
    """Return the short head of one catalogue, a mask of its items; see `short_head`."""
    # Python's integers are unbounded, so sums of them cannot overflow.
    total = sum(n_awards.tolist())
    if total == 0:
        raise InputError("awards must hold at least one award; got none")
    # The share is a fraction, because 0.07 * 100 in floating point is not 7.
    wanted = Fraction(str(share)) * total
    is_head = np.zeros(n_awards.size, bool)
    n_in_head = 0
    # Take one item after the other, the most awarded first, until the head holds its share.
    for item in np.argsort(-n_awards, kind="stable"):
        if n_in_head >= wanted:
            break
        n_in_head += int(n_awards[item])
        is_head[item] = n_in_head <= wanted or crossing == "inside"
    return is_head


def long_tail_percentage_terms(items: npt.ArrayLike, in_head: npt.ArrayLike) -> FloatArray:
    """Return the number of long-tail items in each list, the numerator of `long_tail_percentage`.

    See `long_tail_percentage` for parameters and errors.

    Examples
    --------
    >>> long_tail_percentage_terms([[0, 2], [3, -1]], [True, False, False, False])
    array([1., 1.])
    """
    is_tail = _tail_mask(in_head)  # one entry longer than the catalogue
    lists = _read_lists(items, n_items=is_tail.size - 1)
    return np.asarray(np.count_nonzero(is_tail[lists], axis=1), np.float64)


def _tail_mask(in_head: npt.ArrayLike) -> BoolArray:
    """Return a mask of the long-tail items, with False appended.

    An empty rank has the code -1. If you use it as an index, you get the appended False.
    """
    is_head = as_flags(in_head, "in_head")
    is_complete = is_head.ndim == 1 and not np.isnan(is_head).any()
    check_that(is_complete, "in_head", "be True or False for every item", is_head.shape)
    return np.append(is_head == 0, False)


def long_tail_percentage(items: npt.ArrayLike, in_head: npt.ArrayLike) -> float:
    r"""Share of all recommendations that go to long-tail items (LTP).

    .. math:: \mathrm{LTP} = \frac{\sum_{c \in C} |\mathit{match}(c) \cap LT|}
              {\sum_{c \in C} |\mathit{match}(c)|}

    Parameters
    ----------
    items : array_like of int, shape (lists, rank)
        Item codes, -1 for an empty rank.
    in_head : array_like of bool, shape (items,)
        True for the items of the `short_head`; the others are the long tail LT.

    Returns
    -------
    float
        In [0, 1]; NaN if nothing is recommended at all.

    Raises
    ------
    InputError
        If a code lies outside the catalogue or is not whole, an item occurs twice in a list, or
        there are more than two axes.

    References
    ----------
    Document 000, section "Evaluated metrics", LTP@10.

    Examples
    --------
    >>> long_tail_percentage([[0, 2], [3, -1]], [True, False, False, False]).__round__(4)
    0.6667
    """
    n_tail_by_list = long_tail_percentage_terms(items, in_head)
    n_recommended = np.count_nonzero(_read_lists(items) >= 0)
    return float(divide_or_nan(n_tail_by_list.sum(), n_recommended))


def _count_tail(lists: IntArray, is_tail: BoolArray) -> IntArray:
    """Return the number of long-tail items in all lists, and the number of all items."""
    return np.array([np.count_nonzero(is_tail[lists]), np.count_nonzero(lists >= 0)])


LTP = MeasureSpec(
    name="LTP",
    title="long-tail percentage",
    formula=r"\frac{\sum_u |R_u@k \cap LT|}{\sum_u |R_u@k|}",
    source="@adomavicius2012; document 000",
    computation=SetLevel(
        partial=lambda lists, k: _count_tail(lists.top(k), _tail_mask(lists.run.context.in_head)),
        combine=lambda states: np.sum(states, axis=0),
        finish=lambda counts, _facts: float(divide_or_nan(*counts)),
    ),
    depends_on=("ties", "short head"),
    needs=("awards",),
)


def _read_lists(items: npt.ArrayLike, *, n_items: int | None = None) -> IntArray:
    """Return item codes of shape (lists, rank); -1 marks an empty rank.

    An array with one axis is a single list, but an empty array (``[]``) holds no list. Raise if
    there are more than two axes. With the size of a catalogue, ``n_items``, also raise if a code
    lies outside it, or if an item occurs twice in a list.
    """
    codes = as_codes(items, n_items=n_items)
    check_that(codes.ndim <= 2, "items", "have the axes (lists, rank)", codes.shape)
    lists = np.atleast_2d(codes)
    if codes.ndim == 1 and codes.size == 0:
        lists = codes.reshape(0, 0)
    if n_items is not None:
        check_no_repeats(lists, "items")
    return lists
