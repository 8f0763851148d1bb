"""The specification of a measure, which is written once, next to its array function.

A measure's computation is one of three: a `receval.metrics.formula.RankFormula` (a sum over
ranks), a `PerListFunction` (another kind of value per list) or a `SetLevel` (one value for all
lists).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

from receval._checks import AnyArray, FloatArray, Options
from receval.metrics.formula import RankFormula, TieBounds

ListsWithFacts: TypeAlias = Any
"""The lists of some users, with facts about their items, as measures receive them.

`receval.definitions.lists.UserLists` has these attributes.
"""


class PerListFunction(NamedTuple):
    """One value per list, from an array function.

    Attributes
    ----------
    function : the array function.
    arguments : function of lists and cut-off that returns the keyword arguments of ``function``.
    bounds : function of lists and cut-off that returns the lowest, mean and highest value over all
        orders of tied scores; None if they are not known.
    """

    function: Callable[..., FloatArray]
    arguments: Callable[..., Options]
    bounds: TieBounds | None = None

    def __call__(self, lists: ListsWithFacts, k: int | None) -> FloatArray:
        """Return one value per list."""
        return self.function(**self.arguments(lists, k))


class SetLevel(NamedTuple):
    """One value for all lists together, computed block by block.

    receval computes a state for each block of users, such as the items recommended so far, combines
    the states, and computes the value from the final state.

    Attributes
    ----------
    partial : function of lists and cut-off that returns a state, an array.
    combine : function that combines a list of states into one.
    finish : function of the state and of facts about the items (such as ``n_items``) that returns
        the value.
    has_items : True if the state is an array of item codes, or has them in its first row.
    per_list : the value of a single list, if it has one.
    """

    partial: Callable[[ListsWithFacts, int | None], AnyArray]
    combine: Callable[[list[AnyArray]], AnyArray]
    finish: Callable[[AnyArray, Any], float]
    has_items: bool = False
    per_list: PerListFunction | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasureSpec:
    """A measure and everything that receval says about it.

    Attributes
    ----------
    name, title : str
        The name that users ask for and results show, and the full name.
    label : str
        The name of the value of one list. Default: ``name``.
    aliases : tuple of str
        Other names that users may ask for.
    formula, source : str
        The LaTeX formula of one list's value, or of the value of all lists if single lists have
        none. The source is the key of an entry in `references.bib`, as in "@jarvelin2002", then the
        document.
    computation : RankFormula, callable, PerListFunction or SetLevel
        The arithmetic. A callable returns a `RankFormula` for the measure's options.
    choices : dict
        The options that a convention decides. Each is mapped to the field of the convention.
    options, truth_options : tuple of str
        The other options, which are written in the name, as in "RBP(p=0.9)". If the name does not
        state an option in ``truth_options``, its value comes from the whole truth.
    depends_on : tuple of str
        For a measure without a `RankFormula`: the choices of a convention that it depends on, in
        the words of the convention. Default: the rule for ties, which decides the first k items.
    needs : tuple of str
        The data needed besides the two tables: "catalogue", "awards", "novelty_date", "features",
        "history", "scores".
    takes_cutoff : bool
        False if the measure always looks at the whole list.
    methods_note : str
        A remark for the methods text, a template of `str.format`.
    higher_is_better : bool
    function : callable or None
        The array function of a measure of ranked lists, which `receval.metrics.ranking` exports.
        The working has the name and the arguments of this function.
    """

    name: str
    title: str
    formula: str
    source: str
    computation: RankFormula | PerListFunction | SetLevel | Callable[..., RankFormula]
    function: Callable[..., FloatArray] | None = None
    label: str = ""
    aliases: tuple[str, ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    truth_options: tuple[str, ...] = ()
    depends_on: tuple[str, ...] = ("ties",)
    needs: tuple[str, ...] = ()
    takes_cutoff: bool = True
    methods_note: str = ""
    higher_is_better: bool = True
