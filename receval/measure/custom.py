"""The functions of a measure of one's own: checked where they answer, and looked at for ties."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

from receval._arrays import as_real_numbers, call_read_only
from receval._checks import (
    FloatArray,
    InputError,
    check_callable,
    check_choice,
    check_flag,
    check_text,
    check_that,
)
from receval.metrics.formula import PREFIX_FACTORS, ArrayLists, RankFormula, Terms
from receval.metrics.spec import MeasureSpec, PerListFunction

NEEDS = ("catalogue", "awards", "novelty_date", "features", "history", "scores")
OF_LISTS = "lambda lists, k: lists.n_relevant"
FORMULAS = {
    RankFormula: r"\frac{1}{D_u} \sum_{i \le k} \mathrm{gain}(g_{ui})\, \mathrm{weight}(i)\, "
    r"\mathrm{above}_{ui}",
    PerListFunction: r"f(R_u@k)",
}
"""Of a measure of one's own, whose functions have no formula."""


def spec_of_custom_measure(
    name: str, value: tuple[Any, Any, Any], source: str, better: bool, needs: tuple[str, ...]
) -> MeasureSpec:
    """What a user states, of whose ``value`` terms, divisor and per_list; see `receval.Measure`."""
    for what, text in (("name", name), ("source", source)):
        check_that(isinstance(text, str) and bool(text.strip()), what, "be text", text)
        check_text([text], what)
    check_that("@" not in name, "name", "have no '@'", name, "Cut it with at(10)")
    check_that(
        name.strip() not in ("user", "system"), "name", "not be that of a column of ids", name
    )
    terms, divisor, per_list = value
    if (terms is None) == (per_list is None):
        got = "both" if terms is not None else "neither"
        raise InputError(f"{name} must have either terms or per_list; got {got}")
    for need in needs:
        check_choice(need, "needs", NEEDS)
    if per_list is not None and divisor is not None:
        raise InputError(f"divisor of {name} must go with terms; got per_list")
    how = _value(name, per_list) if terms is None else _form(name, terms, divisor)
    check_flag(better, "higher_is_better")
    return MeasureSpec(
        name=name.strip(),
        title=name.strip(),
        formula=FORMULAS[type(how)],
        source=source,
        computation=how,
        depends_on=() if needs else ("relevant", "ties", "missing", "no relevant item"),
        needs=needs,
        higher_is_better=better,
    )


def _form(name: str, terms: Any, divisor: Any) -> RankFormula:
    """A form whose functions are refused by their own names where they answer what does not fit."""
    check_that(isinstance(terms, Terms), f"terms of {name}", "be receval.Terms", terms)
    gain, weight, above = terms
    check_callable(gain, f"gain of {name}", "linear_gain")
    if weight is not None:
        weight = _answering(weight, f"weight of {name}", "lambda i: 1 / i", np.shape)
    if isinstance(above, str):
        check_choice(above, f"above of {name}", PREFIX_FACTORS)
    elif above is not None:
        factor = getattr(above, "factor", None)
        factor = _answering(factor, f"above.factor of {name}", "lambda gains: 1 - gains", np.shape)
        above = SimpleNamespace(factor=factor, name=str(getattr(above, "name", "above")))
    if isinstance(divisor, str):
        check_choice(divisor, f"divisor of {name}", ["ideal"])
    elif divisor is not None:
        divisor = _answering(divisor, f"divisor of {name}", OF_LISTS, _of_lists)
    return RankFormula(Terms(gain, weight, above), divisor)


def _value(name: str, per_list: object) -> PerListFunction:
    """One value per list, by a function of lists and cut-off."""
    function = _answering(per_list, f"per_list of {name}", OF_LISTS, _of_lists, or_nan=True)
    return PerListFunction(function, _as_given)


def _as_given(lists: Any, k: int | None) -> dict[str, Any]:
    return {"lists": lists, "k": k}


def _of_lists(lists: Any, k: int | None) -> Any:  # noqa: ARG001
    return lists.grades.shape[:-1]


@dataclass(frozen=True)
class CheckedFunction:
    """A user's function, whose answers are looked at: finite numbers of the ``shape`` wanted."""

    function: Callable[..., Any]
    name: str
    shape: Callable[..., Any]
    or_nan: bool = False

    def __call__(self, *given: Any, **named: Any) -> FloatArray:
        given += tuple(named.values())
        found = as_real_numbers(call_read_only(self.function, self.name, *given), self.name)
        wanted = self.shape(*given)
        rule = f"answer numbers of shape {wanted}"
        check_that(found.shape == wanted, self.name, rule, found.shape)
        wrong = np.isinf(found) if self.or_nan else ~np.isfinite(found)
        if wrong.any():
            raise InputError(f"{self.name} must answer finite numbers; got {found[wrong][0]}")
        return found


def _answering(function: Any, name: str, example: str, shape: Any, **how: bool) -> CheckedFunction:
    check_callable(function, name, example)
    return CheckedFunction(function, name, shape, **how)


def depends_on_order(form: Any) -> bool:
    """Whether equal scores can do more to a form's value than its rule for terms knows of.

    That is so where the ranks above leave what only the measure knows, or the divisor looks at
    more of lists than is the same in all orders.
    """
    if form.terms.above is not None and not hasattr(form.terms.prefix_factor, "over_ties"):
        return True
    relevance = np.array([[2.0, 1.0, 1.0, 1.0]])
    lists = SimpleNamespace(
        n_relevant=np.array([4]),
        relevance=relevance,
        best=ArrayLists(relevance, np.array([4]), relevance),
        length=np.array([5]),
        grades=SimpleNamespace(shape=(1, 5)),
    )
    try:
        form.depends_only_on_terms or [form.divisor(lists, k) for k in (None, 1, 2, 3)]
    except Exception:
        return True
    return False
