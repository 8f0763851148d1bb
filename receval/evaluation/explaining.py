"""Explain one user's number: measure this user again, and show the working."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import mean
from receval._checks import Id, check_that
from receval._files import describe_references
from receval.definitions.definition import Measure
from receval.definitions.lists import EvaluationContext, JudgedRun, UserLists
from receval.definitions.ties import in_order_of_measure
from receval.evaluation.measured import MeasuredLists, SystemResult
from receval.evaluation.report import Explanation, end_with_value, quote_label
from receval.evaluation.values import measure_users
from receval.metrics.formula import PREFIX_FACTORS, RankFormula, perfect_lists
from receval.metrics.ranking.graded import ideal_dcg
from receval.working.of_measure import working_of


def explain_value(system: SystemResult, system_name: Id, measure: Measure, user: Id) -> Explanation:
    """Return the working of one user's value under one system; see `Evaluation.explain`.

    ``system`` has the lists and stored values of the system, and ``measure`` is one of its
    measures. Raises an `InputError` if the measure is a set-level measure, if the user is not
    judged, if there are no lists, or if these no longer give the stored value.
    """
    advice = "It is of all users together"
    check_that(measure.per_user, "measure", "have a value for each user", measure.name, advice)
    # This raises an error if the user is not judged, or if there are no lists.
    lists = system.lists_of(user)
    value = system.value_of(user, measure)
    measured = measure_user_again(lists, user, measure, value)

    # Show whole lists, including ranks below the cut-offs. The list of one user is one block.
    context = measured.context
    only_user = np.zeros(1, int)  # the position of the only user
    run = in_order_of_measure(measured.run, measure)
    ((_, block),) = run.with_full_lists(only_user).blocks()
    is_item = block.items[0] >= 0  # lists are padded with -1
    catalogue = measured.run.truth.items
    item_ids = np.array(
        [catalogue.take_one(item) for item in block.items[0][is_item]], dtype=object
    )

    # A working shows equal scores in one order, the order of the block. If the value in this order
    # differs from the stored value, the stored value is a mean over orders, and no working of one
    # order gives it. In this case, show only the list.
    value_in_order = float(measure.compute(block)[0])
    table = None
    if value == value_in_order or np.isnan(value_in_order):
        table = working_of(measure, block, context, item_ids)  # None if it isn't a sum of terms
    if table is None:
        table = _list_as_table(block, item_ids, measure.k)
    end_with_value(table, value, measure.spec.label or measure.key)

    rules = context.convention.for_measures([measure.spec.name])
    choices = _choices_in_words(measure, measured.run, rules.words())
    if not item_ids.size:
        choices = {"list": f"{quote_label(user)} has no recommendations", **choices}
    return Explanation(
        user=user,
        measure=measure.name,
        title=measure.title,
        formula=measure.formula,
        source=describe_references(measure.source),
        convention=context.convention.name,
        choices=choices,
        table=table,
        value=value,
        system=system_name,
        code=_code_of(measure, context),
    )


def measure_user_again(
    lists: MeasuredLists, user: Id, measure: Measure, value: float
) -> MeasuredLists:
    """Measure one user again under one measure, and return the list of this user.

    ``value`` is the user's stored value. Raises an `InputError` if the new value is another one,
    because a file or a user's function has changed.
    """
    alone = replace(lists, options=replace(lists.options, measures=(measure,)))
    of_user = measure_users(alone, lists.run.judged[lists.users == user])
    assert of_user.lists is not None
    new_value = of_user.value_of(user, measure)
    # A user's function may round differently if it gets fewer lists at the same time.
    is_same = np.isclose(new_value, value, rtol=1e-6, atol=1e-9, equal_nan=True)
    rule = f"give user {user!r} the value {value:g} of the evaluation"
    advice = "Evaluate again: its input has changed"
    check_that(is_same, measure.name, rule, new_value, advice)
    return of_user.lists


def _list_as_table(
    block: UserLists, item_ids: npt.NDArray[np.object_], k: int | None
) -> pd.DataFrame:
    """Return the list of a block's only user as a table, with ranks, scores and gains.

    The table ends at rank ``k``; if ``k`` is None, it has the whole list. If the user passed ranks,
    it has no scores.
    """
    # Rows of a block are padded to equal length. Cut the list after its last item.
    n_items = item_ids.size
    columns = {"rank": np.arange(n_items) + 1, "item": item_ids}
    if block.scores is not None:
        columns["score"] = block.scores[0, :n_items]
    columns["gain"] = block.grades[0, :n_items]
    return pd.DataFrame(columns).head(k or n_items)


def _choices_in_words(measure: Measure, lists: JudgedRun, words: dict[str, str]) -> dict[str, str]:
    """Return the choices that a measure depends on: a dict from the name of each to its words.

    ``words`` has every choice of the convention in words. The function replaces two of them: the
    lowest relevant grade if the name of the measure sets it (``rel``), and the order of equal
    scores if the user passed ranks.
    """
    used_words = dict(words)
    if "rel" in measure.parameters:
        used_words["relevant"] = f"a grade of {measure.parameters['rel']:g} or more"
    if lists.rules.by_rank:
        used_words["ties"] = "none, ranks were given"
    return {choice: used_words[choice] for choice in measure.choices}


def _code_of(measure: Measure, context: EvaluationContext) -> dict[str, str]:
    """Return the names of the functions that compute a measure, by what they compute.

    A name has the module and the function, such as "receval.metrics.discounts.shifted_log2".
    """
    computation = measure.computation_under(context)
    if isinstance(computation, RankFormula):
        functions = _functions_of(computation)
    else:
        functions = {"value": computation.function}
    if measure.of_all is None:
        functions["mean"] = mean
    else:  # the value of all users together isn't a mean over users
        functions["all users"] = measure.of_all.finish
    return {part: _name_of(function) for part, function in functions.items() if function}


def _functions_of(formula: RankFormula) -> dict[str, object]:
    """Return gain, discount, factor of the ranks above, and divisor; None where there is none."""
    gain, discount, above = formula.terms
    functions: dict[str, object] = {"gain": gain, "discount": discount}
    if above is not None:
        functions[PREFIX_FACTORS[above].name] = PREFIX_FACTORS[above].factor
    # AP has a wrapper around its divisor, and the divisor of F1 has two parts.
    divisor = getattr(formula.divisor, "divisor", formula.divisor)
    if isinstance(divisor, str):
        divisor = {"ideal": ideal_dcg, "perfect": perfect_lists}[divisor]
        if above is not None:  # then the ideal list has a sum that is not a DCG
            divisor = RankFormula
    functions["divisor"] = divisor
    for name, part in getattr(divisor, "parts", {}).items():
        functions[f"divisor of {name}"] = part
    return functions


def _name_of(function: object) -> str:
    """Return the name of a function with its module, so that you can import it."""
    # A user's function is in a wrapper, and a gain with parameters is a partial function.
    function = getattr(function, "function", function)
    function = getattr(function, "func", function)
    # An object that is called as a function has the name of its class.
    name = getattr(function, "__qualname__", type(function).__qualname__)
    # A function inside another one can't be imported, so name the outer one.
    return f"{function.__module__}.{name.partition('.<locals>')[0]}"
