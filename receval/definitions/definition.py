"""Measures: a spec with parameters and a cut-off, whose value is computed under a convention."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np

from receval._checks import (
    AnyArray,
    FloatArray,
    Options,
    UserFunction,
    check_count,
    input_error,
    shorten,
)
from receval._escape import for_terminal
from receval.definitions.context import EvaluationContext, ListsWithItems
from receval.definitions.convention import FIELDS, Convention
from receval.definitions.custom import depends_on_order, spec_of_custom_measure
from receval.definitions.lists import UserLists
from receval.metrics.discounts import binary_gain
from receval.metrics.formula import Divisor, RankedLists, RankFormula, Terms, is_relevant
from receval.metrics.spec import MeasureSpec, PerListFunction, SetLevel

__all__ = ["Measure"]


class Measure:
    r"""A custom measure, to pass to `receval.evaluate` together with names such as "nDCG@10".

    Parameters
    ----------
    name : str
        The name in results; without "@".
    terms : Terms, optional
        The terms that each rank adds. receval derives from them the value, every cut-off, the
        working, and the values over all orders of equal scores.
    divisor : callable or "ideal", optional
        The divisor of the sum of the terms: a function of lists and cut-off that returns one
        number per list, where 0 leaves the value undefined; or ``"ideal"``, the same sum of the
        best list.
    per_list : callable, optional
        Instead of ``terms``, for a measure that is not a sum: a function of lists and cut-off that
        returns one value per list.
    source : str
        The source of the measure, as tables and methods cite it.
    higher_is_better : bool, default True
        Whether a higher value is better.
    needs : sequence of str
        Data about the items that ``per_list`` needs: "catalogue", "awards", "novelty_date",
        "features", "history". It finds them in ``lists.n_items`` and, by rank, in
        ``lists.in_tail(k)``, ``lists.ages(k)``, ``lists.features(k)`` and ``lists.seen(k)``.

    Attributes
    ----------
    key, name : str
        The name without and with the cut-off: "nDCG", "nDCG@10".
    k : int or None
        The cut-off; ``at(10)`` returns the same measure with another one.

    Raises
    ------
    InputError
        If not exactly one of ``terms`` and ``per_list`` is given, a function is not callable, or
        the name or source is not text.

    Notes
    -----
    ``lists`` has ``grades`` by rank with a NaN tail, of shape (lists, ranks), and for each list
    ``n_relevant``, ``relevance`` (the grades of the relevant items, best first), ``scores`` by rank
    and its ``length``.

    The mean over the orders of equal scores is exact for ``terms`` whose divisor does not depend on
    the order. For any other measure it is the mean over randomly drawn orders. receval knows the
    lowest and the highest value over all orders if the weights never rise and the gain never falls;
    otherwise it shows neither of them. A user without a relevant item or an answer gets the value
    that the convention sets, unless the measure ``needs`` something. Any other NaN, or a divisor of
    0, makes a value undefined, and the means leave it out.

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
        divisor: Divisor | str | None = None,
        per_list: UserFunction | None = None,
        source: str,
        higher_is_better: bool = True,
        needs: Iterable[str] = (),
    ) -> None:
        spec = spec_of_custom_measure(
            name,
            terms=terms,
            divisor=divisor,
            per_list=per_list,
            source=source,
            higher_is_better=higher_is_better,
            needs=tuple(needs),
        )
        self._set_up(spec, key=spec.name, parameters={}, is_custom=True)

    @classmethod
    def from_spec(cls, spec: MeasureSpec, key: str, parameters: Mapping[str, object]) -> Measure:
        """Make one of receval's own measures from its spec, without a cut-off.

        ``key`` is the name with the ``parameters``, such as "RBP(p=0.9)".
        """
        measure = cls.__new__(cls)
        measure._set_up(spec, key, parameters, is_custom=False)
        return measure

    def _set_up(
        self, spec: MeasureSpec, key: str, parameters: Mapping[str, object], *, is_custom: bool
    ) -> None:
        """Set all attributes; afterwards the measure cannot be changed.

        ``spec`` states what the measure computes. ``key`` is its name with the ``parameters``, but
        without a cut-off, such as "RBP(p=0.9)". ``is_custom`` says whether a user made it.
        """
        self.spec = spec
        self.is_custom = is_custom
        self._parameters: Options = dict(parameters)
        self.k: int | None = None
        self.key = key
        self.name = key
        self.title: str = spec.title
        self.formula: str = spec.formula
        self.source: str = spec.source
        self.needs: tuple[str, ...] = spec.needs
        self.higher_is_better: bool = spec.higher_is_better

        # A set-level measure has one value for all users together. Some of these measures also
        # have a value for each single user, which is computed differently.
        computation = spec.computation
        self.of_all: SetLevel | None = computation if isinstance(computation, SetLevel) else None
        self.per_user: bool = self.of_all is None or self.of_all.per_list is not None

        # `choices` names the rules of a convention that the measure depends on. If the rule for
        # missing answers is among them, the convention states the value of users without an answer
        # or a relevant item. Otherwise their value is NaN.
        self.by_convention: bool = "missing" in self.choices
        # The number of ranks that the measure looks at; `at` lowers it to the cut-off.
        self.depth: float = math.inf
        # Options that receval reads from the whole truth, such as the largest grade, unless the
        # name of the measure states them.
        self.truth_options: tuple[str, ...] = tuple(
            sorted(set(spec.truth_options) - set(parameters))
        )
        self.tie_rule = self._find_tie_rule()
        self._is_complete = True  # from now on `__setattr__` refuses changes

    def _find_tie_rule(self) -> Literal["drawn", "exact"] | None:
        """Decide how receval takes the mean of a value over all orders of equal scores.

        Return "exact" if the computation gives this mean, and "drawn" if receval has to draw
        random orders and average over them. Return None for measures that are not about the order
        of relevant items.
        """
        # If a user has no relevant item, the convention sets the value of a measure of relevant
        # items. Any other measure does not depend on the order of relevant items.
        if not self.by_convention:
            return None
        computation = self.spec.computation
        if isinstance(computation, PerListFunction):
            # The function that gives the lowest and the highest value also gives the mean.
            if computation.bounds is None:
                return "drawn"
            return "exact"
        # The functions of a user may depend on the order in a way that receval does not know.
        if (
            self.is_custom
            and isinstance(computation, RankFormula)
            and depends_on_order(computation)
        ):
            return "drawn"
        return "exact"

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
        # The functions of a custom measure may look at ranks beyond the cut-off, so the lists must
        # not be cut there. Sums of terms never do.
        computation = self.spec.computation
        looks_only_at_terms = (
            isinstance(computation, RankFormula) and computation.depends_only_on_terms
        )
        depth: float = cutoff  # the number of ranks to which lists may be cut
        if self.is_custom and not looks_only_at_terms:
            depth = math.inf
        # A complete measure refuses changes, so the copy gets its attributes directly.
        measure = Measure.__new__(Measure)
        vars(measure).update(vars(self), k=cutoff, depth=depth, name=f"{self.key}@{cutoff}")
        return measure

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
            return self.formula
        return rf"\frac{{1}}{{|U|}} \sum_u {self.formula}"

    @property
    def choices(self) -> tuple[str, ...]:
        """Return the choices of a convention that the measure depends on.

        They have the names that the convention uses in words, such as "precision divides by".
        """
        if isinstance(self.spec.computation, (PerListFunction, SetLevel)):
            return self.spec.depends_on
        # A formula depends on the choices that set its options, and every formula on four others.
        # `spec.choices` maps an option, such as "denominator", to a field of `Convention`, such as
        # "precision". `FIELDS` maps a choice, such as "precision divides by", to its fields.
        option_fields = set(self.spec.choices.values())
        option_choices = [
            choice for choice, fields in FIELDS.items() if option_fields & set(fields)
        ]
        return ("relevant", *option_choices, "ties", "missing", "no relevant item")

    @property
    def uses_relevance(self) -> bool:
        """Return whether the value depends on which items are relevant; a custom measure's may."""
        choices = {"relevant", "no relevant item"}
        return self.is_custom or not choices.isdisjoint(self.choices)

    def computation_under(self, context: EvaluationContext) -> RankFormula | PerListFunction:
        """Return the computation of one list's value, with all its options.

        The options come from the name of the measure, from the convention, and from the truth.
        Raises `InputError` if an option is a property of the whole truth, but the truth is not read
        as a whole.
        """
        computation = self.spec.computation
        if isinstance(computation, RankFormula):
            return computation
        options = self.parameters  # a copy
        options.pop("rel", None)  # a threshold, not an option of the formula: see `binarized_lists`
        if isinstance(computation, SetLevel):
            assert computation.per_list is not None  # otherwise no list has a value
            return computation.per_list
        for option, field in self.spec.choices.items():
            options[option] = getattr(context.convention, field)
        # Such as "max_grade", the largest grade of the whole truth.
        for name in self.truth_options:
            options[name] = getattr(context, name)
            if options[name] is None:
                rule = f"give {name} of {self.key}, as in '{self.key}({name}=4)'"
                raise input_error("measures", rule, "a truth that is not read as a whole")
        if isinstance(computation, PerListFunction):
            return computation.with_options(options)
        # Any other computation is a function of the options, which returns the formula.
        return computation(**options)

    def binarized_lists(self, lists: RankedLists, context: EvaluationContext) -> RankedLists:
        """Return the lists with grades 0 and 1 if the measure has a threshold, else unchanged.

        The threshold is the parameter "rel". Measures that only ask whether an item is relevant
        take it from the convention.
        """
        threshold = self.parameters.get("rel")
        relevant_from = context.convention.relevant_from  # 0 means that there is no threshold
        if threshold is None and relevant_from != 0 and self.is_binary(context):
            threshold = relevant_from
        if threshold is None:
            return lists
        assert isinstance(lists, UserLists)
        return lists.binarized(threshold)

    def is_binary(self, context: EvaluationContext) -> bool:
        """Return whether the measure only asks if an item is relevant, and not how relevant it is.

        A custom measure decides itself what a grade means, so it never counts as binary.
        """
        if self.is_custom or "relevant" not in self.choices:
            return False
        computation = self.computation_under(context)
        if not isinstance(computation, RankFormula):  # a function of whole lists
            # Such a measure depends on "relevant" only because it counts relevant items.
            return True
        return computation.terms.gain in (is_relevant, binary_gain)

    def compute(self, lists: RankedLists, context: EvaluationContext) -> FloatArray:
        """Return one value per list.

        Lists without an answer or without a relevant item get the value that the convention sets.
        """
        lists = self.binarized_lists(lists, context)
        computation = self.computation_under(context)
        if self.needs or isinstance(computation, PerListFunction):
            # These may ask for data about items and users, such as the age of an item. The wrapper
            # has all attributes of the lists, so every computation accepts it.
            lists_with_items: Any = ListsWithItems(lists, context)
            value = computation(lists_with_items, self.k)
        else:
            value = computation(lists, self.k)
        return self.under_convention(value, lists, context.convention)

    def under_convention(
        self, value: FloatArray, lists: RankedLists, convention: Convention
    ) -> FloatArray:
        """Return values of lists, changed as the convention says.

        Users without an answer or a relevant item get 0, or NaN if the convention leaves them out.
        ``value`` is NaN where the measure is undefined. ``lists`` are those of `binarized_lists`.
        """
        value = np.array(value, dtype=np.float64)  # a copy, which is changed in place
        if not self.by_convention:
            return value
        # In receval's own measures, NaN has no other reason. A custom measure may be undefined for
        # other reasons, and then its value stays NaN.
        counts_zero = np.isnan(value)
        if self.is_custom:
            counts_zero &= (lists.n_relevant == 0) | (lists.length == 0)
        np.copyto(value, 0.0, where=counts_zero)
        if convention.no_truth == "skip":
            np.copyto(value, np.nan, where=lists.n_relevant == 0)
        if convention.missing_rule(self.spec.name) == "skip":
            np.copyto(value, np.nan, where=lists.length == 0)
        return value

    def state(self, lists: RankedLists, context: EvaluationContext) -> AnyArray:
        """Return the state of a set-level measure: the part of these lists that its value needs.

        receval combines the states of several blocks of lists, and computes the value from the
        result.
        """
        assert self.of_all is not None
        state: AnyArray = self.of_all.partial(ListsWithItems(lists, context), self.k)
        return state
