"""Custom measures: check what the user passes to `receval.Measure`, and make a `MeasureSpec`.

receval wraps the user's functions, so that it can check what they return.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace
from typing import cast

import numpy as np

from receval._arrays import (
    as_answer,
    call_read_only,
)
from receval._checks import (
    AnyArray,
    FloatArray,
    InputError,
    Options,
    UserFunction,
    check_callable,
    check_choice,
    check_flag,
    check_none,
    check_that,
    input_error,
    shorten,
)
from receval.metrics.formula import (
    PREFIX_FACTORS,
    ArrayLists,
    Divisor,
    RankedLists,
    RankFormula,
    Terms,
)
from receval.metrics.spec import MeasureSpec, PerListFunction

NEEDS = (
    "catalogue",
    "awards",
    "novelty_date",
    "features",
    "history",
    "scores",
)
EXAMPLE_OF_LISTS = "lambda lists, k: lists.n_relevant"
FORMULAS: dict[type[RankFormula | PerListFunction], str] = {
    RankFormula: r"\frac{1}{D_u} \sum_{i \le k} \mathrm{gain}(g_{ui})\, \mathrm{weight}(i)\, "
    r"\mathrm{above}_{ui}",
    PerListFunction: r"f(R_u@k)",
}
"""LaTeX formulas to show for custom measures, because Python functions do not state a formula."""


def spec_of_custom_measure(
    name: str,
    *,
    terms: Terms | None,
    divisor: Divisor | str | None,
    per_list: UserFunction | None,
    source: str,
    higher_is_better: bool,
    needs: tuple[str, ...],
) -> MeasureSpec:
    """Check the arguments of `receval.Measure` and return them as a spec.

    A spec states what the measure computes and what receval says about it. The user's functions are
    wrapped, so that receval checks what they return. Raises `InputError` if an argument is wrong,
    or if not exactly one of ``terms`` and ``per_list`` is given.
    """
    for argument, text in (("name", name), ("source", source)):
        check_that(isinstance(text, str) and bool(text.strip()), argument, "be text", text)
    check_that("@" not in name, "name", "have no '@'", name, "Cut it with at(10)")
    # Tables of values have these two columns, and one for each measure.
    is_id_column = name.strip() in ("user", "system")
    check_that(not is_id_column, "name", "not be the name of an id column", name)
    for need in needs:
        check_choice(need, "needs", NEEDS)
    check_flag(higher_is_better, "higher_is_better")

    computation: RankFormula | PerListFunction
    if terms is not None:
        if per_list is not None:
            raise InputError(f"{name} must have either terms or per_list; got both")
        computation = _checked_formula(name, terms, divisor)
    else:
        if per_list is None:
            raise InputError(f"{name} must have either terms or per_list; got neither")
        if divisor is not None:
            raise InputError(f"divisor of {name} must go with terms; got per_list")
        # NaN means that the value of a list is undefined.
        function_name = f"per_list of {name}"
        function = CheckedFunction(per_list, function_name, EXAMPLE_OF_LISTS, may_be_nan=True)
        computation = PerListFunction(function, _lists_and_cutoff)
    return MeasureSpec(
        name=name.strip(),
        title=name.strip(),
        formula=FORMULAS[type(computation)],
        source=source,
        computation=computation,
        # A measure that needs more than grades can have a value for a user without a relevant item,
        # so the convention must not replace it.
        depends_on=() if needs else ("relevant", "ties", "missing", "no relevant item"),
        needs=needs,
        higher_is_better=higher_is_better,
    )


def _checked_formula(name: str, terms: object, divisor: Divisor | str | None) -> RankFormula:
    """Return the formula of a custom measure, with checks of what its functions return.

    ``name`` is the name of the measure, for messages. Raises `InputError` if an argument is neither
    a function nor the name of one.
    """
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
        first = arguments[0]
        if isinstance(first, np.ndarray):
            shape = first.shape
        else:
            shape = cast(RankedLists, first).grades.shape[:-1]
        values = as_answer(answer, shape, self.name)
        is_wrong = ~np.isfinite(values)
        if self.may_be_nan:
            is_wrong = np.isinf(values)
        check_none(values, is_wrong, self.name, "return finite numbers")
        return values


def depends_on_order(formula: RankFormula) -> bool:
    """Return whether receval cannot compute the exact mean over the orders of equal scores.

    receval knows the exact mean of the terms. The mean of the value is wrong if the divisor reads
    grades by rank, which differ from order to order.
    """
    if formula.depends_only_on_terms:
        return False

    # Try the divisor on a list of five items, four of them relevant, that has no grades by rank. If
    # the divisor needs these grades, it fails. Try it with and without a cut-off, because it may
    # need them in only one of the two cases.
    relevance: AnyArray = np.array([[2.0, 1.0, 1.0, 1.0]])
    lists = SimpleNamespace(
        n_relevant=np.array([4]),
        relevance=relevance,
        best=ArrayLists(relevance, np.array([4]), relevance),
        length=np.array([5]),
        grades=SimpleNamespace(shape=(1, 5)),
    )
    divisor = formula.divisor
    assert callable(divisor)
    try:
        for k in (None, 1, 2, 3):
            divisor(lists, k)
    except Exception:  # a user's function may raise anything
        return True
    return False
