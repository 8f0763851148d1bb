"""Measures: a spec with parameters and a cut-off, whose value is computed under a convention.

The spec of a custom measure is made from the functions that the user passes to `Measure`. All other
measures have names such as "nDCG@10" or "RBP(p=0.9)@10", which `measures` lists.
"""

from __future__ import annotations

import math
import pkgutil
import re
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from types import SimpleNamespace
from typing import Any, SupportsIndex, TypeAlias

import numpy as np
import pandas as pd

from receval._arrays import as_answer
from receval._checks import (
    FloatArray,
    InputError,
    Options,
    UserFunction,
    check_callable,
    check_choice,
    check_count,
    check_flag,
    check_none,
    check_number,
    check_that,
    input_error,
    shorten,
)
from receval._escape import for_terminal
from receval._files import describe_references
from receval.definitions.convention import FIELDS, ParsedName, format_name, parse_name
from receval.definitions.lists import EvaluationContext, UserLists
from receval.metrics import beyond_accuracy, prediction, ranking
from receval.metrics.discounts import binary_gain
from receval.metrics.formula import (
    PREFIX_FACTORS,
    RankedLists,
    RankFormula,
    Terms,
    is_relevant,
)
from receval.metrics.spec import MeasureSpec, PerListFunction, SetLevel

FORMULAS: dict[type[RankFormula | PerListFunction], str] = {
    RankFormula: r"\frac{1}{D_u} \sum_{i \le k} \mathrm{gain}(g_{ui})\, \mathrm{weight}(i)\, "
    r"\mathrm{above}_{ui}",
    PerListFunction: r"f(R_u@k)",
}
"""LaTeX formulas to show for custom measures, because Python functions do not state a formula."""

TABLE_COLUMNS = {
    "user",
    "system",
    "rank",
    "item",
    "score",
    "grade",
    "gain",
    "weight",
    *(factor.name for factor in PREFIX_FACTORS.values()),
    "term",
    "running sum",
    "ideal term",
    "ideal sum",
}
"""Columns that tables of values and workings can have, apart from those of the measures."""


class Measure:
    r"""A custom measure, to pass to `receval.evaluate` together with names such as "nDCG@10".

    Parameters
    ----------
    name : str
        The name in results; without "@".
    terms : Terms, optional
        The terms that each rank adds. receval derives from them the value, every cut-off, the
        working, and the values over all orders of equal scores.
    divisor : {"ideal"}, optional
        The divisor of the sum of the terms: the same sum over the best list; if it is 0, the
        value is undefined. Default: the value is the sum itself.
    per_list : callable, optional
        Instead of ``terms``, for a measure that is not a sum: a function of lists and cut-off that
        returns one value per list.
    source : str
        The source of the measure, as tables and methods cite it.
    higher_is_better : bool, default True
        Whether a higher value is better.

    Attributes
    ----------
    key, name : str
        The name without and with the cut-off: "nDCG", "nDCG@10".
    k : int or None
        The cut-off; ``at(10)`` returns the same measure with another one.

    Raises
    ------
    InputError
        If not exactly one of ``terms`` and ``per_list`` is given, a function is not callable, the
        name or source is not text, or the name is that of a column of receval's tables, such as
        "gain".

    Notes
    -----
    ``lists`` has ``grades`` by rank with a NaN tail, of shape (lists, ranks), and for each list
    ``n_relevant``, ``relevance`` (the grades of the relevant items, best first), ``scores`` by rank
    and its ``length``. These are copies, so a function may write into them.

    For ``terms``, receval knows the exact mean over all orders of equal scores. It knows the lowest
    and the highest value over these orders if the weights are at least 0 and never rise, and the
    gain never falls; otherwise it shows neither of them. For ``per_list`` it knows none of them. So
    the table of ties leaves out the measure, and ``ties="average"`` refuses it if there are equal
    scores. A user without a relevant item or an answer gets the value that the convention sets. Any
    other NaN, or a divisor of 0, makes a value undefined, and the means leave it out.

    Examples
    --------
    >>> import pandas as pd
    >>> from receval import Measure, Terms, evaluate
    >>> early = Measure("early", terms=Terms(lambda g: g > 0, lambda i: 0.5**i), source="this page")
    >>> deep = Measure(
    ...     "deepest hit",
    ...     per_list=lambda lists, k: (
    ...         (lists.grades[:, :k] > 0) * range(1, lists.grades[:, :k].shape[1] + 1)
    ...     ).max(axis=1, initial=0),
    ...     source="this page",
    ... )
    >>> recs = pd.DataFrame({"user": 1, "item": ["a", "b", "c"], "score": [3, 2, 1]})
    >>> truth = pd.DataFrame({"user": 1, "item": ["a", "c"], "relevance": 1})
    >>> evaluate(recs, truth, ["Precision@2", early.at(2), deep]).table(digits=3)
           Precision@2 early@2 deepest hit
    system
                 0.500   0.500       3.000
    users: 1 judged, 1 answered, 0 without truth, 0 ignored
    """

    def __init__(
        self,
        name: str,
        *,
        terms: Terms | None = None,
        divisor: str | None = None,
        per_list: UserFunction | None = None,
        source: str,
        higher_is_better: bool = True,
    ) -> None:
        for argument, text in (("name", name), ("source", source)):
            check_that(isinstance(text, str) and bool(text.strip()), argument, "be text", text)
        check_that("@" not in name, "name", "have no '@'", name, "Cut it with at(10)")
        rule = "not be the name of a column of receval's tables"
        check_that(name.strip() not in TABLE_COLUMNS, "name", rule, name)
        check_flag(higher_is_better, "higher_is_better")
        computation = _computation_of(name, terms, divisor, per_list)
        spec = MeasureSpec(
            name=name.strip(),
            title=name.strip(),
            formula=FORMULAS[type(computation)],
            source=source,
            computation=computation,
            depends_on=("relevant", "ties", "missing", "no relevant item"),
            higher_is_better=higher_is_better,
        )
        self._set_up(spec, {}, is_custom=True)

    @classmethod
    def from_spec(cls, spec: MeasureSpec, parameters: Options | None = None) -> Measure:
        """Make one of receval's own measures, with the parameters in its name but no cut-off."""
        measure = cls.__new__(cls)
        measure._set_up(spec, parameters or {}, is_custom=False)
        return measure

    def _set_up(self, spec: MeasureSpec, parameters: Options, *, is_custom: bool) -> None:
        """Set all attributes; afterwards the measure cannot be changed.

        ``spec`` states what the measure computes, and ``parameters`` are those in its name. The
        measure has no cut-off yet. ``is_custom`` says whether a user made it.
        """
        self.spec = spec
        self.is_custom = is_custom
        self._parameters = parameters
        self.k: int | None = None
        self.key = format_name(spec.name, parameters)  # the name without a cut-off
        self.name = self.key

        # A set-level measure has one value for all users together. Some of these measures also
        # have a value for each single user, which is computed differently.
        computation = spec.computation
        self.of_all: SetLevel | None = computation if isinstance(computation, SetLevel) else None
        self.per_user: bool = self.of_all is None or self.of_all.per_list is not None

        # The choices of a convention that the measure depends on, by their names in words, such as
        # "precision divides by".
        self.choices: tuple[str, ...] = spec.depends_on
        if not isinstance(computation, (PerListFunction, SetLevel)):
            # A formula depends on the choices that set its options, and every formula on four
            # others. `spec.choices` maps an option, such as "denominator", to a field of
            # `Convention`, such as "precision". `FIELDS` maps a choice, such as "precision divides
            # by", to its fields.
            option_fields = set(spec.choices.values())
            option_choices = [name for name, names in FIELDS.items() if option_fields & set(names)]
            self.choices = ("relevant", *option_choices, "ties", "missing", "no relevant item")
        # Whether the value depends on which items are relevant; that of a custom measure may.
        self.uses_relevance: bool = (
            is_custom or "relevant" in self.choices or "no relevant item" in self.choices
        )
        # If the rule for missing answers is among them, the convention states the value of users
        # without an answer or a relevant item. Otherwise their value is NaN.
        self.by_convention: bool = "missing" in self.choices
        # The number of ranks that the measure looks at; `at` lowers it to the cut-off.
        self.depth: float = math.inf
        # Options that receval reads from the whole truth, such as the largest grade, unless the
        # name of the measure states them.
        self.truth_options: tuple[str, ...] = tuple(
            sorted(set(spec.truth_options) - set(parameters))
        )
        # Whether receval knows the mean value over all orders of equal scores. Measures that don't
        # depend on the rule for missing answers aren't about the order of relevant items.
        self.has_mean_over_ties: bool = self.by_convention and (
            not isinstance(computation, PerListFunction) or computation.bounds is not None
        )
        self._is_complete = True  # from now on `__setattr__` refuses changes

    def __setattr__(self, name: str, value: object) -> None:
        """Refuse changes once the measure is complete, because results share it."""
        if vars(self).get("_is_complete"):
            raise AttributeError(f"a measure can't be changed ({name!r}); make another one")
        super().__setattr__(name, value)

    def at(self, k: int) -> Measure:
        """Return the same measure with the cut-off k, and a name such as "nDCG@10".

        If the measure already has a cut-off, ``k`` replaces it. Raises `InputError` if ``k`` is not
        a positive integer, or if the measure always looks at whole lists.
        """
        if not self.spec.takes_cutoff:
            raise input_error(self.key, "be without a cut-off", shorten(k))
        cutoff = check_count(k, f"the cut-off of {self.key}")
        depth: float = cutoff  # the number of ranks to which lists may be cut
        # A user's function of lists may look at ranks beyond the cut-off, so the lists must not be
        # cut there. Sums of terms never do.
        if self.is_custom and isinstance(self.spec.computation, PerListFunction):
            depth = math.inf
        # A complete measure refuses changes, so the copy gets its attributes directly.
        measure = Measure.__new__(Measure)
        vars(measure).update(vars(self), k=cutoff, depth=depth, name=f"{self.key}@{cutoff}")
        return measure

    def __reduce_ex__(self, protocol: SupportsIndex) -> str | tuple[Any, ...]:
        """Tell pickle how to store the measure: one of receval's own is stored as its name.

        Then the result holds the function that makes the measure again, and its arguments.
        """
        if self.is_custom:
            return super().__reduce_ex__(protocol)
        return measure, (self.name,)

    def __repr__(self) -> str:
        return f"<measure {for_terminal(self.name)}>"

    @property
    def parameters(self) -> Options:
        """Return the parameters in the name, such as ``{"p": 0.5}``.

        This is a copy, because results share measures.
        """
        return dict(self._parameters)

    @property
    def mean_formula(self) -> str:
        """Return the formula of the value in a summary: for most measures the mean over users."""
        if self.of_all is not None:
            return self.spec.formula
        return rf"\frac{{1}}{{|U|}} \sum_u {self.spec.formula}"

    def computation_under(self, context: EvaluationContext) -> RankFormula | PerListFunction:
        """Return the computation of one list's value, with all its options.

        The options come from the name of the measure, from the convention, and from the truth.
        Raises `InputError` if an option is a property of the whole truth, but the truth is not read
        as a whole.
        """
        computation = self.spec.computation
        if isinstance(computation, SetLevel):
            assert computation.per_list is not None  # otherwise no list has a value
            return computation.per_list
        if isinstance(computation, (RankFormula, PerListFunction)):
            return computation
        # Any other computation is a function of the options, which returns the formula.
        options = dict(self._parameters)
        options.pop("rel", None)  # a threshold, not an option of the formula: see `binarized_lists`
        for option, field in self.spec.choices.items():
            options[option] = getattr(context.convention, field)
        # Such as "max_grade", the largest grade of the whole truth.
        for name in self.truth_options:
            options[name] = getattr(context, name)
            if options[name] is None:
                rule = f"give {name} of {self.key}, as in '{self.key}({name}=4)'"
                raise input_error("measures", rule, "a truth that is not read as a whole")
        return computation(**options)

    def binarized_lists(self, lists: UserLists) -> UserLists:
        """Return the lists with grades 0 and 1 if the measure has a threshold, else unchanged.

        The threshold is the parameter "rel". Measures that only ask whether an item is relevant
        take it from the convention.
        """
        context = lists.run.context
        threshold = self._parameters.get("rel")
        relevant_from = context.convention.relevant_from  # 0 means that there is no threshold
        if threshold is None and relevant_from != 0 and self.is_binary(context):
            threshold = relevant_from
        if threshold is None:
            return lists
        return lists.binarized(threshold)

    def is_binary(self, context: EvaluationContext) -> bool:
        """Return whether the measure only asks if an item is relevant, and not how relevant it is.

        A custom measure decides itself what a grade means, so it never counts as binary.
        """
        if self.is_custom or "relevant" not in self.choices:
            return False
        computation = self.computation_under(context)
        if isinstance(computation, RankFormula):
            return computation.terms.gain in (is_relevant, binary_gain)
        # A function of whole lists depends on "relevant" only because it counts relevant items.
        return True

    def compute(self, lists: UserLists) -> FloatArray:
        """Return one value per list, under the convention of the lists.

        An empty list has no gains, so the formula gives 0, unless the convention leaves its user
        out. Lists of users without a relevant item get 0, or NaN if the convention leaves them out.
        """
        lists = self.binarized_lists(lists)
        computation = self.computation_under(lists.run.context)
        return self.under_convention(computation(lists, self.k), lists)

    def under_convention(self, value: FloatArray, lists: UserLists) -> FloatArray:
        """Return values of lists, changed as their convention says.

        ``value`` is NaN where the measure is undefined, because there is no relevant item or, for
        some measures, no answer. It becomes 0. Users whom the convention leaves out get NaN.
        ``lists`` are those of `binarized_lists`.
        """
        value = np.array(value, dtype=np.float64)  # a copy, which is changed in place
        if not self.by_convention:
            return value
        # Only a custom measure may be undefined for another reason. Then its value stays NaN.
        counts_zero = np.isnan(value)
        if self.is_custom:
            counts_zero &= (lists.n_relevant == 0) | (lists.length == 0)
        np.copyto(value, 0.0, where=counts_zero)
        convention = lists.run.context.convention
        if convention.no_truth == "skip":
            np.copyto(value, np.nan, where=lists.n_relevant == 0)
        if convention.missing_rule(self.spec.name) == "skip":
            np.copyto(value, np.nan, where=lists.length == 0)
        return value


# Custom measures ----------------------------------------------------------------------------------


def _computation_of(
    name: str, terms: object, divisor: str | None, per_list: UserFunction | None
) -> RankFormula | PerListFunction:
    """Return the computation of a custom measure; the arguments are those of `Measure`.

    Raises `InputError` if an argument is wrong, or if not exactly one of ``terms`` and ``per_list``
    is given.
    """
    if (terms is None) == (per_list is None):
        got = "neither" if terms is None else "both"
        raise InputError(f"{name} must have either terms or per_list; got {got}")
    if per_list is not None:
        if divisor is not None:
            raise InputError(f"divisor of {name} must go with terms; got per_list")
        check_callable(per_list, f"per_list of {name}", "lambda lists, k: lists.n_relevant")
        function = CheckedFunction(per_list, f"per_list of {name}")
        return PerListFunction(function, _lists_and_cutoff)
    if not isinstance(terms, Terms):
        raise input_error(f"terms of {name}", "be receval.Terms", shorten(terms))
    gain, weight, above = terms  # `Terms` checks what these functions return
    check_callable(gain, f"gain of {name}", "linear_gain")
    if weight is not None:
        check_callable(weight, f"weight of {name}", "lambda i: 1 / i")
    if above is not None:
        check_choice(above, f"above of {name}", PREFIX_FACTORS)
    if divisor is not None:
        check_choice(divisor, f"divisor of {name}", ["ideal"])
    return RankFormula(terms, divisor)


def _lists_and_cutoff(lists: RankedLists, k: int | None) -> Options:
    """Return the arguments of a `CheckedFunction` by keyword."""
    return {"lists": lists, "k": k}


@dataclass(frozen=True)
class CheckedFunction:
    """A user's function of lists and cut-off, which must return one number per list.

    The number is NaN where the value of a list is undefined.

    Attributes
    ----------
    function : the user's function.
    name : its name in messages.
    """

    function: UserFunction
    name: str

    def __call__(self, lists: UserLists, k: int | None) -> FloatArray:
        """Call the user's function, check the numbers that it returns, and return them."""
        values = self._call(lists, k, slice(None), None)
        has_nan_tail = (lists.length > 0) & (lists.length < lists.grades.shape[-1])
        # Many measures are undefined for users without relevant items, so look at the others.
        is_suspect = np.isnan(values) & has_nan_tail & (lists.n_relevant > 0)
        if is_suspect.any():
            self._check_without_tail(lists, k, int(np.argmax(is_suspect)))
        return values

    def _check_without_tail(self, lists: UserLists, k: int | None, line: int) -> None:
        """Raise if a list whose number is NaN has a number without the NaN after its end.

        NaN is the value of a list for which the measure is undefined. But it is a mistake if the
        function adds up the NaN after the end of a list.
        """
        try:
            [value] = self._call(lists, k, slice(line, line + 1), lists.length[line])
        except (IndexError, ValueError):  # it needs more ranks, such as grades[:, 2] does
            return
        if not np.isnan(value):
            user = lists.run.truth.users.take_one(lists.users[line])
            raise input_error(
                self.name,
                "return the same number for a list alone and beside longer lists",
                f"{value:g} and nan for user {shorten(user)}",
                "grades and scores are NaN after the end of a list: leave these out, as "
                "np.nansum does",
            )

    def _call(self, lists: UserLists, k: int | None, lines: slice, width: int | None) -> FloatArray:
        """Return the user's numbers for some lines of the lists, cut at a number of ranks."""
        arrays = SimpleNamespace(
            grades=lists.grades[lines, :width],
            n_relevant=lists.n_relevant[lines],
            relevance=lists.relevance[lines],
            scores=None if lists.scores is None else lists.scores[lines, :width],
            length=lists.length[lines],
        )
        # All measures share the arrays, so the function gets copies, which it may change. Users
        # choose the names of their parameters, so the arguments have none here.
        answer = self.function(deepcopy(arrays), k)
        values = as_answer(answer, arrays.n_relevant.shape, self.name)
        check_none(values, np.isinf(values), self.name, "return finite numbers")
        return values


# Measures by name ---------------------------------------------------------------------------------

TREC_EVAL_NAME = re.compile(r"^\s*([^@()\s]+?)(?:_cut)?_([0-9]+)\s*$")  # ndcg_cut_10, P_5

Names: TypeAlias = str | Measure | Iterable[str | Measure]
"""One or several names or measures, as users pass them."""


def _find_specs() -> Iterator[MeasureSpec]:
    """Yield the specs that are variables of the modules of metrics.

    If several modules import a spec, it is yielded several times.
    """
    modules = [info.name for info in pkgutil.iter_modules(ranking.__path__, f"{ranking.__name__}.")]
    for name in (*modules, prediction.__name__, beyond_accuracy.__name__):
        for value in vars(import_module(name)).values():
            if isinstance(value, MeasureSpec):
                yield value


STATED = tuple(dict.fromkeys(_find_specs()))
"""The specs of all measures, each once."""

MEASURES = tuple(Measure.from_spec(spec) for spec in STATED)
"""All measures, without parameters and cut-off."""

BY_NAME = {
    name.lower(): listed_measure
    for listed_measure in MEASURES
    for name in (listed_measure.key, *listed_measure.spec.aliases)
}
"""The measures by their names and aliases in lower case."""


def measures() -> pd.DataFrame:
    """Return all measures: name, title, what each needs, and where it comes from.

    Returns
    -------
    DataFrame
        Indexed by name.

    Examples
    --------
    >>> measures().loc["LTP", "needs"]
    'awards'
    """
    rows = [
        {
            "measure": measure.key,
            "title": measure.spec.title,
            "level": "each user" if measure.of_all is None else "all users together",
            "needs": ", ".join(measure.spec.needs),
            "source": describe_references(measure.spec.source),
            "formula": measure.mean_formula,
        }
        for measure in MEASURES
    ]
    return pd.DataFrame(rows).set_index("measure")


def measure(name: str | Measure) -> Measure:
    """Return the measure with a name such as "nDCG@10".

    Parameters
    ----------
    name : str or Measure
        A name from `measures`, in upper or lower case, with optional parameters in parentheses and
        an optional cut-off after "@"; or a name in trec_eval's spelling, such as "ndcg_cut_10". A
        measure is returned unchanged. With ``rel=2`` a grade of 2 or more is relevant, as in
        ir_measures, and all such grades count the same: "nDCG(rel=2)@5".

    Returns
    -------
    Measure

    Raises
    ------
    InputError
        If the name is unknown (the message lists similar ones), its cut-off is not a positive
        integer, or the measure takes no cut-off or no such parameter.

    Examples
    --------
    >>> measure("ndcg@10").name, measure("P@5").name, measure("rbp(p=0.90)@10").name
    ('nDCG@10', 'Precision@5', 'RBP(p=0.9)@10')
    """
    if isinstance(name, Measure):
        return name
    text = name
    if isinstance(name, str):
        text = TREC_EVAL_NAME.sub(r"\1@\2", name)  # "ndcg_cut_10" becomes "ndcg@10"
    parts = parse_name(text)
    if parts is None or parts.name.lower() not in BY_NAME:
        raise _unknown_name_error(name, parts)
    result = BY_NAME[parts.name.lower()]
    spec = result.spec
    if parts.cut is not None and not spec.takes_cutoff:
        raise input_error("measures", f"name {spec.name} without a cut-off", shorten(name))
    if parts.parameters:
        _check_parameters(result, parts.parameters, name)
        result = Measure.from_spec(spec, parts.parameters)
    if parts.cut is not None:
        result = result.at(check_count(parts.cut, f"the cut-off of {name!r}"))
    return result


def _unknown_name_error(name: object, parts: ParsedName | None) -> InputError:
    """Return the error for an unknown measure; it lists similar names, or all if there are none.

    ``name`` is what the user passed, and ``parts`` its parts; None if it doesn't look like a name.
    """
    advice = f"Known names: {', '.join(measure.key for measure in MEASURES)}"
    if parts is not None:
        # Several similar names can be aliases of one measure.
        similar = [BY_NAME[name].key for name in get_close_matches(parts.name.lower(), BY_NAME)]
        if similar:
            advice = f"Similar names: {', '.join(dict.fromkeys(similar))}"
    return input_error("measures", "be known names such as 'nDCG@10'", shorten(name), advice)


def _check_parameters(measure: Measure, parameters: Options, name: str) -> None:
    """Check that a measure takes the parameters in its name, and that their values are valid.

    ``parameters`` holds them by name, and ``name`` is the whole text, such as "RBP(p=0.9)@10".
    """
    spec = measure.spec
    options = spec.options
    if measure.by_convention:  # such a measure depends on which grades are relevant
        options = (*options, "rel")  # the lowest relevant grade
    if not parameters.keys() <= set(options):
        rule = f"give parameters that {spec.name} takes ({', '.join(options) or 'none'})"
        raise input_error("measures", rule, repr(name))
    formula_options = dict(parameters)
    if "rel" in parameters:
        grade = formula_options.pop("rel")
        check_number(grade, "rel", "a grade above 0", lambda grade: grade > 0)
    if formula_options:
        # Build the formula only to check the options: this raises an error for a wrong value. The
        # options that come from the truth, such as the largest grade, aren't known yet.
        assert callable(spec.computation)
        spec.computation(**{**dict.fromkeys(spec.truth_options, 1.0), **formula_options})


def parse(names: Names, own_measures: Iterable[Measure] = ()) -> tuple[Measure, ...]:
    """Return the measures of one or several names, each once.

    You can pass measures instead of names, and the names of your ``own_measures``. Raises
    `InputError` for unknown names, and for different measures that share a name.
    """
    if isinstance(names, (str, Measure)):
        names = [names]
    try:
        listed_names = list(names)
    except TypeError:  # None, a number, an array without axes
        rule = "be names such as 'nDCG@10', one or several"
        raise input_error("measures", rule, shorten(names)) from None
    if not listed_names:
        raise InputError("measures must name at least one measure, such as 'nDCG@10'; got none")
    own_by_name = {measure.name: measure for measure in own_measures}
    measure_by_name: dict[str, Measure] = {}
    for name in listed_names:
        new = own_by_name.get(str(name).strip()) or measure(name)
        has_name_of_receval = new.is_custom and new.key.lower() in BY_NAME
        earlier = measure_by_name.get(new.name, new)
        # A name contains the parameters and the cut-off, so the measures differ if their specs do.
        if has_name_of_receval or earlier.spec is not new.spec:
            got = f"another {new.name!r}"
            raise input_error("measures", "have names of their own", got, "Rename it")
        measure_by_name[new.name] = new
    return tuple(measure_by_name.values())
