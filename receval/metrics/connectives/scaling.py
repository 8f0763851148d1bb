"""Scalings: weights of the places in a list, which become the arguments of an implicator.

The linear score turns place p of k into a degree of truth, and a scaling f maps it to another
degree. `scaled` applies scalings to both arguments of an implicator: I(f(b), g(h)).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from receval._arrays import as_integers, check_any_shape
from receval._checks import (
    FloatArray,
    check_callable,
    check_count,
    check_integer,
    check_none,
    check_that,
    input_error,
)
from receval.metrics.connectives.axioms import (
    MIN_JUMP,
    TOLERANCE,
    check_axioms,
    fractions,
    step_aside,
)
from receval.metrics.connectives.formulas import Connective, apply_connective, as_truth, read_pair
from receval.metrics.discounts import shifted_log2

MAX_LENGTH = 10**8  # places of a list


Scaling: TypeAlias = Callable[[FloatArray], npt.ArrayLike]
"""A function that maps an array of degrees to degrees."""

DENOMINATORS = range(1, 61)  # denominators of the fractions at which scalings are tested


def linear_score(position: npt.ArrayLike, k: int) -> FloatArray:
    r"""Score a place in a list of k: 1 at the top, 1/k at the end.

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
        If a place is not a whole number from 1 to k: beyond k the score is not defined.

    References
    ----------
    Document 002, eq. 6.

    Examples
    --------
    >>> linear_score([1, 3, 6], 20)
    array([1.  , 0.9 , 0.75])
    """
    k = check_count(k, "k")
    place = np.asarray(check_any_shape(position, "position", as_integers))
    is_outside = (place < 1) | (place > k)
    check_none(
        place,
        is_outside,
        "position",
        f"be from 1 to k = {k}",
        "Places beyond k have no score: cut the lists at k first",
    )
    return (k + 1 - place) / k


def identity(truth: npt.ArrayLike) -> FloatArray:
    """Return the degrees unchanged: the default scaling."""
    return as_truth(truth, "truth")[()]


@dataclass(frozen=True)
class StepScaling:
    r"""The result of `dcg_scaling`: a left-continuous step function of the linear score.

    Call it with scores in [0, 1] to get weights in [0, 1]. A score within 1e-12 of the score of a
    place counts as the score of that place.

    Attributes
    ----------
    k : int
        Length of the list.
    """

    k: int

    def __call__(self, score: npt.ArrayLike) -> FloatArray:
        """Return, for each score, the weight of the place whose step contains the score."""
        scores = as_truth(score, "score")
        # [0, 1] has k steps of width 1 / k; step 1 has the lowest scores. Step s ends at s / k, the
        # score of place k + 1 - s, so it has that place's weight. Rounding can lift the score of a
        # place just above its step, since k * (1 - 2/k) is often not a whole number in floating
        # point; the tolerance moves it back. If the tolerance moves a score below 0, it belongs to
        # the first step.
        step = np.maximum(np.ceil(self.k * (scores - TOLERANCE)), 1)
        place = self.k + 1 - step
        return np.where(scores > 0, shifted_log2(place), 0.0)[()]


def dcg_scaling(k: int) -> StepScaling:
    r"""Return the scaling :math:`f_k^{DG}`: nDCG's discount as a function of the linear score.

    .. math:: f_k^{DG}(x) = \begin{cases} 0 & x = 0 \\
              1 / \log_2(p + 1) & s_k(p + 1) < x \le s_k(p), \; p < k \\
              1 / \log_2(k + 1) & 0 < x \le 1/k \end{cases}

    So it is :math:`1 / \log_2(p + 1)` at the score of place p, constant between these scores, and
    left-continuous. A score within 1e-12 of the score of a place counts as that score.

    Parameters
    ----------
    k : int
        Length of the list.

    Returns
    -------
    callable
        A function from scores in [0, 1] to weights in [0, 1], with the attribute ``k``.

    Raises
    ------
    InputError
        If ``k`` is not a positive integer.

    References
    ----------
    Document 002, eq. 7.

    Examples
    --------
    The value that the document gives, 1/2, and the step to its right:

    >>> dcg_scaling(20)([0.9, 0.91]).round(4)
    array([0.5   , 0.6309])
    """
    return StepScaling(check_integer(k, "k", 1, MAX_LENGTH))


def scaled(implicator: Connective, *, f: Scaling = identity, g: Scaling = identity) -> Connective:
    r"""Scale the body and the head of an implicator.

    .. math:: I^{f,g}(b, h) = I(f(b), g(h))

    Parameters
    ----------
    implicator : callable
        I(b, h), satisfying i1 to i4 (see `violations`).
    f, g : callable, default `identity`
        Scalings of the body and of the head, from [0, 1] to [0, 1]. Both must map 0 to 0 and 1 to
        1, and never fall. f must be left-continuous. g must be right-continuous, and below 1 at all
        degrees below 1.

    Returns
    -------
    callable
        A function of two arrays, which is an implicator too.

    Raises
    ------
    InputError
        If a condition is broken; the error shows where. Conditions are tested at the fractions
        with denominators up to 60, and for a `StepScaling` also at its own steps.

    References
    ----------
    Document 002, eq. 3.

    Examples
    --------
    The item at place 6 of 20 got no response; document 002 prints 0.644:

    >>> from receval.fuzzy import lukasiewicz
    >>> judged = scaled(lukasiewicz, f=dcg_scaling(20))
    >>> print(f"{judged(linear_score(6, 20), 0):.3f}")
    0.644
    """
    check_axioms(implicator, "implicator")
    _check_scaling(f, "f", side="left")
    _check_scaling(g, "g", side="right")

    def scaled_implicator(b: npt.ArrayLike, h: npt.ArrayLike) -> FloatArray:
        """Return the truth of the implication between the scaled degrees."""
        body, head = read_pair(b=b, h=h)
        body = as_truth(f(body), "value of f")
        head = as_truth(g(head), "value of g")
        return apply_connective(implicator, body, head, "implicator")[()]

    scaled_implicator.__name__ = f"scaled_{getattr(implicator, '__name__', 'implicator')}"
    return scaled_implicator


def _check_scaling(function: Scaling, name: str, *, side: str) -> None:
    """Raise if the scaling breaks a condition that `scaled` lists.

    ``name`` is the name of the argument, and ``side`` is the side from which the scaling must be
    continuous, "left" or "right".
    """
    check_callable(function, name, "dcg_scaling(20)")
    points = fractions(*DENOMINATORS)  # the fractions in [0, 1] with these denominators
    if isinstance(function, StepScaling):
        points = fractions(*DENOMINATORS, function.k)  # also where its steps end, at i / k
    values = np.asarray(function(points), dtype=float)
    check_that(values.shape == points.shape, name, "return one number per value", values.shape)
    next_values = np.append(values[1:], values[-1])
    limits = np.asarray(function(step_aside(points, side)), dtype=float)
    here = "{value:.6g} at {point:.6g}"
    here_and_next = here + ", then {next_value:.6g}"
    direction = {"left": "below", "right": "above"}[side]
    here_and_beside = here + ", but {limit:.6g} just " + direction + " it"
    with np.errstate(invalid="ignore"):  # infinite values and NaN break the first rule
        is_outside = ~((values >= 0) & (values <= 1))
        is_above_0 = (points == 0) & (values > TOLERANCE)
        is_below_1 = (points == 1) & (values < 1 - TOLERANCE)
        is_falling = next_values - values < -TOLERANCE
        is_jump = np.abs(limits - values) > MIN_JUMP
        is_full_too_early = (side == "right") & (values >= 1) & (points < 1)
    rules = [  # each rule, where it is broken, and what the message says of the first such point
        ("stay in [0, 1]", is_outside, here),
        ("be 0 at 0", is_above_0, here),
        ("be 1 at 1", is_below_1, here),
        ("never fall", is_falling, here_and_next),
        (f"be {side}-continuous", is_jump, here_and_beside),
        ("be below 1 at degrees below 1", is_full_too_early, here),
    ]
    for rule, is_broken, message in rules:
        if is_broken.any():
            first = int(np.argmax(is_broken))
            got = message.format(
                value=values[first],
                point=points[first],
                next_value=next_values[first],
                limit=limits[first],
            )
            raise input_error(name, rule, got)
