"""How a measure is stated, once, beside its array function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from receval._checks import FloatArray
from receval.metrics.formula import RankFormula, TieBounds

__all__ = ["MeasureSpec", "PerListFunction", "SetLevel"]


class PerListFunction(NamedTuple):
    """One value per list, from an array function.

    Attributes
    ----------
    function : the array function.
    arguments : function of lists and cut-off to what it is called with, by keyword.
    bounds : lowest, mean and highest value over all orders of equal scores, where they are known.
    """

    function: Callable[..., FloatArray]
    arguments: Callable[[Any, int | None], Mapping[str, Any]]
    bounds: TieBounds | None = None

    def __call__(self, lists: Any, k: int | None) -> FloatArray:
        return self.function(**self.arguments(lists, k))


class SetLevel(NamedTuple):
    """One value of all lists together, by way of states that can be put together.

    Attributes
    ----------
    partial : function of lists and cut-off to a state, an array.
    combine : two states to one.
    finish : function of the state and of what is known of the items to the value.
    of_items : whether the state is a set of items, or these with a number each.
    each : the value of one list alone, where it has one.
    """

    partial: Callable[[Any, int | None], Any]
    combine: Callable[[Any, Any], Any]
    finish: Callable[[Any, Any], float]
    of_items: bool = False
    each: PerListFunction | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasureSpec:
    """A measure with all that is said of it anywhere.

    Attributes
    ----------
    name, title : str
        As it is asked for and written in results, and in full.
    label : str
        What one list's value is called; by default the name.
    aliases : tuple of str
        Other names to ask for it by.
    formula, source : str
        LaTeX, of one list's value where each has one; and what it is taken from: an entry of
        `references.bib` by its key, as in "@jarvelin2002", then the document.
    how : Form, callable, PerList or OfAll
        The arithmetic. A callable answers a `Form` from the measure's options.
    choices : dict
        The options that a convention decides, with the field of the convention that does.
    options, truth_options : tuple of str
        The others, which are written in the name, as in "RBP(p=0.9)"; and those of them that are
        properties of the whole truth where they are not written.
    depends_on : tuple of str
        The choices of a convention, in its words, that a measure without form depends on; by
        default who is among the first, where scores are equal.
    needs : tuple of str
        What it needs beside the two tables: "catalogue", "awards", "novelty_date", "features",
        "history", "scores".
    cut : bool
        Whether it takes a cut-off; one that does not looks at the whole list.
    further : str
        What else a methods section should say, after `str.format` with what is known.
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
