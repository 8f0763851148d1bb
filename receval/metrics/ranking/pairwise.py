"""The area under the ROC curve: pairs of a relevant and an irrelevant candidate."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from receval._arrays import ratio
from receval._checks import FloatArray, check_count, check_none, check_shape, input_error, shorten
from receval._lists import as_counts, as_gains, as_numbers, check_leading, check_same_length
from receval.metrics.formula import cumulative, sum_over_ranks
from receval.metrics.spec import MeasureSpec, PerListFunction
from receval.metrics.ties import Ties


def auc_terms(gains: npt.ArrayLike, *, scores: npt.ArrayLike | None = None) -> FloatArray:
    """For each relevant item the irrelevant ones that it beats (a tie is half), 0 elsewhere.

    The terms stand in the order of ``gains``; their sum is the numerator of `auc`.
    Parameters and errors are those of `auc`.

    Examples
    --------
    >>> auc_terms([1, 0, 1, 0])
    array([2., 0., 1., 0.])
    """
    gains = as_gains(gains)
    if scores is None:
        return _terms_in_order(gains)
    numbers, given = as_numbers(scores, "scores", whole_stay=True), np.asarray(scores)
    given = given if given.dtype.kind in "iu" else numbers  # whole ones stay exact
    check_same_length(gains, given, "gains scores")
    check_shape(given, gains.shape, "scores")
    empty = np.isnan(gains)
    check_none(given, np.isnan(given) & ~empty, "scores", "not be NaN where there is an item")
    if not (given[..., 1:] >= given[..., :-1]).any():  # best first, and no ties
        return _terms_in_order(gains)
    # Ranks of the distinct scores are compared: no whole number is rounded to a float.
    best_last = np.unique(given, return_inverse=True)[1].reshape(given.shape).astype(float)
    order = np.argsort(np.where(empty, np.inf, -best_last), axis=-1, kind="stable")
    irrelevant = np.take_along_axis(gains == 0, order, axis=-1)
    ties = Ties.of(np.take_along_axis(best_last, order, axis=-1))
    above, through = ties.sums_around(irrelevant)
    beaten = irrelevant.sum(axis=-1, keepdims=True) - (above + through) / 2
    terms = np.empty_like(beaten)
    np.put_along_axis(terms, order, beaten, axis=-1)
    return np.where(gains > 0, terms, 0.0)


def _terms_in_order(gains: FloatArray) -> FloatArray:
    """The irrelevant items at the ranks below, for each relevant one."""
    irrelevant = cumulative(gains == 0)
    return np.where(gains > 0, irrelevant[..., -1:] - irrelevant, 0.0)


def auc(
    gains: npt.ArrayLike,
    *,
    scores: npt.ArrayLike | None = None,
    n_relevant: npt.ArrayLike | None = None,
    catalogue: int | None = None,
) -> FloatArray:
    r"""Area under the ROC curve of a full ranking (AUC).

    The probability that a relevant item stands before an irrelevant one, both drawn at
    random; equal scores count one half.

    .. math:: \mathrm{AUC} = \frac{\#\{(r, q) : r \text{ before } q\}
              + \tfrac12 \#\{(r, q) : \text{tied}\}}{R \, (N - R)}

    Parameters
    ----------
    gains : array_like, shape (..., n)
        Grades of *all* candidates, best first; NaN marks an empty rank at the tail. With
        ``catalogue`` of those that are listed.
    scores : array_like, shape (..., n), optional
        Score of each candidate, higher is better. Given, they decide the order in place of
        the rank, and ties count one half. Scores are compared as they are, never subtracted.
    n_relevant, catalogue : array_like of int and int, optional
        How many of all candidates are relevant to each list, and how many candidates there are.
        Those that are not listed stand below the list, all tied: pairs of two of them count one
        half.

    Returns
    -------
    ndarray of float, shape (...)
        Values in [0, 1]; 0.5 is a random order. NaN where no candidate or every candidate
        is relevant.

    Raises
    ------
    InputError
        If a grade is negative or infinite, NaN stands before a grade, or ``scores`` has
        another shape or NaN, the catalogue is too small for what is listed and relevant, or
        ``n_relevant`` is given without a catalogue or is less than what is listed.

    References
    ----------
    Document 002, section IV-A. The value is Mann and Whitney's U over its maximum.

    Examples
    --------
    >>> auc([1, 0, 1, 0])
    np.float64(0.75)
    >>> auc([1, 0, 1, 0], scores=[0.9, 0.9, 0.4, 0.1])
    np.float64(0.625)

    Of 10 candidates with 3 relevant ones, 4 are listed:

    >>> auc([1, 0, 1, 0], n_relevant=3, catalogue=10).round(4)
    np.float64(0.7381)
    """
    gains = as_gains(gains)
    found, others = (gains > 0).sum(axis=-1), (gains == 0).sum(axis=-1)
    before = sum_over_ranks(auc_terms(gains, scores=scores))
    if catalogue is None:
        if n_relevant is not None:
            as_counts(n_relevant, "n_relevant")  # what is wrong with it is said first
            rule = "be left out without catalogue, as only those listed are candidates then"
            raise input_error("n_relevant", rule, shorten(n_relevant))
        return ratio(before, found * others)
    relevant = found
    if n_relevant is not None:
        relevant = as_counts(n_relevant, "n_relevant")
        check_leading("gains n_relevant", found.shape, np.shape(relevant))
        is_too_few, most = relevant < found, int(found.max(initial=0))
        rule = f"count the relevant items that are listed, up to {most}, too"
        check_none(np.broadcast_to(relevant, is_too_few.shape), is_too_few, "n_relevant", rule)
    below, rest = relevant - found, check_count(catalogue, "catalogue") - relevant - others
    if (rest < 0).any():
        least = int((others + relevant).max())
        rule = f"be at least {least}, which a list and its relevant items come to"
        raise input_error("catalogue", rule, catalogue)
    return ratio(before + found * rest + below * rest / 2, relevant * (others + rest))


def _of_lists(lists: Any, _: int | None) -> dict[str, Any]:
    given = {"gains": lists.grades, "scores": lists.scores if lists.tied.any() else None}
    if lists.auc_catalogue is None:
        return given
    return {**given, "n_relevant": lists.n_relevant, "catalogue": lists.auc_catalogue}


AUC = MeasureSpec(
    name="AUC",
    function=auc,
    title="area under the ROC curve",
    formula=r"\frac{\#\{r \text{ before } q\} + \frac12 \#\{\text{tied}\}}"
    r"{R_u (N_u - R_u)}",
    source="@hanley1982; document 002",
    computation=PerListFunction(auc, _of_lists),
    depends_on=("relevant",),
    takes_cutoff=False,
    methods_note="{auc}",
)
