"""The functions of a measure of one's own: checked where they answer, and looked at for ties."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np

from receval._arrays import answered
from receval._checks import FloatArray, InputError, check_callable, check_choice, shorten
from receval.metrics.form import ABOVE, Divisor, Form, Lists, Terms
from receval.metrics.stated import PerList

OF_LISTS = "lambda lists, k: lists.n_relevant"


def checked_form(name: str, terms: object, divisor: Divisor | str | None) -> Form:
    """A form whose functions are refused by their own names where they answer what does not fit."""
    if not isinstance(terms, Terms):
        raise InputError(f"terms of {name} must be receval.Terms; got {shorten(terms)}")
    gain, weight, above = terms
    check_callable(gain, f"gain of {name}", "linear_gain")
    if weight is not None:
        weight = _answering(weight, f"weight of {name}", "lambda i: 1 / i", np.shape)
        weight.unchecked = weight
    if isinstance(above, str):
        check_choice(above, f"above of {name}", ABOVE)
    elif above is not None:
        factor = getattr(above, "factor", None)
        factor = _answering(factor, f"above.factor of {name}", "lambda gains: 1 - gains", np.shape)
        above = SimpleNamespace(factor=factor, name=str(getattr(above, "name", "above")))
    if isinstance(divisor, str):
        check_choice(divisor, f"divisor of {name}", ["ideal"])
    elif divisor is not None:
        divisor = _answering(divisor, f"divisor of {name}", OF_LISTS, _of_lists)
    return Form(Terms(gain, weight, above), divisor)


def checked_per_list(name: str, per_list: object) -> PerList:
    """One value per list, by a function of lists and cut-off."""
    function = _answering(per_list, f"per_list of {name}", OF_LISTS, _of_lists, or_nan=True)
    return PerList(function, lambda lists, k: {"lists": lists, "k": k})


def _of_lists(lists: Any, _: int | None = None) -> tuple[int, ...]:
    shape: tuple[int, ...] = lists.grades.shape[:-1]
    return shape


def _answering(
    function: Any,
    name: str,
    example: str,
    shape: Callable[..., tuple[int, ...]],
    *,
    or_nan: bool = False,
) -> Any:
    """The function, whose answers are looked at: finite numbers, as many as there are lists."""
    check_callable(function, name, example)

    def checked(*given: Any, **by_name: Any) -> FloatArray:
        given = (*given, *by_name.values())  # its own names are the user's
        found = answered(function(*given), name)
        wanted = shape(*given)
        if found.shape != wanted:
            raise InputError(f"{name} must answer numbers of shape {wanted}; got {found.shape}")
        wrong = np.isinf(found) if or_nan else ~np.isfinite(found)
        if wrong.any():
            raise InputError(f"{name} must answer finite numbers; got {found[wrong][0]}")
        return found

    return checked


def depends_on_order(form: Any) -> bool:
    """Whether equal scores can do more to a form's value than its rule for terms knows of.

    That is so where the ranks above leave what only the measure knows, or the divisor is not the
    same for all orders of some lists.
    """
    if form.terms.above is not None and not hasattr(form.terms.rule, "over_ties"):
        return True
    if form.plain:
        return False
    orders = np.array(list(permutations([2.0, 1.0, 0.0, 0.0, 1.0])))
    n = len(orders)
    scores = np.tile(np.arange(5.0, 0, -1), (n, 1))
    lists = Lists(orders, np.full(n, 4), np.tile([2.0, 1.0, 1.0, 1.0], (n, 1)), scores)
    try:
        found = [form.divisor(lists, k) for k in (None, 1, 2, 3)]
    except Exception:  # what it looks for is not in these lists
        return True
    return any((one != one[0]).any() for one in found)
