"""The area under the ROC curve: pairs of a relevant and an irrelevant candidate."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from receval._arrays import (
    as_array,
    as_gains,
    as_numbers,
    check_pairs,
    check_same_labels,
    divide_or_nan,
    find_tie_runs,
)
from receval._checks import (
    AnyArray,
    FloatArray,
    Options,
    check_none,
    check_shape,
)
from receval.metrics.formula import cumulative, sum_over_ranks
from receval.metrics.spec import ListsWithFacts, MeasureSpec, PerListFunction
from receval.metrics.ties import Ties


def auc_terms(gains: npt.ArrayLike, *, scores: npt.ArrayLike | None = None) -> FloatArray:
    """Return how many irrelevant items each relevant item beats; a tie counts half.

    Irrelevant items and empty ranks have the term 0.

    The terms are in the order of ``gains``; their sum is the numerator of `auc`. See `auc` for
    parameters and errors.

    Examples
    --------
    >>> auc_terms([1, 0, 1, 0])
    array([2., 0., 1., 0.])
    """
    check_same_labels(gains=gains, scores=scores)
    gains = as_gains(gains)
    if scores is None:
        return _terms_in_order(gains)
    numbers = as_array(scores, "scores")
    if numbers.dtype.kind not in "iu":  # large integers would not be exact as floats
        numbers = as_numbers(numbers, "scores")
    check_pairs(gains, numbers, "gains scores")
    check_shape(numbers, gains.shape, "scores")
    check_none(
        numbers, np.isnan(numbers) & ~np.isnan(gains), "scores", "not be NaN where there is an item"
    )
    return _terms_by_scores(gains, numbers)


def _terms_in_order(gains: FloatArray) -> FloatArray:
    """Return the number of irrelevant items at the ranks below each relevant item."""
    n_irrelevant = cumulative(gains == 0)
    return np.where(gains > 0, n_irrelevant[..., -1:] - n_irrelevant, 0.0)


def _terms_by_scores(gains: FloatArray, scores: AnyArray) -> FloatArray:
    """Return how many irrelevant items each relevant item beats by its score.

    Irrelevant items with an equal score count half. Irrelevant items and empty ranks (gains of NaN)
    have the term 0. The arrays have the shape (..., n_ranks), and so has the result.
    """
    # Number the distinct scores in ascending order and compare these numbers, which are exact as
    # floats; large integer scores would be rounded.
    score_numbers = np.unique(scores, return_inverse=True)[1].reshape(scores.shape).astype(float)
    # Sort the items of each list by falling score, with the empty ranks at the end.
    order = np.argsort(np.where(np.isnan(gains), np.inf, -score_numbers), axis=-1, kind="stable")
    is_irrelevant = np.take_along_axis(gains == 0, order, axis=-1)
    ties = Ties(*find_tie_runs(np.take_along_axis(score_numbers, order, axis=-1)))
    # An item does not beat the irrelevant items above its run of tied scores, nor half of those in
    # the run. The number of these items is the mean of two counts: above the run, and through its
    # end.
    n_above_run, n_through_run = ties.sums_around(is_irrelevant)
    n_not_beaten = (n_above_run + n_through_run) / 2
    n_beaten = is_irrelevant.sum(axis=-1, keepdims=True) - n_not_beaten
    # Back to the order of the gains.
    terms = np.empty_like(n_beaten)
    np.put_along_axis(terms, order, n_beaten, axis=-1)
    return np.where(gains > 0, terms, 0.0)


def auc(gains: npt.ArrayLike, *, scores: npt.ArrayLike | None = None) -> FloatArray:
    r"""Area under the ROC curve of a full ranking (AUC).

    The probability that a relevant item ranks above an irrelevant one, both drawn at
    random; equal scores count one half.

    .. math:: \mathrm{AUC} = \frac{\#\{(r, q) : r \text{ before } q\}
              + \tfrac12 \#\{(r, q) : \text{tied}\}}{R \, (N - R)}

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades of *all* candidates, best first; NaN marks an empty rank at the tail.
    scores : array_like, shape (..., n), optional
        Score of each candidate, higher is better. If you pass scores, they decide the order in
        place of the rank, and ties count one half. Scores are compared as they are, never
        subtracted.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1], on average 0.5 for a random order. NaN if no candidate or every
        candidate is relevant.

    Raises
    ------
    InputError
        If a grade is negative or infinite, NaN comes before a grade, ``scores`` has another shape
        or contains NaN.

    References
    ----------
    Document 002, section IV-A. The value is Mann and Whitney's U divided by its maximum.

    Examples
    --------
    >>> auc([1, 0, 1, 0])
    np.float64(0.75)
    >>> auc([1, 0, 1, 0], scores=[0.9, 0.9, 0.4, 0.1])
    np.float64(0.625)
    """
    n_won = sum_over_ranks(auc_terms(gains, scores=scores))
    grades = as_gains(gains)
    n_pairs = (grades > 0).sum(axis=-1) * (grades == 0).sum(axis=-1)
    return divide_or_nan(n_won, n_pairs)


def _auc_arguments(lists: ListsWithFacts, _k: int | None) -> Options:
    """Return the keyword arguments of `auc` for some lists; AUC takes no cut-off."""
    # Without ties the order of the list says all that the scores say.
    return {"gains": lists.grades, "scores": lists.scores if lists.tied.any() else None}


AUC = MeasureSpec(
    name="AUC",
    function=auc,
    title="area under the ROC curve",
    formula=r"\frac{\#\{r \text{ before } q\} + \frac12 \#\{\text{tied}\}}"
    r"{R_u (N_u - R_u)}",
    source="@hanley1982; document 002",
    computation=PerListFunction(auc, _auc_arguments),
    depends_on=("relevant",),
    takes_cutoff=False,
    methods_note="users without both relevant and irrelevant recommendations have no AUC",
)
