"""Scaling: what a place in a list is worth before an implicator sees it.

The linear score turns place p of k into a degree of truth, a scaling f bends it, and
`scaled` puts scalings around an implicator: I(f(b), g(h)).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from receval._arrays import weights_of
from receval._checks import (
    FloatArray,
    InputError,
    check_callable,
    check_count,
    check_integer,
    check_none,
    check_that,
)
from receval._lists import as_integers
from receval.fuzzy.implicators.axioms import check_axioms, fractions, scaling_violation
from receval.fuzzy.implicators.degrees import Connective, answer, as_truth, pair
from receval.metrics.discounts import Discount, shifted_log2

LONGEST = 10**8  # places with a weight each

__all__ = [
    "ScaledImplicator",
    "StepScaling",
    "dcg_scaling",
    "discount_scaling",
    "identity",
    "linear_score",
    "scaled",
]

Scaling = Callable[[npt.NDArray[np.float64]], npt.ArrayLike]

# A score this near to that of a place is the score of that place: k * (1 - 2/k) is often no
# whole number in floating point.
NEAR = 1e-12
DENOMINATORS = range(1, 61)  # of the fractions at which scalings are tried


def linear_score(position: npt.ArrayLike, k: int) -> FloatArray:
    r"""Score of a place in a list of k: 1 at the top, 1/k at the end.

    .. math:: s_k(p) = \frac{k + 1 - p}{k}, \qquad p = 1, \dots, k

    Parameters
    ----------
    position : array_like of int
        Places, 1-based.
    k : int
        Length of the list.

    Returns
    -------
    ndarray of float
        Scores in (0, 1].

    Raises
    ------
    InputError
        If a place is no whole number from 1 to k: beyond k the score is not defined.

    References
    ----------
    Document 002, eq. 6.

    Examples
    --------
    >>> linear_score([1, 3, 6], 20)
    array([1.  , 0.9 , 0.75])
    """
    length = check_count(k, "k")
    place = np.asarray(as_integers(position, "position"))
    beyond, rule = (place < 1) | (place > length), f"be from 1 to k = {length}"
    advice = "Places beyond k have no score: cut the lists at k first"
    check_none(place, beyond, "position", rule, advice)
    return np.asarray((length + 1 - place) / length, np.float64)[()]


def identity(truth: npt.ArrayLike) -> FloatArray:
    """The scaling that changes nothing.

    Parameters
    ----------
    truth : array_like
        Degrees in [0, 1].

    Returns
    -------
    ndarray of float
        The same degrees.

    Raises
    ------
    InputError
        If a value is outside [0, 1].

    Examples
    --------
    >>> identity([0.25, 1])
    array([0.25, 1.  ])
    """
    return as_truth(truth, "truth")[()]


@dataclass(frozen=True)
class StepScaling:
    r"""A rank discount as a function of the linear score: a left-continuous step function.

    .. math:: f(x) = \begin{cases} 0 & x = 0 \\
              d(p) & s_k(p + 1) < x \le s_k(p), \; p < k \\ d(k) & 0 < x \le 1/k \end{cases}

    `dcg_scaling` and `discount_scaling` make it. Calling it takes scores in [0, 1] and answers
    weights in [0, 1]; a score within 1e-12 of that of a place is the score of that place.

    Attributes
    ----------
    k, discount
        Length of the list, and ranks to weights.

    Raises
    ------
    InputError
        When called, if a score is outside [0, 1].
    """

    k: int
    discount: Discount = shifted_log2

    def __post_init__(self) -> None:
        """Check the length, and that the discount is one of a scaling."""
        object.__setattr__(self, "k", check_integer(self.k, "k", 1, LONGEST))
        worth = weights_of(self.k, self.discount)
        wrong = (worth < 0) | (worth > 1) | (np.diff(worth, prepend=worth[0]) > 0)
        rule = "answer weights in [0, 1] that never rise with the rank"
        check_none(worth, wrong, "discount", rule)
        check_that(worth[0] == 1, "discount", "give rank 1 the weight 1", worth[0])

    def __call__(self, score: npt.ArrayLike) -> FloatArray:
        """Weights of scores."""
        x = as_truth(score, "score")
        level = np.ceil(self.k * (x - NEAR))  # the score of a place is not rounded up
        place = (self.k + 1 - np.maximum(level, 1)).astype(int)
        return np.where(x > 0, weights_of(self.k, self.discount)[place - 1], 0.0)[()]

    def __repr__(self) -> str:
        name = getattr(self.discount, "__name__", repr(self.discount))
        return f"StepScaling(k={self.k}, discount={name})"


def discount_scaling(k: int, *, discount: Discount = shifted_log2) -> StepScaling:
    """Any rank discount as a scaling f of the linear score.

    Parameters
    ----------
    k : int
        Length of the list.
    discount : callable, default `shifted_log2`
        Ranks to weights, 1 at rank 1 and never rising; those of `receval.metrics.discounts`
        are.

    Returns
    -------
    StepScaling
        A function from scores in [0, 1] to weights in [0, 1].

    Raises
    ------
    InputError
        If ``k`` is not a positive integer or the discount breaks its conditions.

    References
    ----------
    Document 002, eq. 7, with the discount left open.

    Examples
    --------
    >>> from receval.metrics import reciprocal
    >>> f = discount_scaling(4, discount=reciprocal)
    >>> f([0, 0.1, 0.25, 0.5, 1]).round(4)
    array([0.    , 0.25  , 0.25  , 0.3333, 1.    ])
    """
    return StepScaling(k, discount)


def dcg_scaling(k: int) -> StepScaling:
    r"""The scaling :math:`f_k^{DG}`: the discount of nDCG as a function of the linear score.

    .. math:: f_k^{DG}(s_k(p)) = \frac{1}{\log_2(p + 1)}, \qquad f_k^{DG}(0) = 0

    and constant in between, left-continuous.

    Parameters
    ----------
    k : int
        Length of the list.

    Raises
    ------
    InputError
        As `discount_scaling`.

    References
    ----------
    Document 002, eq. 7.

    Examples
    --------
    The document's own value, 1/2, and the step to its right:

    >>> dcg_scaling(20)([0.9, 0.91]).round(4)
    array([0.5   , 0.6309])
    """
    return discount_scaling(k)


@dataclass(frozen=True)
class ScaledImplicator:
    """An implicator between scaled degrees, I(f(b), g(h)); `scaled` makes and checks it."""

    implicator: Connective
    f: Scaling = identity
    g: Scaling = identity

    def __call__(self, b: npt.ArrayLike, h: npt.ArrayLike) -> FloatArray:
        """Truth of the implication."""
        b, h = pair(b, h, "b h")
        body, head = as_truth(self.f(b), "value of f"), as_truth(self.g(h), "value of g")
        return answer(self.implicator, body, head, "implicator")[()]


def scaled(
    implicator: Connective, *, f: Scaling | None = None, g: Scaling | None = None
) -> ScaledImplicator:
    r"""An implicator that sees body and head through scalings.

    .. math:: I^{f,g}(b, h) = I(f(b), g(h))

    Parameters
    ----------
    implicator : callable
        I(b, h), satisfying i1 to i4 (see `violations`).
    f, g : callable, optional
        Scalings of the body and of the head, [0, 1] to [0, 1]; default: none. Both must take 0
        to 0 and 1 to 1 and never fall; f must be left-continuous; g right-continuous and below
        1 before 1.

    Returns
    -------
    ScaledImplicator
        A function of two arrays, again an implicator.

    Raises
    ------
    InputError
        If a condition is broken, with a value that breaks it. Conditions are tried at the
        fractions with denominators up to 60 (for a `StepScaling` also at its own steps).

    References
    ----------
    Document 002, eq. 3.

    Examples
    --------
    Place 6 of 20 without a response, printed as 0.644:

    >>> from receval.fuzzy import lukasiewicz
    >>> judged = scaled(lukasiewicz, f=dcg_scaling(20))
    >>> print(f"{judged(linear_score(6, 20), 0):.3f}")
    0.644
    """
    check_axioms(implicator, "implicator")
    for name, side, function in (("f", "left", f), ("g", "right", g)):
        if function is not None:
            check_callable(function, name, "dcg_scaling(20)")
            steps = function.k if isinstance(function, StepScaling) else 1
            if broken := scaling_violation(function, fractions(*DENOMINATORS, steps), side=side):
                raise InputError(f"{name} must {broken}")
    return ScaledImplicator(implicator, f or identity, g or identity)
