r"""Disjunctors: how true "a or b" is, given how true a and b are.

.. math:: S(a, b) = 1 - C(1 - a,\; 1 - b)

Each disjunctor is the dual of the conjunctor with the same name. All three are commutative and
associative, so you can combine any number of degrees in any order.
"""

from __future__ import annotations

import numpy as np

from receval._checks import FloatArray
from receval.metrics.connectives.degrees import truth_function


@truth_function
def goedel_disjunctor(a: FloatArray, b: FloatArray) -> FloatArray:
    r"""Gödel disjunctor, the maximum.

    .. math:: S(a, b) = \max(a, b)

    Parameters
    ----------
    a, b : array_like
        Degrees of truth, in [0, 1]. Arrays broadcast against each other.

    Returns
    -------
    ndarray of float
        In [0, 1].

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    References
    ----------
    The thesis of document 000, section "Aggregation functions".

    Examples
    --------
    >>> goedel_disjunctor(0.75, [0.25, 1.0])
    array([0.75, 1.  ])
    """
    return np.maximum(a, b)


@truth_function
def product_disjunctor(a: FloatArray, b: FloatArray) -> FloatArray:
    r"""Product disjunctor, the probabilistic sum.

    .. math:: S(a, b) = a + b - a \, b

    Parameters
    ----------
    a, b : array_like
        Degrees of truth, in [0, 1]. Arrays broadcast against each other.

    Returns
    -------
    ndarray of float
        In [0, 1].

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    References
    ----------
    The thesis of document 000, section "Aggregation functions".

    Examples
    --------
    >>> product_disjunctor(0.5, [0.0, 0.5, 1.0])
    array([0.5 , 0.75, 1.  ])
    """
    # This form never rounds to a value above 1.
    return a + b * (1.0 - a)


@truth_function
def lukasiewicz_disjunctor(a: FloatArray, b: FloatArray) -> FloatArray:
    r"""Łukasiewicz disjunctor, the bounded sum.

    .. math:: S(a, b) = \min(1,\; a + b)

    Parameters
    ----------
    a, b : array_like
        Degrees of truth, in [0, 1]. Arrays broadcast against each other.

    Returns
    -------
    ndarray of float
        In [0, 1].

    Raises
    ------
    InputError
        If a value is outside [0, 1] or NaN, or the shapes do not fit together.

    References
    ----------
    The thesis of document 000, section "Aggregation functions".

    Examples
    --------
    >>> lukasiewicz_disjunctor(0.75, [0.0, 0.25, 0.5])
    array([0.75, 1.  , 1.  ])
    """
    return np.minimum(1.0, a + b)
