"""What the ranks above leave of a term, and its mean over the orders of equal scores.

Nothing once a user has stopped, or the mean gain so far; a measure's `Terms` name the one or the
other. ``factor`` answers it for lists of gains, ``over_ties`` the mean of gain times factor.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from receval._checks import FloatArray, refuse
from receval.metrics.ties import Ties

__all__ = ["ABOVE"]


def running(values: npt.NDArray[Any], step: np.ufunc = np.add) -> npt.NDArray[Any]:
    """Running sums (or products) along the ranks, in the order of the ranks.

    Yes and no are added up as whole numbers, which are exact and take half the memory. Where
    memory holds the first rank of all lists, then the second, and so on, whole ranks are added at
    once: the same to the last bit, and faster.
    """
    if values.dtype == bool and step is np.add:
        values = values.astype(np.int32)
    with np.errstate(over="ignore", invalid="ignore"):
        if values.ndim == 1 or values.strides[-1] < max(values.strides):
            return step.accumulate(values, axis=-1, dtype=values.dtype)
        out = values.copy(order="K")
        for rank in range(1, values.shape[-1]):
            step(out[..., rank - 1], out[..., rank], out=out[..., rank])
        return out


class Unstopped:
    """The share of users who have not stopped above; a gain is the share that stops there."""

    name = "not stopped above"

    def factor(self, gains: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if gains.dtype == bool:
            return self._shifted(running(~gains, np.multiply))
        refuse(gains, gains > 1, "gain", "answer numbers up to 1, the share of users who stop")
        return self._shifted(running(1 - gains, np.multiply))

    def _shifted(self, left: npt.NDArray[Any]) -> npt.NDArray[Any]:
        shifted = np.ones_like(left)
        shifted[..., 1:] = left[..., :-1]
        return shifted

    def over_ties(self, gains: FloatArray, ties: Ties) -> FloatArray:
        if ((gains == 0) | (gains == 1)).all():  # the chance that the next of a run is its first
            waiting = ties.size - ties.offset
            chance = np.minimum(np.rint(ties.mean(gains) * ties.size) / waiting, 1)
            return np.asarray(chance * self._shifted(running(1 - chance, np.multiply)))
        # After t of a run's s items the mean share left is the mean product of t of their shares.
        # One item added at a time, every step is a weighted mean: nothing cancels.
        stay, stops = (1 - gains).ravel(), np.empty(gains.size)
        for places in ties.by_size():
            left = np.zeros((len(places), places.shape[1] + 1))
            left[:, 0] = 1
            for m, share in enumerate(stay[places].T[..., np.newaxis], start=1):
                t = np.arange(1, m + 1)
                left[:, 1 : m + 1] = ((m - t) * left[:, 1 : m + 1] + t * share * left[:, :m]) / m
            stops[places] = left[:, :-1] - left[:, 1:]
        return ties.at_first(self.factor(gains)) * stops.reshape(gains.shape)


class PrecisionSoFar:
    """The mean gain of the ranks up to this one."""

    name = "precision so far"

    def factor(self, gains: npt.NDArray[Any]) -> FloatArray:
        return np.asarray(running(gains) / np.arange(1.0, gains.shape[-1] + 1))

    def over_ties(self, gains: FloatArray, ties: Ties) -> FloatArray:
        own, size = ties.mean(gains), ties.size
        square = ties.mean(gains**2)
        pair = (size * own**2 - square) / np.maximum(size - 1, 1)  # mean product of two of a run
        before = ties.at_first(np.cumsum(gains, axis=-1) - gains)
        rank = np.arange(1.0, gains.shape[-1] + 1)
        return np.asarray((square + own * before + pair * ties.offset) / rank)


ABOVE: dict[str, Any] = {"unstopped": Unstopped(), "precision": PrecisionSoFar()}
