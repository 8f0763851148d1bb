"""Explain values: lists by rank, the terms that items add, and the working of one user's value."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from html import escape
from typing import cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval import working
from receval._arrays import mean
from receval._checks import AnyArray, Id, IntArray, check_that, input_error, shorten
from receval._escape import for_html, for_terminal, lines_for_terminal, without_mathematics
from receval._files import describe_references
from receval.definitions.definition import FORMULAS, MEASURES, Measure
from receval.definitions.lists import EvaluationContext, JudgedRun, UserLists
from receval.definitions.ties import in_order_of_measure
from receval.evaluation.notes import stated_choices
from receval.evaluation.values import MeasuredLists, SystemResult, measure_users
from receval.metrics.formula import PREFIX_FACTORS, RankFormula, perfect_lists
from receval.metrics.ranking.graded import ideal_dcg
from receval.working.tables import is_sum_over_ranks, rank_contributions, term_table

CHANGED = "Evaluate again: its input has changed"
"""The advice if the lists don't give a stored value."""

MAX_ID = 1000
"""Characters of an id in the first line of an explanation; long ids may differ only at the end."""

# One value ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Explanation:
    """One user's number: definition, choices and working.

    Attributes
    ----------
    user, measure, title, formula, source : str
        The user, and the measure with its definition. ``formula`` defines one user's value. A
        notebook typesets receval's own formulas, and shows all others as code.
    system : str
        The system that recommended the list; "" for a single system without a name.
    choices : dict
        The convention's choices that the value depends on, in words.
    table : DataFrame
        The working, with a row for each term, or for each rank if the measure is not a sum.
    value : float
        The number.
    code : dict
        The functions that compute the number and the mean over users, each as module and name, by
        what they compute: "gain", "discount", "divisor", "mean".
    """

    user: Id
    measure: str
    title: str
    source: str
    choices: dict[str, str]
    table: pd.DataFrame
    value: float
    formula: str
    convention: str
    system: Id
    code: dict[str, str]

    def notes(self) -> list[str]:
        """Return the lines of the explanation: the sentence with the number, then each choice."""
        system = ""
        if self.system != "":
            system = f" under {shorten(self.system, MAX_ID)}"
        head = (
            f"{self.measure} of user {shorten(self.user, MAX_ID)}{system} = {self.value:.6g} "
            f"({self.title}, {self.source}; convention {self.convention})"
        )
        return [head, *(f"{choice}: {words}" for choice, words in self.choices.items())]

    def __repr__(self) -> str:
        code = ["computed by", *(f"{part}: {name}" for part, name in self.code.items())]
        notes, functions = ("\n  ".join(map(for_terminal, lines)) for lines in (self.notes(), code))
        return "\n".join([notes, lines_for_terminal(self.table.to_string(index=False)), functions])

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Return the explanation as text and as HTML; IPython chooses the form that it can show.

        IPython passes further arguments, which this method doesn't need.
        """
        head, *choices = map(for_html, self.notes())
        items = "".join(f"<li>{choice}</li>" for choice in choices)
        # The table shows invisible characters. MathJax must not read a "$" in it as a formula.
        working = lines_for_terminal(self.table.round(6).to_html(index=False))
        code = "".join(
            f"<li>{for_html(part)}: <code>{for_html(name)}</code></li>"
            for part, name in self.code.items()
        )
        html = (
            f"<p>{head}</p><p>{formula_in_html(self.formula)}</p>"
            f"<ul>{items}</ul>{without_mathematics(working)}<p>computed by</p><ul>{code}</ul>"
        )
        return {"text/plain": repr(self), "text/html": html}


def formula_in_html(formula: str) -> str:
    """Return a formula as HTML: for MathJax if it is receval's own, and otherwise as code.

    A formula from a user or a file could have commands that MathJax must not run.
    """
    safe_formulas = {"", *FORMULAS.values(), *(measure.spec.formula for measure in MEASURES)}
    if formula in safe_formulas:
        return f"\\({escape(formula)}\\)"
    return f"<code>{for_html(formula)}</code>"


def end_with_value(table: pd.DataFrame, value: float, label: str) -> None:
    """Make the last line of a working end in the value.

    A working is the table that explains a value, with a row for each term of a sum, or for each
    rank of a list. Usually its last cell is the value already. Otherwise, the function puts the
    value into the last column or into a new one. An empty working gets one line.

    Parameters
    ----------
    table : DataFrame
        The working, which the function changes.
    value : float
        The value that the working explains.
    label : str
        The name of the new column, if the function adds one.
    """
    if table.empty:
        table.loc[0] = np.nan
    last_cell: object = table.iloc[-1, -1]
    # The table and the evaluation may add up in different orders, so the last digit may differ.
    if isinstance(last_cell, (int, float)) and math.isclose(last_cell, value, rel_tol=1e-12):
        return
    # The measure is 0 / 0 here, and the convention states its value; or it is a mean over orders of
    # equal scores, or a function of the whole list, and has no term for each rank. So show the
    # value in every line.
    table[label] = value


def explain_value(system: SystemResult, system_name: Id, measure: Measure, user: Id) -> Explanation:
    """Return the working of one user's value under one system; see `Evaluation.explain`.

    ``system`` has the lists and stored values of the system, and ``measure`` is one of its
    measures. Raises an `InputError` if the measure is a set-level measure, if the user is not
    judged, if there are no lists, or if these no longer give the stored value.
    """
    advice = "It is of all users together; receval.working has tables of such measures"
    check_that(measure.per_user, "measure", "have a value for each user", measure.name, advice)
    check_that(user is not None, "user", "be a judged user", user)
    # This raises an error if the user is not judged, or if there are no lists.
    lists = system.lists_of(user)
    value = float(system.frame[measure.name].loc[cast("str | int", user)])
    measured = measure_user_again(lists, user, measure, value)

    # Show whole lists, including ranks below the cut-offs. The list of one user is one block.
    only_user = np.zeros(1, int)  # the position of the only user
    run = in_order_of_measure(measured.run, measure).with_full_lists(only_user)
    ((_, block),) = run.blocks()
    items = run.truth.items
    is_item = block.items[0] >= 0  # lists are padded with -1
    labels = np.array([items.take_one(code) for code in block.items[0][is_item]], dtype=object)

    # A working shows equal scores in one order, the order of the block. If the value in this order
    # differs from the stored value, the stored value is a mean over orders, and no working of one
    # order gives it. In this case, show only the list.
    value_in_order = float(measure.compute(block)[0])
    table = None
    if value == value_in_order or np.isnan(value_in_order):
        table = working_of(measure, block, labels)  # None if it isn't a sum of terms
    if table is None:
        table = _list_as_table(block, labels, measure.k)
    end_with_value(table, value, measure.spec.label or measure.key)

    context = run.context
    choices = _choices_in_words(measure, run)
    if not labels.size:
        choices = {"list": f"{shorten(user)} has no recommendations", **choices}
    return Explanation(
        user=user,
        measure=measure.name,
        title=measure.spec.title,
        formula=measure.spec.formula,
        source=describe_references(measure.spec.source),
        convention=context.convention.name,
        choices=choices,
        table=table,
        value=value,
        system=system_name,
        code=_code_of(measure, context),
    )


def working_of(measure: Measure, block: UserLists, labels: AnyArray) -> pd.DataFrame | None:
    """Return the table of the terms that add up to a user's value under a measure.

    ``block`` has the list of this user alone, and ``labels`` are the ids of the listed items.
    Returns None if the value is a custom function of whole lists, which is not a sum of terms.
    """
    lists = measure.binarized_lists(block)
    computation = measure.computation_under(block.run.context)
    if isinstance(computation, RankFormula):  # a sum over ranks
        return term_table(computation, lists, measure.k, labels, measure.spec.label or measure.key)
    if measure.is_custom:
        return None
    # The value comes from an array function, such as `intra_list_diversity`. The working has the
    # same name and takes the same arguments, of one list.
    table_of: Callable[..., pd.DataFrame] = getattr(
        working, computation.function.__name__.removesuffix("_terms")
    )
    arguments = {}
    for name, values in computation.arguments(lists, measure.k).items():
        arguments[name] = values
        if np.ndim(values) > 0:  # an array for several lists, of which there is one
            arguments[name] = np.asarray(values)[0]
    if "actual" in arguments:  # errors of ratings, which are of the rated items only
        is_rated = ~np.isnan(arguments["actual"])
        labels = labels[is_rated]
        arguments = {name: ratings[is_rated] for name, ratings in arguments.items()}
    # PC has an argument "items" of its own.
    return table_of(**{"items": labels, **arguments})


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
    new_value = float(of_user.frame[measure.name].iloc[0])
    # A user's function may round differently if it gets fewer lists at the same time.
    is_same = np.isclose(new_value, value, rtol=1e-6, atol=1e-9, equal_nan=True)
    rule = f"give user {shorten(user)} the value {value:g} of the evaluation"
    check_that(is_same, measure.name, rule, new_value, CHANGED)
    return of_user.lists


def _list_as_table(
    block: UserLists, labels: npt.NDArray[np.object_], k: int | None
) -> pd.DataFrame:
    """Return the list of a block's only user as a table, with ranks, scores and gains.

    The table ends at rank ``k``; if ``k`` is None, it has the whole list. If the user passed ranks,
    it has no scores.
    """
    # Rows of a block are padded to equal length. Cut the list after its last item.
    n_items = labels.size
    columns = {"rank": np.arange(n_items) + 1, "item": labels}
    if block.scores is not None:
        columns["score"] = block.scores[0, :n_items]
    columns["gain"] = block.grades[0, :n_items]
    return pd.DataFrame(columns).head(k or n_items)


def _choices_in_words(measure: Measure, run: JudgedRun) -> dict[str, str]:
    """Return the choices that a measure depends on: a dict from the name of each to its words.

    They are the choices of the convention, apart from two: the name of the measure can set the
    lowest relevant grade (``rel``), and there are no equal scores if the user passed ranks.
    """
    rules = run.context.convention.for_measures([measure.spec.name])
    words = rules.words()
    if "rel" in measure.parameters:
        words["relevant"] = f"a grade of {measure.parameters['rel']:g} or more"
    if run.rules.by_rank:
        words["ties"] = "none, ranks were given"
    return {choice: words[choice] for choice in stated_choices(measure)}


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
    if isinstance(formula.divisor, str) and above is not None:
        functions["divisor"] = RankFormula  # the sum of the ideal list, which is not a DCG
    elif formula.divisor == "ideal":
        functions["divisor"] = ideal_dcg
    elif formula.divisor == "perfect":
        functions["divisor"] = perfect_lists
    else:  # the divisors of AP and F1 call other functions, and say which
        functions |= getattr(formula.divisor, "functions", {"divisor": formula.divisor})
    return functions


def _name_of(function: object) -> str:
    """Return the name of a function with its module, so that you can import it."""
    # A user's function is in a wrapper, and a gain with parameters is a partial function.
    function = getattr(function, "function", function)
    function = getattr(function, "func", function)
    if isinstance(function, np.ufunc):  # such a function doesn't always know its module
        name: str = function.__name__
        if hasattr(np, name) and getattr(np, name) == function:
            return f"numpy.{name}"
        return name
    # An object that is called as a function has the name of its class.
    name = getattr(function, "__qualname__", type(function).__qualname__)
    # A function inside another one can't be imported, so name the outer one.
    return f"{function.__module__}.{name.partition('.<locals>')[0]}"


# Lists and terms of many users --------------------------------------------------------------------


def lists_of(systems: Mapping[Id, SystemResult], user: Id | None) -> pd.DataFrame:
    """Return the lists of some systems; see `Evaluation.lists`.

    ``systems`` has the wanted systems by name. If ``user`` is None, the frame has every judged
    user. If there are several systems, the first column has their names.
    """
    frames = {}
    for name, system in systems.items():
        measured = system.lists_of(user)
        if user is not None and system.lists is None:  # read from files, which may have changed
            for measure in measured.options.measures:
                if measure.per_user:
                    value = float(system.frame[measure.name].loc[cast("str | int", user)])
                    measure_user_again(measured, user, measure, value)
        run = _only_user(measured, user)
        # Whole lists, including ranks below the cut-offs.
        run = replace(run, rules=run.rules._replace(depth=math.inf))
        frames[name] = _sorted_by_user(
            _rows_of_block(block, positions, _properties_of_items(block))
            for positions, block in run.blocks()
        )
    return _stacked(frames)


def _properties_of_items(block: UserLists) -> dict[str, AnyArray]:
    """Return the columns of `Evaluation.lists` for a block, as matrices by rank."""
    run = block.run
    relevant_from = run.context.convention.relevant_from
    columns: dict[str, AnyArray] = {}
    if not run.rules.by_rank:
        columns["score"] = block.predicted
    # Grades that count as relevant in measures that ignore grades.
    grades = block.grades
    if relevant_from != 0:  # 0 means that there is no other threshold
        grades = block.binarized(relevant_from).grades
    columns["grade"] = block.ratings
    columns["relevant"] = grades > 0
    columns["judged"] = ~np.isnan(block.ratings)
    if run.context.seen is not None:
        columns["seen"] = run.context.seen(block.users, block.items)
    return columns


def terms_of(
    systems: Mapping[Id, SystemResult], measure: Measure, user: Id | None = None
) -> pd.DataFrame:
    """Return what each listed item adds to its user's value; see `Evaluation.terms`.

    Raises an `InputError` if the measure is not a sum over ranks, if there are no lists, or if the
    terms of a user don't add up to the stored value.
    """
    rule = "be a sum over the ranks of a list, such as nDCG, MAP, MRR, recall or RBP"
    check_that(is_sum_over_ranks(measure), "measure", rule, measure.name)
    frames = {}
    for name, system in systems.items():
        all_lists = _only_user(system.lists_of(user), user)
        run = in_order_of_measure(all_lists, measure)
        frames[name] = _sorted_by_user(
            _rows_of_block(
                block,
                positions,
                {"grade": block.ratings, "term": rank_contributions(measure, block)},
            )
            for positions, block in run.blocks()
        )
        values = system.frame[measure.name]
        if user is not None:
            values = values[values.index == user]
        # A convention can use one order for this measure, and means over all orders for others.
        takes_means = run is all_lists and run.context.convention.ties == "average"
        _check_sums(frames[name], values, takes_means=takes_means)
    return _stacked(frames)


def _check_sums(terms: pd.DataFrame, values: pd.Series[float], *, takes_means: bool) -> None:
    """Raise an `InputError` if the terms of a user don't add up to the stored value.

    This is so if values are means over several orders of equal scores, as ``takes_means`` says, or
    if files have changed.
    """
    sums = terms.groupby("user")["term"].sum().reindex(values.index, fill_value=0.0)
    is_other = ~np.isclose(sums, values, rtol=1e-9, atol=1e-12) & values.notna()
    if not is_other.any():
        return
    user = shorten(values.index[is_other][0])
    if takes_means:
        rule = "have values of one order of equal scores, to be divided by rank"
        got = f"{values.name} of user {user}, a mean over several orders"
        raise input_error("measure", rule, got, "Evaluate with another rule, such as ties='item'")
    rule = f"give user {user} the value {values[is_other].iloc[0]:g} of the evaluation"
    raise input_error(str(values.name), rule, sums[is_other].iloc[0], CHANGED)


def difference_of(
    a: Id, b: Id, systems: Mapping[Id, SystemResult], measure: Measure
) -> pd.DataFrame:
    """Return users' values under two systems, with gains and losses; see `Evaluation.diff`."""
    is_column = {a, b} & {"difference", "gains", "losses"}
    rule = "have other names than the columns 'difference', 'gains' and 'losses'"
    check_that(not is_column, "a and b", rule, (a, b), "Rename the system")
    terms = terms_of({a: systems[a], b: systems[b]}, measure)
    # What each item adds to the value of its user under `b`, minus what it adds under `a`.
    by_item = terms.pivot_table("term", ["user", "item"], "system", aggfunc="sum", fill_value=0)
    change = by_item[b] - by_item[a]
    value_a, value_b = (systems[name].frame[measure.name] for name in (a, b))
    columns = [
        value_a,
        value_b,
        value_b - value_a,
        change.clip(lower=0).groupby("user").sum(),
        change.clip(upper=0).groupby("user").sum(),
    ]
    names = [a, b, "difference", "gains", "losses"]
    table: pd.DataFrame = pd.concat(columns, axis=1, keys=names)
    return table.fillna({"gains": 0.0, "losses": 0.0})


def _only_user(lists: MeasuredLists, user: Id | None) -> JudgedRun:
    """Return the run of one judged user, or the whole run if ``user`` is None."""
    if user is None:
        return lists.run
    return replace(lists.run, judged=lists.run.judged[lists.users == user])


def _rows_of_block(
    block: UserLists, positions: IntArray, columns: Mapping[str, AnyArray]
) -> pd.DataFrame:
    """Return a row for each listed item of a block, indexed by the position of its user.

    ``columns`` are matrices with a line for each list, and a column for each of the first ranks.
    The rows go to the last rank that all matrices have.
    """
    width = min(values.shape[1] for values in columns.values())
    line, column = np.nonzero(block.items[:, :width] >= 0)  # lists are padded with -1
    positions_of_rows = positions[line]
    run = block.run
    rows = {
        "user": run.truth.users.take(run.judged[positions_of_rows]),
        "rank": column + 1,
        "item": run.truth.items.take(block.items[line, column]),
        **{name: values[line, column] for name, values in columns.items()},
    }
    return pd.DataFrame(rows, index=positions_of_rows)


def _sorted_by_user(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Return the rows of all blocks in the order of the users, each user's best rank first."""
    # A block may hold users with lists of similar length only.
    return pd.concat(parts).sort_index(kind="stable").reset_index(drop=True)


def _stacked(frame_by_system: Mapping[Id, pd.DataFrame]) -> pd.DataFrame:
    """Return the frames of several systems as one, whose first column names the system.

    The frame of a single system is returned as it is.
    """
    first, *others = frame_by_system.values()
    if not others:
        return first
    stacked = pd.concat(frame_by_system, names=["system", None])
    return stacked.reset_index("system").reset_index(drop=True)
