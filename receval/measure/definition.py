"""A measure as it is asked for: what is stated of it, its parameters and its cut-off."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from receval._checks import BoolArray, FloatArray, check_count, input_error, shorten
from receval._escape import for_terminal
from receval.measure.convention import FIELDS, Convention
from receval.measure.custom import depends_on_order, spec_of_custom_measure
from receval.measure.items import ListsWithItems, UserHistory
from receval.metrics.discounts import binary_gain
from receval.metrics.formula import Divisor, RankedLists, RankFormula, Terms, is_relevant
from receval.metrics.spec import MeasureSpec, PerListFunction, SetLevel

__all__ = ["EvaluationContext", "Measure"]


@dataclass(frozen=True)
class EvaluationContext:
    """What is known beside the lists: the convention, and data about items and users.

    Attributes
    ----------
    convention : Convention
    n_items : size of the catalogue, None where it was not given.
    max_grade : the largest grade of the whole truth, None where that is not known.
    auc_catalogue : how many items AUC is over, None: those listed.
    in_head : for each item code whether it is in the short head.
    age : for each item code its age in days.
    features : for each item code a vector of length 1, or 0 where all features are 0.
    seen : function of user codes and a matrix of item codes, whether seen before.
    """

    convention: Convention
    n_items: int | None = None
    max_grade: float | None = None
    auc_catalogue: int | None = None
    in_head: BoolArray | None = None
    age: FloatArray | None = None
    features: FloatArray | None = None
    seen: UserHistory | None = None


class Measure:
    r"""A measure of one's own, passed to `receval.evaluate` beside names such as "nDCG@10".

    Parameters
    ----------
    name : str
        What results call it; without "@".
    terms : Terms, optional
        What each rank adds: from it follow the value, every cut-off, the working and what equal
        scores leave open.
    divisor : callable or "ideal", optional
        What the sum of the terms is divided by: a function of lists and cut-off to one number per
        list, where 0 leaves the value undefined; ``"ideal"``: the same sum of the best list.
    per_list : callable, optional
        In place of ``terms``, for a measure that is no sum: a function of lists and cut-off to one
        value per list.
    source : str
        Where it comes from, as tables and methods cite it.
    higher_is_better : bool, default True
    needs : sequence of str
        What ``per_list`` needs of the items: "catalogue", "awards", "novelty_date", "features",
        "history". It finds them by rank, in ``lists.n_items``, ``lists.in_tail(k)``,
        ``lists.ages(k)``, ``lists.features(k)`` and ``lists.seen(k)``.

    Attributes
    ----------
    key, name : str
        Without and with the cut-off: "nDCG", "nDCG@10".
    k : int or None
        The cut-off; ``at(10)`` is the same measure with another.

    Raises
    ------
    InputError
        If not exactly one of ``terms`` and ``per_list`` is given, a function is none, or the name
        or source is no text.

    Notes
    -----
    ``lists`` has ``grades`` by rank with a NaN tail, of shape (lists, ranks), and for each list
    ``n_relevant``, ``relevance`` (the grades of the relevant items, best first), ``scores`` by rank
    and its ``length``.

    The mean over the orders of equal scores is exact for terms with any of receval's own ``above``
    and a divisor that does not depend on the order; of any other measure it is the mean over drawn
    orders. The interval of these orders is known where the weights do not rise and the gain does
    not fall; else none is shown. A user without relevant item or answer has the value that the
    convention says, unless the measure ``needs`` something. Any other value of NaN, or of a
    divisor of 0, is undefined and left out of the mean.

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
        per_list: Callable[[Any, int | None], Any] | None = None,
        source: str,
        higher_is_better: bool = True,
        needs: Iterable[str] = (),
    ) -> None:
        stated = spec_of_custom_measure(
            name, (terms, divisor, per_list), source, higher_is_better, tuple(needs)
        )
        self._set_up(stated, stated.name, {}, own=True)

    @classmethod
    def of_stated(cls, stated: MeasureSpec, key: str, parameters: Mapping[str, Any]) -> Measure:
        """One of receval's own, with the parameters of its name."""
        found = cls.__new__(cls)
        found._set_up(stated, key, parameters, own=False)
        return found

    def _set_up(
        self, stated: MeasureSpec, key: str, parameters: Mapping[str, Any], *, own: bool
    ) -> None:
        how = stated.computation
        self.stated, self.own = stated, own
        self._parameters = {**parameters}
        self.k: int | None = None
        self.key = self.name = key
        self.title, self.formula, self.source = stated.title, stated.formula, stated.source
        self.needs, self.higher_is_better = stated.needs, stated.higher_is_better
        # Of a measure of all users together, where a user alone has no value, or another one.
        self.of_all = how if isinstance(how, SetLevel) else None
        self.per_user = self.of_all is None or self.of_all.each is not None
        # Whether a user without answer or relevant item has the value that a convention says; if
        # not, such a user has none (NaN) and is left out of the mean.
        self.by_convention = "missing" in self.choices
        self.depth = math.inf  # how many ranks it looks at
        # Options that are properties of the whole truth.
        self.truth_options = tuple(sorted({*stated.truth_options} - {*parameters}))
        drawn = (isinstance(how, PerListFunction) and how.bounds is None) or (
            own and depends_on_order(how)
        )
        # How the mean over orders is taken, of a measure that is about relevance and order.
        self.tie_rule = ("drawn" if drawn else "exact") if self.by_convention else None
        self._is_complete = True

    def __setattr__(self, name: str, value: object) -> None:
        """Refused once the measure is complete: results share it and go on reading it."""
        if vars(self).get("_is_complete"):
            raise AttributeError(f"a measure can't be changed ({name!r}); make another one")
        super().__setattr__(name, value)

    def at(self, k: int) -> Measure:
        """The same measure with a cut-off."""
        if not self.stated.takes_cutoff:
            raise input_error(self.key, "be without a cut-off", shorten(k))
        found, how = Measure.__new__(Measure), self.stated.computation
        cut = check_count(k, f"the cut-off of {self.key}")
        # One of the user's own may ask more of a list than what stands up to the cut-off.
        depth = (
            math.inf
            if self.own and not (isinstance(how, RankFormula) and how.depends_only_on_terms)
            else cut
        )
        vars(found).update(vars(self), k=cut, depth=depth, name=f"{self.key}@{cut}")
        return found

    def __repr__(self) -> str:
        return f"<measure {for_terminal(self.name)}>"

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters in the name, such as ``{"p": 0.5}``: a copy, as results share measures."""
        return {**self._parameters}

    @property
    def mean_formula(self) -> str:
        """The formula of the value in a summary: for most measures the mean over users."""
        return rf"\frac{{1}}{{|U|}} \sum_u {self.formula}" if self.of_all is None else self.formula

    @property
    def choices(self) -> tuple[str, ...]:
        """The choices of a convention that it depends on, in its words."""
        if isinstance(self.stated.computation, (PerListFunction, SetLevel)):
            return self.stated.depends_on
        decided = set(self.stated.choices.values())
        own = [words for words, fields in FIELDS.items() if decided & set(fields)]
        return ("relevant", *own, "ties", "missing", "no relevant item")

    def computation_under(self, context: EvaluationContext) -> RankFormula | PerListFunction:
        """The arithmetic of one list's value under a convention."""
        how = self.stated.computation
        if isinstance(how, (RankFormula, PerListFunction)):
            return how
        if isinstance(how, SetLevel):
            assert how.each is not None
            return how.each
        chosen = self.parameters
        chosen.pop("rel", None)
        for option, field in self.stated.choices.items():
            chosen[option] = getattr(context.convention, field)
        for name in self.truth_options:
            chosen[name] = getattr(context, name)
            if chosen[name] is None:
                rule = f"give {name} of {self.key}, as in '{self.key}({name}=4)'"
                raise input_error("measures", rule, "a truth that is not read as a whole")
        return how(**chosen)

    def binarized_lists(self, lists: Any, context: EvaluationContext) -> Any:
        """The lists as the measure sees them: where it has a threshold, relevant or not."""
        least = self.parameters.get("rel")
        if least is None and context.convention.relevant_from and self.is_binary(context):
            least = context.convention.relevant_from
        return lists if least is None else lists.binarized(least)

    def is_binary(self, context: EvaluationContext) -> bool:
        """Whether it asks of a grade only whether it is relevant."""
        if self.own or "relevant" not in self.choices:
            return False
        how = self.computation_under(context)
        return not isinstance(how, RankFormula) or how.terms.gain in (is_relevant, binary_gain)

    def compute(
        self, lists: RankedLists, context: EvaluationContext, value: FloatArray | None = None
    ) -> FloatArray:
        """One value per list, by the convention where there is no answer or no relevant item.

        ``value`` stands in for that of the lists' own order.
        """
        if self.parameters or context.convention.relevant_from:  # else there is no threshold
            lists = self.binarized_lists(lists, context)
        if value is None:
            how = self.computation_under(context)
            more = self.needs or isinstance(how, PerListFunction)
            seen: Any = ListsWithItems(lists, context) if more else lists
            value = how(seen, self.k)
        value = np.array(value, dtype=np.float64)
        if self.by_convention:
            rules = context.convention
            zero = np.isnan(value)
            if self.own:  # which may be undefined for other reasons
                zero &= (lists.n_relevant == 0) | (lists.length == 0)
            np.copyto(value, 0.0, where=zero)
            if rules.no_truth == "skip":
                np.copyto(value, np.nan, where=lists.n_relevant == 0)
            if rules.missing == "skip":
                np.copyto(value, np.nan, where=lists.length == 0)
        return value

    def state(self, lists: RankedLists, context: EvaluationContext) -> Any:
        """What these lists say of all users together."""
        assert self.of_all is not None
        return self.of_all.partial(ListsWithItems(lists, context), self.k)
