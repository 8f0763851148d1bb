"""From an implicator to its conjunctor and back, and the modus ponens that the pair allows."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from receval._checks import BoolArray, FloatArray, check_callable, input_error
from receval.fuzzy.implicators import conjunctions, implications
from receval.fuzzy.implicators.axioms import POINTS, Witness, check_axioms, grid_values
from receval.fuzzy.implicators.degrees import Connective, answer, pair

TruthFunction = Callable[[npt.ArrayLike, npt.ArrayLike], FloatArray]

Forms = dict[TruthFunction, TruthFunction]

CLOSED_FORMS: Forms = {
    getattr(implications, name.removesuffix("_conjunctor")): getattr(conjunctions, name)
    for name in vars(conjunctions)
    if name.endswith("_conjunctor")
}
HALVINGS = 53  # of [0, 1]: as fine as numbers just below 1 can be


def conjunctor(implicator: Connective) -> TruthFunction:
    r"""The conjunctor that belongs to an implicator by residuation.

    .. math:: C_I(b, r) = \inf \{ h : I(b, h) \ge r \}

    Parameters
    ----------
    implicator : callable
        An implicator of this module, or any function I(b, h) of two arrays.

    Returns
    -------
    callable
        C(b, r), a function of two arrays: the closed form for the implicators of this module,
        otherwise one that finds the infimum by bisection, to within :math:`2^{-53}` from above
        and exactly where it is a multiple of that, as far as I itself is computed exactly.

    Raises
    ------
    InputError
        If the function breaks i1 or i2, so that there is nothing to bisect.

    Notes
    -----
    With i3 the infimum is reached and the two form a residuated pair:
    :math:`C_I(b, r) \le h` if and only if :math:`r \le I(b, h)`. Without it they do not;
    `residuation_gaps` shows where.

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
    return _known(implicator, CLOSED_FORMS) or _residuum(implicator, "implicator")


def implicator(conjunctor: Connective) -> TruthFunction:
    r"""The implicator that belongs to a conjunctor by residuation.

    .. math:: I_C(b, h) = \sup \{ r : C(b, r) \le h \}

    Parameters
    ----------
    conjunctor : callable
        A conjunctor of this module, or any function C(b, r) of two arrays.

    Returns
    -------
    callable
        I(b, h), a function of two arrays: the closed form for the conjunctors of this module,
        otherwise one that finds the supremum by bisection, to within :math:`2^{-53}` from below
        and exactly where it is a multiple of that, as far as C itself is computed exactly.

    Raises
    ------
    InputError
        If the function breaks c1 or c2, so that there is nothing to bisect.

    Notes
    -----
    The supremum is reached where C is left-continuous in r. Axiom c3 asks for
    left-continuity in b, as the document prints it; a conjunctor that has only this gives an
    implicator, but no residuated pair, and `residuation_gaps` shows where.

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
    inverse = {its_conjunctor: known for known, its_conjunctor in CLOSED_FORMS.items()}
    return _known(conjunctor, inverse) or _residuum(conjunctor, "conjunctor")


def modus_ponens(b: npt.ArrayLike, r: npt.ArrayLike, conjunctor: Connective) -> FloatArray:
    r"""What follows for the head from a body true to b and a rule true to r.

    .. math:: \frac{(B, b), \; (H \leftarrow B, r)}{(H, \; C(b, r))}

    Parameters
    ----------
    b, r : array_like
        Truth of the body and of the rule, in [0, 1].
    conjunctor : callable
        The conjunctor of the implicator that the rule was judged by; see `conjunctor`.

    Returns
    -------
    ndarray of float
        The least truth that the head must have. It is sound (the head is never less true) and
        the best such bound if conjunctor and implicator are a residuated pair; see
        `residuation_gaps`.

    Raises
    ------
    InputError
        If a value is outside [0, 1], or an implicator is given in place of its conjunctor.

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
    if its_conjunctor := _known(conjunctor, CLOSED_FORMS):
        got, advice = conjunctor.__name__, f"Its conjunctor is {its_conjunctor.__name__}"
        raise input_error("conjunctor", "be a conjunctor", f"the implicator {got}", advice)
    body, rule = pair(b, r, "b r")
    return answer(conjunctor, body, rule, "conjunctor")[()]


def residuation_gaps(
    conjunctor: Connective, implicator: Connective, *, tolerance: float = 1e-9
) -> dict[str, Witness]:
    r"""Where modus ponens with this pair is not sound, or not the best bound.

    Sound: :math:`r \le I(b, h)` gives :math:`C(b, r) \le h`, so what is concluded is never too
    much. Complete: :math:`C(b, r) \le h` gives :math:`r \le I(b, h)`, so no larger C is sound.
    Together they say that C and I are a residuated pair.

    Parameters
    ----------
    conjunctor, implicator : callable
        C(b, r) and I(b, h), functions of two arrays.
    tolerance : float, default 1e-9
        By how much an inequality must be broken to count.

    Returns
    -------
    dict
        Empty for a residuated pair; else ``"sound"`` and ``"complete"`` with the worst
        witness each. The inequalities are tried on every triple of the points that `violations`
        uses.

    Raises
    ------
    InputError
        If one of them does not answer values in [0, 1].

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
    concluded = grid_values(conjunctor, POINTS, POINTS, "conjunctor")
    judged = grid_values(implicator, POINTS, POINTS, "implicator")
    c, i = concluded[:, :, np.newaxis], judged[:, np.newaxis, :]  # axes b, r, h
    r, h = POINTS[:, np.newaxis], POINTS
    at = "at b = {0:.6g}, h = {2:.6g}"
    unsound = f"r = {{1:.6g}} <= I(b, h) {at}, but C(b, r) = {{3:.6g}} > h"
    incomplete = f"C(b, r) = {{3:.6g}} <= h {at}, but r = {{1:.6g}} > I(b, h) = {{4:.6g}}"
    gaps = {}
    for name, text, excess in (
        ("sound", unsound, np.where(r <= i, c - h, 0.0)),
        ("complete", incomplete, np.where(c <= h, r - i, 0.0)),
    ):
        # The worst case tells more than the first.
        one, rule, head = np.unravel_index(excess.argmax(), excess.shape)
        if excess[one, rule, head] > tolerance:
            where = tuple(POINTS[[one, rule, head]].tolist())
            told = text.format(*where, concluded[one, rule], judged[one, head])
            gaps[name] = Witness(where, told)
    return gaps


def _residuum(connective: Connective, kind: str) -> TruthFunction:
    """The least h with I(b, h) >= r, or the largest r with C(b, r) <= h, by bisection of [0, 1]."""
    check_axioms(connective, kind, among="12")  # without which bisection finds no bound
    least = kind == "implicator"

    def residuum(b: npt.ArrayLike, other: npt.ArrayLike) -> FloatArray:
        body, bound = pair(b, other, "b r" if least else "b h")

        def holds(x: FloatArray) -> BoolArray:
            value = answer(connective, body, x, kind)
            return value >= bound if least else value <= bound

        # Inside the condition holds at every step.
        beyond, inside = np.full(body.shape, float(not least)), np.full(body.shape, float(least))
        inside = np.where(holds(beyond), beyond, inside)
        for _ in range(HALVINGS):
            middle = (beyond + inside) / 2
            found = holds(middle)
            beyond, inside = np.where(found, beyond, middle), np.where(found, middle, inside)
        return inside[()]

    return residuum


def _known(connective: Connective, closed_forms: Forms) -> TruthFunction | None:
    """What belongs to a connective in closed form; it need not be hashable."""
    return next((its for known, its in closed_forms.items() if known is connective), None)
