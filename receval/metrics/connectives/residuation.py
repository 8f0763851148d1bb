"""Residuation from implicators to conjunctors and back, and modus ponens."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from receval._checks import BoolArray, FloatArray, check_callable, input_error
from receval.metrics.connectives import conjunctions, implications
from receval.metrics.connectives.axioms import POINTS, Witness, check_axioms, grid_values
from receval.metrics.connectives.degrees import Connective, answer, pair

TruthFunction: TypeAlias = Callable[[npt.ArrayLike, npt.ArrayLike], FloatArray]
"""A function that maps two arrays of degrees to an array of degrees."""

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
    return _residuum(implicator, "implicator")


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
    return _residuum(conjunctor, "conjunctor")


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
    body, rule = pair(b, r, "b r")
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
    c = conclusion_values[:, :, np.newaxis]
    i = implication_values[:, np.newaxis, :]
    r = POINTS[:, np.newaxis]
    h = POINTS
    # By how much does each triple break the inequality that the property requires? If the number is
    # 0 or negative, the triple doesn't break it.
    excess_by_property = {
        "sound": np.where(r <= i, c - h, 0.0),
        "complete": np.where(c <= h, r - i, 0.0),
    }
    gaps = {}
    for name, excess in excess_by_property.items():
        worst = np.unravel_index(excess.argmax(), excess.shape)
        if excess[worst] <= GAP:
            continue
        at = tuple(POINTS[[*worst]].tolist())
        conclusion = conclusion_values[worst[0], worst[1]]
        implication = implication_values[worst[0], worst[2]]
        place = f"at b = {at[0]:.6g}, h = {at[2]:.6g}"
        if name == "sound":
            text = f"r = {at[1]:.6g} <= I(b, h) {place}, but C(b, r) = {conclusion:.6g} > h"
        else:
            premise = f"C(b, r) = {conclusion:.6g} <= h {place}"
            text = f"{premise}, but r = {at[1]:.6g} > I(b, h) = {implication:.6g}"
        gaps[name] = Witness(at, text)
    return gaps


def _residuum(connective: Connective, kind: str) -> TruthFunction:
    """Return the residuum of a connective, a function that bisects [0, 1] for each pair of degrees.

    ``kind`` is "implicator" or "conjunctor". The residuum of an implicator I takes b and r and
    returns the least h with I(b, h) >= r. The residuum of a conjunctor C takes b and h and
    returns the largest r with C(b, r) <= h. Raises if the connective breaks its first or second
    axiom, because bisection needs both.
    """
    check_axioms(connective, kind, numbers="12")  # or raise
    # By these axioms the condition, I(b, h) >= r or C(b, r) <= h, holds from the residuum to one
    # end of [0, 1], the `sure_end`. At the other end it may hold or not.
    if kind == "implicator":
        names = "b r"  # of the residuum's arguments, for error messages
        doubtful_end = 0.0
        sure_end = 1.0
    else:
        names = "b h"
        doubtful_end = 1.0
        sure_end = 0.0

    def residuum(b: npt.ArrayLike, other: npt.ArrayLike) -> FloatArray:
        """Return the residuum of each pair of degrees, to within ``2**-N_HALVINGS``."""
        body, bound = pair(b, other, names)  # checked and of one shape

        def holds(candidate: FloatArray) -> BoolArray:
            """Return whether the condition holds at each candidate, one per pair of degrees."""
            value = answer(connective, body, candidate, kind)
            if kind == "implicator":
                return value >= bound
            return value <= bound

        # In every step the condition holds at `inside`, and the residuum is between `outside` and
        # `inside`. If the condition holds at the other end of [0, 1] too, that end is the residuum.
        outside = np.full(body.shape, doubtful_end)
        inside = np.where(holds(outside), outside, sure_end)
        for _ in range(N_HALVINGS):
            middle = (outside + inside) / 2
            holds_there = holds(middle)
            outside = np.where(holds_there, outside, middle)
            inside = np.where(holds_there, middle, inside)
        return inside[()]

    return residuum
