"""Residuation from implicators to conjunctors and back, and modus ponens."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from receval._checks import BoolArray, FloatArray, check_callable, input_error
from receval.metrics.connectives import conjunctions, implications
from receval.metrics.connectives.axioms import POINTS, Witness, check_axioms, grid_values
from receval.metrics.connectives.degrees import (
    Connective,
    TruthFunction,
    answer,
    pair,
    truth_function,
)

PAIRS = [
    (implications.lukasiewicz, conjunctions.lukasiewicz_conjunctor),
    (implications.goedel, conjunctions.goedel_conjunctor),
    (implications.product, conjunctions.product_conjunctor),
    (implications.kleene_dienes, conjunctions.kleene_dienes_conjunctor),
    (implications.reichenbach, conjunctions.reichenbach_conjunctor),
    (implications.rescher, conjunctions.rescher_conjunctor),
    (implications.fodor, conjunctions.fodor_conjunctor),
]
"""The implicators of receval, each with its conjunctor in closed form."""

GAP_TEXTS = {
    "sound": "r = {r:.6g} <= I(b, h) at b = {b:.6g}, h = {h:.6g}, but C(b, r) = {c:.6g} > h",
    "complete": "C(b, r) = {c:.6g} <= h at b = {b:.6g}, h = {h:.6g}, but r = {r:.6g} > "
    "I(b, h) = {i:.6g}",
}
"""The text of a witness, from b, r, h, c = C(b, r) and i = I(b, h)."""

GAP = 1e-9  # smallest excess that isn't a rounding error
N_HALVINGS = 53  # halvings of [0, 1] down to the spacing of floats just below 1


def conjunctor(implicator: Connective) -> TruthFunction:
    r"""Return the conjunctor that belongs to an implicator by residuation.

    .. math:: C_I(b, r) = \inf \{ h : I(b, h) \ge r \}

    Parameters
    ----------
    implicator : callable
        An implicator of this module, or any function I(b, h) of two arrays.

    Returns
    -------
    callable
        C(b, r), a function of two arrays: the closed form for the implicators of this module. For
        any other I, it finds the infimum by bisection, to within :math:`2^{-53}` from above. If
        the infimum is a multiple of :math:`2^{-53}` and I is computed exactly, the result is
        exact.

    Raises
    ------
    InputError
        If the function breaks i1 or i2, which bisection requires.

    Notes
    -----
    If I satisfies i3, the infimum is reached, and C and I form a residuated pair: :math:`C_I(b, r)
    \le h` if and only if :math:`r \le I(b, h)`. Otherwise they do not, and `residuation_gaps` shows
    where the pair fails.

    References
    ----------
    Document 002, section II-B.

    Examples
    --------
    >>> from receval.fuzzy import goedel, goedel_conjunctor
    >>> conjunctor(goedel) is goedel_conjunctor
    True
    >>> yager = lambda b, h: h**b
    >>> conjunctor(yager)(0.5, [0.25, 0.5])
    array([0.0625, 0.25  ])
    """
    for one_implicator, its_conjunctor in PAIRS:
        if implicator is one_implicator:
            return its_conjunctor
    check_axioms(implicator, "implicator", numbers="12")

    @truth_function
    def residuum(b: FloatArray, r: FloatArray) -> FloatArray:
        """Return the least h with I(b, h) >= r; the axioms say that larger ones fulfil it, too."""
        return _bisect(lambda h: answer(implicator, b, h, "implicator") >= r, b.shape, 0.0, 1.0)

    return residuum


def implicator(conjunctor: Connective) -> TruthFunction:
    r"""Return the implicator that belongs to a conjunctor by residuation.

    .. math:: I_C(b, h) = \sup \{ r : C(b, r) \le h \}

    Parameters
    ----------
    conjunctor : callable
        A conjunctor of this module, or any function C(b, r) of two arrays.

    Returns
    -------
    callable
        I(b, h), a function of two arrays: the closed form for the conjunctors of this module. For
        any other C, it finds the supremum by bisection, to within :math:`2^{-53}` from below. If
        the supremum is a multiple of :math:`2^{-53}` and C is computed exactly, the result is
        exact.

    Raises
    ------
    InputError
        If the function breaks c1 or c2, which bisection requires.

    Notes
    -----
    The supremum is reached if C is left-continuous in r. Axiom c3, as the document prints it, asks
    for left-continuity in b instead. A conjunctor that satisfies c3 but is not left-continuous in r
    has an implicator, but the two are not a residuated pair; `residuation_gaps` shows where the
    pair fails.

    References
    ----------
    Document 002, section II-B.

    Examples
    --------
    >>> from receval.fuzzy import product, product_conjunctor
    >>> implicator(product_conjunctor) is product
    True
    >>> implicator(np.minimum)([0.25, 0.75], 0.5)
    array([1. , 0.5])
    """
    for its_implicator, one_conjunctor in PAIRS:
        if conjunctor is one_conjunctor:
            return its_implicator
    check_axioms(conjunctor, "conjunctor", numbers="12")

    @truth_function
    def residuum(b: FloatArray, h: FloatArray) -> FloatArray:
        """Return the largest r with C(b, r) <= h; the axioms say that lower ones fulfil it, too."""
        return _bisect(lambda r: answer(conjunctor, b, r, "conjunctor") <= h, b.shape, 1.0, 0.0)

    return residuum


def modus_ponens(b: npt.ArrayLike, r: npt.ArrayLike, conjunctor: Connective) -> FloatArray:
    r"""Conclude how true the head must be, from the truth of the body and of the rule.

    .. math:: \frac{(B, b), \; (H \leftarrow B, r)}{(H, \; C(b, r))}

    Parameters
    ----------
    b, r : array_like
        Truth of the body and of the rule, in [0, 1].
    conjunctor : callable
        The conjunctor of the implicator that gave the truth of the rule; see `conjunctor`.

    Returns
    -------
    ndarray of float
        The least truth that the head must have. If conjunctor and implicator are a residuated pair,
        this bound is sound: the head is never less true. No larger bound is sound. For other pairs,
        see `residuation_gaps`.

    Raises
    ------
    InputError
        If a value is outside [0, 1], or an implicator is passed in place of its conjunctor.

    References
    ----------
    Document 002, eq. 2.

    Examples
    --------
    >>> from receval.fuzzy import lukasiewicz_conjunctor
    >>> modus_ponens(0.75, 0.5, lukasiewicz_conjunctor)
    np.float64(0.25)
    """
    check_callable(conjunctor, "conjunctor", "lukasiewicz_conjunctor")
    # If `conjunctor` is one of receval's implicators, tell the user which conjunctor is meant.
    for one_implicator, its_conjunctor in PAIRS:
        if conjunctor is one_implicator:
            got = f"the implicator {one_implicator.__name__}"
            advice = f"Its conjunctor is {its_conjunctor.__name__}"
            raise input_error("conjunctor", "be a conjunctor", got, advice)
    body, rule = pair(b=b, r=r)
    return answer(conjunctor, body, rule, "conjunctor")[()]


def residuation_gaps(conjunctor: Connective, implicator: Connective) -> dict[str, Witness]:
    r"""Find where modus ponens with this pair is unsound, or does not give the best bound.

    The pair is sound if :math:`r \le I(b, h)` implies :math:`C(b, r) \le h`: the conclusion is
    never too large. It is complete if :math:`C(b, r) \le h` implies :math:`r \le I(b, h)`: no
    larger C is sound. If both hold, C and I are a residuated pair.

    Parameters
    ----------
    conjunctor, implicator : callable
        C(b, r) and I(b, h), functions of two arrays.

    Returns
    -------
    dict
        Empty for a residuated pair. Otherwise, for each of the properties ``"sound"`` and
        ``"complete"`` that fails, the worst witness. The inequalities are tested on all triples of
        the points that `violations` uses.

    Raises
    ------
    InputError
        If one of the functions does not return values in [0, 1].

    References
    ----------
    Document 002, section II-B.

    Examples
    --------
    >>> from receval.fuzzy import goedel_conjunctor, lukasiewicz, lukasiewicz_conjunctor
    >>> residuation_gaps(lukasiewicz_conjunctor, lukasiewicz)
    {}
    >>> print(residuation_gaps(goedel_conjunctor, lukasiewicz)["sound"])
    r = 0.5 <= I(b, h) at b = 0.5, h = 0, but C(b, r) = 0.5 > h
    """
    conclusion_values = grid_values(conjunctor, POINTS, POINTS, "conjunctor")  # C(b, r)
    implication_values = grid_values(implicator, POINTS, POINTS, "implicator")  # I(b, h)
    # All triples, with the axes b, r and h.
    b, r, h = np.meshgrid(POINTS, POINTS, POINTS, indexing="ij")
    c = np.broadcast_to(conclusion_values[:, :, np.newaxis], b.shape)
    i = np.broadcast_to(implication_values[:, np.newaxis, :], b.shape)
    # By how much does each triple break the inequality that the property requires? If the number is
    # 0 or negative, the triple doesn't break it.
    excess_by_property = {
        "sound": np.where(r <= i, c - h, 0.0),
        "complete": np.where(c <= h, r - i, 0.0),
    }
    gaps = {}
    for name, excess in excess_by_property.items():
        worst = np.unravel_index(excess.argmax(), excess.shape)
        if excess[worst] > GAP:
            at = (float(b[worst]), float(r[worst]), float(h[worst]))
            text = GAP_TEXTS[name].format(
                b=b[worst], r=r[worst], h=h[worst], c=c[worst], i=i[worst]
            )
            gaps[name] = Witness(at, text)
    return gaps


def _bisect(
    holds: Callable[[FloatArray], BoolArray],
    shape: tuple[int, ...],
    doubtful_end: float,
    sure_end: float,
) -> FloatArray:
    """Return the degree nearest to ``doubtful_end`` at which a condition holds.

    There is one degree for each entry of an array of this shape, exact to ``2**-N_HALVINGS``.
    ``holds`` takes an array of degrees. The condition holds from the degree we look for to
    ``sure_end``, one of the ends of [0, 1]. At the other end it may hold or not.
    """
    # In every step the condition holds at `inside`, and the degree is between `outside` and
    # `inside`. If the condition holds at the other end of [0, 1] too, that end is the degree.
    outside = np.full(shape, doubtful_end)
    inside = np.where(holds(outside), outside, sure_end)
    for _ in range(N_HALVINGS):
        middle = (outside + inside) / 2
        holds_there = holds(middle)
        outside = np.where(holds_there, outside, middle)
        inside = np.where(holds_there, middle, inside)
    return inside
