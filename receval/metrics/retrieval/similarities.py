"""Metrics that compare the similarities themselves: mean absolute and mean squared error."""

from __future__ import annotations

import numpy as np

from receval._checks import FloatArray, IntArray, check_choice
from receval.metrics.retrieval.ranking import (
    Ranking,
    RankingLike,
    cut_rankings,
    find_common_cases,
    mean,
)


def errors(truth: RankingLike, retrieved: RankingLike, k: int | None, pairing: str) -> FloatArray:
    """Return true minus predicted similarity, by place or by case, in retrieved order.

    The arguments are those of `mae`. There is one error per place that both rankings have, or per
    case that both hold.
    """
    check_choice(pairing, "pairing", ("position", "case"))
    true_ranking, ranking = cut_rankings(truth, retrieved, k)
    in_truth, in_retrieved = pair_places(true_ranking, ranking, pairing)
    return true_ranking.similarities[in_truth] - ranking.similarities[in_retrieved]


def pair_places(truth: Ranking, retrieved: Ranking, pairing: str) -> tuple[IntArray, IntArray]:
    """Return the places to compare in truth and retrieved ranking, counted from 0.

    If ``pairing`` is "case", they are the places of the common cases. If it is "position", they are
    the places that both rankings have.
    """
    if pairing == "case":
        return find_common_cases(truth, retrieved)
    common_places = np.arange(min(len(truth), len(retrieved)))
    return common_places, common_places


def mae_terms(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, pairing: str = "position"
) -> FloatArray:
    """Return the absolute `errors`; the mean is the `mae`.

    Examples
    --------
    >>> mae_terms({"a": 0.5, "b": 0.25}, {"a": 0.25, "b": 0.5}, pairing="case")
    array([0.25, 0.25])
    """
    return np.abs(errors(truth, retrieved, k, pairing))


def mae(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, pairing: str = "position"
) -> float:
    r"""Mean absolute error (MAE) of the predicted similarities.

    .. math:: \frac{1}{|R|} \sum_{c \in R} |\mathrm{sim}(c) - \mathrm{fsim}(c)|

    Parameters
    ----------
    truth, retrieved : mapping, Series, or (case, similarity) pairs
        As in `hits`: sim is the true similarity, fsim the predicted one.
    k : int, optional
        Cuts both rankings.
    pairing : {"position", "case"}, default "position"
        Compare the similarities at the same place, as in the document's text and example, or the
        similarities of the same case, as in its formula. By position, the metric compares only the
        sorted numbers, so it does not notice if two cases are swapped.

    Returns
    -------
    float
        At least 0, at most 1 if similarities are from 0 to 1. The mean is over the places
        that both rankings have, or over the cases that both hold; NaN if there are none.

    Raises
    ------
    InputError
        As in `hits`, or if ``pairing`` is unknown.

    References
    ----------
    Document 003, section "Mean Absolute Error".

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> retrieved = {"G2": 0.5, "G3": 0.2, "G4": 0.3}
    >>> mae(truth, retrieved), round(mae(truth, retrieved, pairing="case"), 4)
    (0.0, 0.0667)
    """
    return mean(mae_terms(truth, retrieved, k=k, pairing=pairing))


def mse_terms(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, pairing: str = "position"
) -> FloatArray:
    """Return the squared `errors`; the mean is the `mse`.

    Examples
    --------
    >>> mse_terms({"a": 0.5, "b": 0.25}, {"a": 0.25, "b": 0.5}, pairing="case")
    array([0.0625, 0.0625])
    """
    return errors(truth, retrieved, k, pairing) ** 2


def mse(
    truth: RankingLike, retrieved: RankingLike, *, k: int | None = None, pairing: str = "position"
) -> float:
    r"""Mean squared error (MSE) of the predicted similarities.

    .. math:: \frac{1}{|R|} \sum_{c \in R} (\mathrm{sim}(c) - \mathrm{fsim}(c))^2

    Parameters
    ----------
    truth, retrieved, k
        As in `mae`.
    pairing : {"position", "case"}, default "position"
        As in `mae`.

    Returns
    -------
    float
        At least 0; as for `mae`, but in squared units. NaN if nothing can be compared.

    Raises
    ------
    InputError
        As in `mae`.

    References
    ----------
    Document 003, section "Mean Squared Error", whose example divides 0 by 150 instead of 3.

    Examples
    --------
    >>> truth = {"G2": 0.5, "G3": 0.3, "G4": 0.2}
    >>> retrieved = {"G2": 0.5, "G3": 0.2, "G4": 0.3}
    >>> mse(truth, retrieved), round(mse(truth, retrieved, pairing="case"), 4)
    (0.0, 0.0067)
    """
    return mean(mse_terms(truth, retrieved, k=k, pairing=pairing))
