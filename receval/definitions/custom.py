"""Custom measures: check what the user passes to `receval.Measure`, and make a `MeasureSpec`.

receval wraps the user's functions, so that it can check what they return.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TypeAlias

import numpy as np

from receval._arrays import as_real_numbers, call_read_only
from receval._checks import (
    AnyArray,
    FloatArray,
    InputError,
    Options,
    UserFunction,
    check_callable,
    check_choice,
    check_flag,
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

ShapeFunction: TypeAlias = Callable[..., tuple[int, ...]]
"""A function that takes a user's function's arguments and returns the shape of its answer."""


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
    if terms is not None and per_list is not None:
        raise InputError(f"{name} must have either terms or per_list; got both")
    if terms is None and per_list is None:
        raise InputError(f"{name} must have either terms or per_list; got neither")
    for need in needs:
        check_choice(need, "needs", NEEDS)
    if per_list is not None and divisor is not None:
        raise InputError(f"divisor of {name} must go with terms; got per_list")

    computation: RankFormula | PerListFunction
    if terms is not None:
        computation = _checked_formula(name, terms, divisor)
    else:
        computation = _checked_per_list_function(name, per_list)
    check_flag(higher_is_better, "higher_is_better")
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
    # A term is gain times weight times prefix factor, which depends on the ranks so far. Each check
    # raises an error, and `np.shape` requires that a function returns an array of the shape of its
    # argument.
    gain, weight, above = terms
    check_callable(gain, f"gain of {name}", "linear_gain")  # `Terms` checks what it returns
    if weight is not None:
        weight = _checked_function(weight, f"weight of {name}", "lambda i: 1 / i", np.shape)
    if isinstance(above, str):
        check_choice(above, f"above of {name}", PREFIX_FACTORS)
    elif above is not None:
        # A user's own prefix factor is an object with a method `factor`.
        factor = _checked_function(
            getattr(above, "factor", None),
            f"above.factor of {name}",
            "lambda gains: 1 - gains",
            np.shape,
        )
        # The name becomes the title of the factor's column in the working.
        above = SimpleNamespace(factor=factor, name=str(getattr(above, "name", "above")))
    if isinstance(divisor, str):
        check_choice(divisor, f"divisor of {name}", ["ideal"])
    elif divisor is not None:
        divisor = _checked_function(
            divisor, f"divisor of {name}", EXAMPLE_OF_LISTS, _one_value_per_list
        )
    return RankFormula(Terms(gain, weight, above), divisor)


def _checked_per_list_function(name: str, per_list: object) -> PerListFunction:
    """Wrap the user's function of lists and cut-off, so that its values are checked.

    They must be finite, or NaN if the value of a list is undefined. Raises `InputError` if
    ``per_list`` is not a function.
    """
    function = _checked_function(
        per_list, f"per_list of {name}", EXAMPLE_OF_LISTS, _one_value_per_list, may_be_nan=True
    )
    return PerListFunction(function, _lists_and_cutoff)


def _lists_and_cutoff(lists: object, k: int | None) -> Options:
    """Return the arguments of a user's function of lists, by keyword."""
    return {"lists": lists, "k": k}


def _one_value_per_list(lists: RankedLists, k: int | None) -> tuple[int, ...]:  # noqa: ARG001
    """Return the shape of an array with one value per list."""
    shape: tuple[int, ...] = lists.grades.shape[:-1]
    return shape


@dataclass(frozen=True)
class CheckedFunction:
    """A wrapper of a user's function, which raises `InputError` if the function's answer is wrong.

    The function must return finite numbers, in an array of the right shape.

    Attributes
    ----------
    function : the user's function. It gets read-only arrays.
    name : the name of the function in messages.
    shape : function of the same arguments that returns the shape that the answer must have.
    may_be_nan : whether answers may be NaN; they must never be infinite.
    """

    function: UserFunction
    name: str
    shape: ShapeFunction
    may_be_nan: bool = False

    def __call__(self, *arguments: object, **named: object) -> FloatArray:
        """Call the user's function, check the numbers that it returns, and return them."""
        # receval passes some arguments by name, but users choose the names of their parameters. So
        # it passes all arguments by position: first those without a name, then the named ones in
        # their order.
        arguments += tuple(named.values())
        answer = call_read_only(self.function, self.name, *arguments)
        values = as_real_numbers(answer, self.name)
        shape = self.shape(*arguments)
        rule = f"return numbers of shape {shape}"
        check_that(values.shape == shape, self.name, rule, values.shape)
        if self.may_be_nan:
            is_wrong = np.isinf(values)
        else:
            is_wrong = ~np.isfinite(values)
        if is_wrong.any():
            raise InputError(f"{self.name} must return finite numbers; got {values[is_wrong][0]}")
        return values


def _checked_function(
    function: object, name: str, example: str, shape: ShapeFunction, *, may_be_nan: bool = False
) -> CheckedFunction:
    """Wrap a user's function; raise `InputError` with the ``example`` if it is not a function.

    ``name`` is the name of the function in messages. ``shape`` is a function of the same arguments
    that returns the shape that the answer must have.
    """
    check_callable(function, name, example)
    return CheckedFunction(function, name, shape, may_be_nan)  # type: ignore[arg-type]


def depends_on_order(formula: RankFormula) -> bool:
    """Return whether receval cannot compute the exact mean over the orders of equal scores.

    A prefix factor is a factor of a term that depends on the ranks so far. receval knows the exact
    mean of the terms with its own prefix factors, but not with a factor that the user defines. The
    mean is also wrong if the divisor reads grades by rank, which differ from order to order.
    """
    # Only receval's own factors have a method `over_ties`.
    has_custom_factor = formula.terms.above is not None and not hasattr(
        formula.terms.prefix_factor, "over_ties"
    )
    if has_custom_factor:
        return True
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
