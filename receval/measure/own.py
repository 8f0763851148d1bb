"""The functions of a measure of one's own: checked where they answer, and looked at for ties."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from receval._checks import (
    FloatArray,
    InputError,
    as_finite,
    as_reals,
    check_callable,
    check_choice,
    shorten,
)
from receval.metrics.discounts.ranks import Discount, weights
from receval.metrics.form import ABOVE, Divisor, Form, Lists, Ranked, Terms
from receval.metrics.stated import PerList

__all__ = ["checked_form", "depends_on_order", "in_latex"]


def checked_form(name: str, terms: object, divisor: Divisor | str | None) -> Form:
    """A form whose functions are refused by their own names where they answer what is no number."""
    if not isinstance(terms, Terms):
        raise InputError(f"terms of {name} must be receval.Terms; got {shorten(terms)}")
    check_callable(terms.gain, f"gain of {name}", "linear_gain")
    weight = None if terms.weight is None else _Weight(terms.weight, f"weight of {name}")
    above = terms.above
    if isinstance(above, str):
        check_choice(above, f"above of {name}", ABOVE)
    elif above is not None:
        above = _Above(above, name)
    if isinstance(divisor, str):
        check_choice(divisor, f"divisor of {name}", ["ideal"])
    elif divisor is not None:
        divisor = _Divisor(divisor, f"divisor of {name}")
    return Form(Terms(terms.gain, weight, above), divisor)


class _Weight:
    """A weight that refuses by its own name what `receval.Terms` was given."""

    def __init__(self, weight: Discount, name: str) -> None:
        check_callable(weight, name, "shifted_log2")
        self.weight, self.name = weight, name

    def __call__(self, rank: FloatArray) -> FloatArray:
        return weights(rank.size, self.weight, self.name)

    unchecked = __call__


class _Above:
    """What the ranks above leave, by a function of the gains."""

    def __init__(self, above: Any, name: str) -> None:
        check_callable(getattr(above, "factor", None), f"above.factor of {name}", "gains -> gains")
        self.above, self.of = above, name
        self.name = str(getattr(above, "name", "above"))

    def factor(self, gains: npt.NDArray[Any]) -> FloatArray:
        found = as_reals(self.above.factor(gains), f"above of {self.of}")
        if found.shape != gains.shape:
            raise InputError(
                f"above of {self.of} must answer one number per gain; got shape {found.shape} for "
                f"{gains.shape}"
            )
        return as_finite(found, f"above of {self.of}") if found.size else found


class _Divisor:
    """A divisor of one number per list."""

    def __init__(self, divisor: Any, name: str) -> None:
        check_callable(divisor, name, "lambda lists, k: lists.n_relevant")
        self.divisor, self.name = divisor, name

    def __call__(self, lists: Ranked, k: int | None) -> FloatArray:
        found, shape = as_reals(self.divisor(lists, k), self.name), lists.grades.shape[:-1]
        if found.shape not in ((), shape):
            raise InputError(
                f"{self.name} must answer one number per list; got shape {found.shape} for {shape}"
            )
        return found


def depends_on_order(form: Any) -> bool:
    """Whether equal scores can do more to a form's value than its rule for terms knows of.

    That is so where the ranks above leave what only the measure knows, or the divisor is not the
    same for all orders of some lists.
    """
    if form.terms.rule is not None and not hasattr(form.terms.rule, "over_ties"):
        return True
    if form.divisor is None or isinstance(form.divisor, str):
        return False
    orders = np.array(list(permutations([2.0, 1.0, 0.0, 0.0, 1.0])))
    n = len(orders)
    lists = Lists(
        orders,
        np.full(n, 4),
        np.tile([2.0, 1.0, 1.0, 1.0], (n, 1)),
        np.tile([5.0, 4.0, 3.0, 2.0, 1.0], (n, 1)),
    )
    try:
        found = [np.broadcast_to(form.divisor(lists, k), n) for k in (None, 1, 2, 3)]
    except Exception:  # what it looks for is not in these lists
        return True
    return any((one != one[0]).any() for one in found)


def in_latex(how: Form | PerList) -> str:
    """The formula of one user's value."""
    if isinstance(how, PerList):
        return r"f(R_u@k)"
    over = r"\frac{1}{D_u} " if how.divisor is not None else ""
    weight = r"\, \mathrm{weight}(i)" if how.terms.weight is not None else ""
    above = r"\, \mathrm{above}_{ui}" if how.terms.above is not None else ""
    return rf"{over}\sum_{{i \le k}} \mathrm{{gain}}(g_{{ui}}){weight}{above}"
