r"""The one form of every measure of a ranked list: terms by rank, added up, over a divisor.

.. math:: \mathrm{value}@k = \frac{1}{D@k} \sum_{i \le k} \mathrm{gain}(g_i)\,
          \mathrm{weight}(i)\, \mathrm{above}_i

``gain`` says what an item is worth, ``weight`` what its rank is worth, and ``above`` what the
ranks above leave of that: all of it (None), nothing once a user has stopped ("unstopped"), or the
precision so far ("precision"). The divisor says what a list could have had. The value of an array
function, that of a table's users, all cut-offs, the working and the mean over the orders of equal
scores follow from these four.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from receval._arrays import weights, worth
from receval._checks import BoolArray, FloatArray, IntArray, offenders, refusal, refuse
from receval._lists import in_range
from receval.metrics import ties
from receval.metrics.discounts.grades import Gain, linear_gain
from receval.metrics.discounts.ranks import Discount
from receval.metrics.ties import Ties

__all__ = ["Form", "Lists", "Terms"]


class Ranked:
    """What a measure sees: lists by rank, and what is known of each.

    Attributes
    ----------
    grades : of the item at each rank, with a NaN tail; shape (..., n).
    n_relevant : number of relevant items of each list, retrieved or not.
    relevance : grades of the relevant items, best first.
    scores : by rank, best first; equal ones leave the order open.
    length : number of items in each list.
    best : the best lists that the relevant items allow.
    """

    grades: Any
    n_relevant: Any
    relevance: Any
    scores: Any
    length: Any
    best: Any
    called: str = "relevance"  # what messages call the grades
    _sums: dict[Any, Any]

    @cached_property
    def ties(self) -> Ties:
        return Ties.of(self.scores)

    def sum(self, terms: Terms, k: int | IntArray | None = None) -> FloatArray:
        """The terms of the first k ranks (one k, or one for each list), added up.

        Sums up to smaller ranks are kept: ask for the largest k first.
        """
        n = self.grades.shape[-1]
        depth = min(k, n) if isinstance(k, int) else n
        if depth == 0:
            return np.zeros(self.grades.shape[:-1])
        key = tuple(map(id, terms))  # the terms are kept, so that no other has their identity
        _, sums = self._sums.get(key, (None, None))
        if sums is None or sums.shape[-1] < depth:
            sums = running(terms.columns(self.grades[..., :depth]).terms)
            if sums.dtype.kind == "f":
                in_range(sums[..., -1], self.called)
            self._sums[key] = terms, sums
        if k is not None and not isinstance(k, int):
            return upto(sums, k)
        return np.asarray(sums[..., depth - 1])


@dataclass(eq=False)
class Lists(Ranked):
    """Lists as the array functions have them; ``relevance`` in any order."""

    grades: FloatArray
    n_relevant: Any = None
    relevance: Any = None
    scores: Any = None
    called: str = "gains"
    _sums: dict[Any, Any] = field(default_factory=dict, repr=False)

    @cached_property
    def best(self) -> Lists:
        grades = self.relevance
        if not (grades[..., 1:] <= grades[..., :-1]).all():  # also where any is NaN
            grades = -np.sort(-grades, axis=-1)
        return Lists(grades, self.n_relevant, called="relevance")

    @cached_property
    def length(self) -> IntArray:
        return np.asarray(np.count_nonzero(~np.isnan(self.grades), axis=-1))


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


def summed(terms: FloatArray, name: str = "gains") -> FloatArray:
    """The sum over ranks, added up in their order; ``name`` is the argument they come from.

    NumPy's own sum groups its terms by the length of the axis, so that the last bit of a value
    would depend on how far its list is padded.
    """
    return in_range(running(terms)[..., -1:].sum(axis=-1), name)[()]


def upto(sums: npt.NDArray[Any], k: int | IntArray) -> FloatArray:
    """Running sums at rank k: one k for all lists, or one for each; 0 at rank 0."""
    last = np.broadcast_to(np.minimum(k, sums.shape[-1]) - 1, sums.shape[:-1])
    found = np.take_along_axis(sums, np.maximum(last, 0)[..., np.newaxis], axis=-1)[..., 0]
    return np.where(last < 0, 0.0, found)


class Unstopped:
    """The share of users who have not stopped above; a gain is the share that stops there."""

    name = "not stopped above"
    over_ties = staticmethod(ties.unstopped)

    def factor(self, gains: npt.NDArray[Any]) -> npt.NDArray[Any]:
        if gains.dtype != bool:
            refuse(gains, gains > 1, "gain", "answer numbers up to 1, the share of users who stop")
        stay = ~gains if gains.dtype == bool else 1 - gains
        return ties.shifted(running(stay, np.multiply))


class PrecisionSoFar:
    """The mean gain of the ranks up to this one."""

    name = "precision so far"
    over_ties = staticmethod(ties.precision_so_far)

    def factor(self, gains: npt.NDArray[Any]) -> FloatArray:
        return np.asarray(running(gains) / np.arange(1.0, gains.shape[-1] + 1))


ABOVE: dict[str, Any] = {"unstopped": Unstopped(), "precision": PrecisionSoFar()}
"""What the ranks above leave of a term (``factor``), and the mean of gain times that over ties."""


def is_relevant(grades: FloatArray) -> BoolArray:
    """Gain of the measures that ask only whether an item is relevant."""
    return grades > 0


class Columns(NamedTuple):
    """The terms with what they are the product of; None where a factor is always 1."""

    gains: npt.NDArray[Any]
    weight: FloatArray | None
    above: npt.NDArray[Any] | None
    terms: npt.NDArray[Any]


class Terms(NamedTuple):
    """What each rank adds to a measure: gain times weight times what the ranks above leave.

    Parameters
    ----------
    gain : callable
        Grades to gains of at least 0, such as `receval.linear_gain` or ``lambda g: g >= 4``.
    weight : callable, optional
        Ranks 1, 2, … to weights, such as `receval.shifted_log2`. Default: every rank counts 1.
    above : {"unstopped", "precision"} or object, optional
        What the ranks above leave of a term: ``"unstopped"`` the share of users who have not
        stopped there, where a gain is the share that stops; ``"precision"`` the mean gain so
        far; or any object with ``factor(gains)``. Default: all of it.

    Examples
    --------
    >>> import numpy as np
    >>> Terms(np.sqrt, lambda rank: 1 / rank).columns(np.array([4.0, 0.0, 9.0])).terms
    array([2., 0., 1.])
    """

    gain: Gain
    weight: Discount | None = None
    above: Any = None

    @property
    def rule(self) -> Any:
        """The object behind ``above``."""
        return ABOVE[self.above] if isinstance(self.above, str) else self.above

    def columns(self, grades: FloatArray) -> Columns:
        """The terms of lists, and their factors; an empty rank adds nothing."""
        if self.gain is is_relevant:
            gains: npt.NDArray[Any] = is_relevant(grades)
        else:
            gains = grades if self.gain is linear_gain else worth(grades, self.gain)
        if gains.dtype != bool:
            gains = np.fmax(gains, 0.0)  # NaN is passed over
        terms, weight, left = gains, None, None
        if self.above is not None:
            left = self.rule.factor(gains)
            terms = terms * left
        if self.weight is not None:
            n, known = grades.shape[-1], getattr(self.weight, "unchecked", None)
            weight = known(np.arange(1.0, n + 1)) if known else weights(n, self.weight)
            with np.errstate(over="ignore"):
                terms = terms * weight
            if (weight > 1).any():  # only such a weight makes finite gains overflow
                in_range(terms, "discount")
        return Columns(gains, weight, left, terms)

    def over_ties(self, lists: Ranked) -> FloatArray:
        """The mean of each term over all orders of equal scores."""
        gains, weight, _, _ = self.columns(lists.grades)
        gains = gains.astype(np.float64)
        rule = self.rule
        mean = lists.ties.mean(gains) if rule is None else rule.over_ties(gains, lists.ties)
        return np.asarray(mean if weight is None else mean * weight)


Divisor = Callable[[Any, int | None], Any]  # of lists and cut-off
Bounds = Callable[[Any, int | None], tuple[FloatArray, FloatArray, FloatArray]]


class Form(NamedTuple):
    """How a measure is computed.

    Attributes
    ----------
    terms : what each rank adds.
    divisor : what the sum is divided by, where 0 leaves the value undefined; "ideal": the same
        sum of the best list; "perfect": that of k relevant items of grade 1; None: by nothing.
    cut : function of lists to a cut-off of their own.
    """

    terms: Terms
    divisor: Divisor | str | None = None
    cut: Callable[[Any], IntArray] | None = None

    @property
    def plain(self) -> bool:
        """Whether it asks nothing of the lists but their terms."""
        return self.divisor is None or isinstance(self.divisor, str)

    def __call__(self, lists: Ranked, k: int | None = None, sums: Any = None) -> FloatArray:
        """One value per list, NaN where it is undefined; ``sums`` stand in for those of terms."""
        if sums is None:
            sums = lists.sum(self.terms, k if self.cut is None else self.cut(lists))
        if self.divisor is None:
            return np.asarray(sums, np.float64)[()]
        if isinstance(self.divisor, str):
            best = lists.best if self.divisor == "ideal" else perfect(lists, k)
            divisor = best.sum(self.terms, k)
            too_good = np.atleast_1d(sums * (1 - 1e-9) > divisor)
            if too_good.any():
                got = f"lists with a DCG above their ideal DCG: {offenders(too_good, too_good)}"
                raise refusal("relevance", "hold every grade that is in gains", got)
            sums = np.minimum(sums, divisor)  # the same terms in another order: a last bit more
        else:
            divisor = np.asarray(self.divisor(lists, k), np.float64)
        return np.asarray(sums / np.where(divisor == 0, np.nan, divisor))[()]

    @property
    def bounds(self) -> Bounds | None:
        """Lowest, mean and highest value over all orders, of a divisor that they decide."""
        return getattr(self.divisor, "bounds", None)

    def over_ties(self, lists: Ranked, k: int | None = None) -> FloatArray:
        """The mean of the value over all orders of equal scores."""
        if (bounds := self.bounds) is not None:
            return bounds(lists, k)[1]
        sums = running(self.terms.over_ties(lists))
        cut = (k or sums.shape[-1]) if self.cut is None else self.cut(lists)
        return self(lists, k, upto(sums, cut))


def perfect(lists: Ranked, k: int | None) -> Lists:
    """Lists of nothing but relevant items of grade 1, as long as the cut-off."""
    width, length = (lists.grades.shape[-1], lists.length) if k is None else (k, k)
    cut = np.where(np.asarray(lists.n_relevant) > 0, length, 0)[..., np.newaxis]
    return Lists(np.where(np.arange(width) < cut, 1.0, np.nan), called="relevance")
