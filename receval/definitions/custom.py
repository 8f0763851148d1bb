"""Custom measures: make a computation from the functions that the user passes to `receval.Measure`.

receval wraps the user's functions, so that it can check what they return.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import cast

import numpy as np

from receval._arrays import as_answer, call_read_only
from receval._checks import (
    AnyArray,
    FloatArray,
    InputError,
    Options,
    UserFunction,
    check_callable,
    check_choice,
    check_none,
    input_error,
    shorten,
)
from receval.metrics.formula import (
    PREFIX_FACTORS,
    ArrayLists,
    Divisor,
    RankFormula,
    Terms,
)
from receval.metrics.spec import PerListFunction

EXAMPLE_OF_LISTS = "lambda lists, k: lists.n_relevant"
FORMULAS: dict[type[RankFormula | PerListFunction], str] = {
    RankFormula: r"\frac{1}{D_u} \sum_{i \le k} \mathrm{gain}(g_{ui})\, \mathrm{weight}(i)\, "
    r"\mathrm{above}_{ui}",
    PerListFunction: r"f(R_u@k)",
}
"""LaTeX formulas to show for custom measures, because Python functions do not state a formula."""


def checked_computation(
    name: str,
    terms: object,
    divisor: Divisor | str | None,
    per_list: UserFunction | None,
) -> RankFormula | PerListFunction:
    """Return the computation of a custom measure, with checks of what its functions return.

    The arguments are those of `receval.Measure`. Raises `InputError` if an argument is neither a
    function nor the name of one, or if not exactly one of ``terms`` and ``per_list`` is given.
    """
    if (terms is None) == (per_list is None):
        got = "neither" if terms is None else "both"
        raise InputError(f"{name} must have either terms or per_list; got {got}")
    if per_list is not None:
        if divisor is not None:
            raise InputError(f"divisor of {name} must go with terms; got per_list")
        # NaN means that the value of a list is undefined.
        function = CheckedFunction(
            per_list, f"per_list of {name}", EXAMPLE_OF_LISTS, may_be_nan=True
        )
        return PerListFunction(function, _lists_and_cutoff)
    if not isinstance(terms, Terms):
        raise input_error(f"terms of {name}", "be receval.Terms", shorten(terms))
    # A term is gain times weight times prefix factor, which depends on the ranks so far.
    gain, weight, above = terms
    check_callable(gain, f"gain of {name}", "linear_gain")  # `Terms` checks what it returns
    if weight is not None:
        weight = CheckedFunction(weight, f"weight of {name}", "lambda i: 1 / i")
    if above is not None:
        check_choice(above, f"above of {name}", PREFIX_FACTORS)
    if isinstance(divisor, str):
        check_choice(divisor, f"divisor of {name}", ["ideal"])
    elif divisor is not None:
        divisor = CheckedFunction(divisor, f"divisor of {name}", EXAMPLE_OF_LISTS)
    return RankFormula(Terms(gain, weight, above), divisor)


def _lists_and_cutoff(lists: object, k: int | None) -> Options:
    """Return the arguments of a user's function of lists, by keyword."""
    return {"lists": lists, "k": k}


@dataclass(frozen=True)
class CheckedFunction:
    """A wrapper of a user's function, which raises `InputError` if the function's answer is wrong.

    A function of an array must return an array of the same shape. A function of lists and cut-off
    must return one number per list. The wrapper raises, too, if ``function`` is not a function.

    Attributes
    ----------
    function : the user's function. It gets read-only arrays.
    name : the name of the function in messages.
    example : a function that the message shows if the user passed something else.
    may_be_nan : whether answers may be NaN; they must never be infinite.
    """

    function: UserFunction
    name: str
    example: str
    may_be_nan: bool = False

    def __post_init__(self) -> None:
        check_callable(self.function, self.name, self.example)

    def __call__(self, *arguments: object, **named: object) -> FloatArray:
        """Call the user's function, check the numbers that it returns, and return them."""
        # receval passes some arguments by name, but users choose the names of their parameters. So
        # it passes all arguments by position: first those without a name, then the named ones in
        # their order.
        arguments += tuple(named.values())
        answer = call_read_only(self.function, self.name, *arguments)
        # One number per list, as ``n_relevant`` has them, or one for each entry of an array.
        one_each = cast(AnyArray, getattr(arguments[0], "n_relevant", arguments[0]))
        values = as_answer(answer, one_each.shape, self.name)
        is_wrong = ~np.isfinite(values)
        if self.may_be_nan:
            is_wrong = np.isinf(values)
        check_none(values, is_wrong, self.name, "return finite numbers")
        return values


def depends_on_order(divisor: Divisor | str | None) -> bool:
    """Return whether receval cannot compute the exact mean over the orders of equal scores.

    receval knows the exact mean of the terms. The mean of the value is wrong if the divisor reads
    grades by rank, which differ from order to order. So try the divisor on a list of five items,
    four of them relevant, that has no grades by rank: if it needs these grades, it fails.
    """
    if not callable(divisor):
        return False
    relevance: AnyArray = np.array([[2.0, 1.0, 1.0, 1.0]])
    lists = SimpleNamespace(
        n_relevant=np.array([4]),
        relevance=relevance,
        best=ArrayLists(relevance, np.array([4]), relevance),
        length=np.array([5]),
        grades=SimpleNamespace(shape=(1, 5)),
    )
    try:
        # It may need the grades only with a cut-off, or only without one.
        for k in (None, 1, 2, 3):
            divisor(lists, k)
    except Exception:  # a user's function may raise anything
        return True
    return False
