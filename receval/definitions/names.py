"""Find measures by names such as "nDCG@10" or "RBP(p=0.9)@10", and conventions by their names.

`measures` and `conventions` list all of them. `conventions.toml` states the conventions.
"""

from __future__ import annotations

import copyreg
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import Any, NamedTuple, TypeAlias, cast

import pandas as pd

from receval._checks import (
    MAX_EXACT_INTEGER,
    InputError,
    Options,
    UserFunction,
    check_choice,
    check_count,
    check_number,
    check_that,
    input_error,
    shorten,
)
from receval._files import describe_references, read_toml
from receval.definitions.convention import TIES, Convention
from receval.definitions.definition import Measure
from receval.metrics import beyond_accuracy, discounts, prediction, ranking
from receval.metrics.discounts import Discount, Gain
from receval.metrics.spec import MeasureSpec

__all__ = ["convention", "conventions", "measure", "measures"]

TREC_EVAL_NAME = re.compile(r"^\s*([^@()\s]+?)(?:_cut)?_([0-9]+)\s*$")  # ndcg_cut_10, P_5
NAME = re.compile(r"([^@()\s]+)\s*(?:\(([^()]*)\))?\s*(?:@\s*(\S+))?")
INTEGER = re.compile(r"-?[0-9]{1,20}")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")

Names: TypeAlias = str | Measure | Iterable[str | Measure]
"""One or several names or measures, as users pass them."""


# Parts of a name ----------------------------------------------------------------------------------


class ParsedName(NamedTuple):
    """The parts of a name such as "RBP(p=0.9)@10".

    Attributes
    ----------
    name : the name alone.
    parameters : numbers and texts by name.
    cut : the cut-off after "@"; a text if it is not an integer, None if there is none.
    """

    name: str
    parameters: Options
    cut: int | str | None


def parse_name(text: object) -> ParsedName | None:
    """Split the name of a measure into its parts; None if the text does not look like a name.

    A cut-off that is not an integer stays a text, which the caller refuses. Raises `InputError` for
    parameters that are not written like ``(p=0.9, q=2)``.

    Examples
    --------
    >>> rbp = parse_name("RBP(p=0.9)@10")
    >>> rbp.name, rbp.parameters, rbp.cut
    ('RBP', {'p': 0.9}, 10)
    """
    match = NAME.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return None
    name, listed_parameters, cutoff = match.groups()
    parameters: Options = {}
    if listed_parameters is not None:
        for part in listed_parameters.split(","):
            # Without "=" the value is "".
            option, _, value = (piece.strip() for piece in part.partition("="))
            is_valid = option != "" and value != "" and option not in parameters
            rule = "have parameters as in 'RBP(p=0.9)@10', each once"
            check_that(is_valid, "measures", rule, text)
            parameters[option] = _as_number(value)
    if cutoff and INTEGER.fullmatch(cutoff):
        return ParsedName(name, parameters, int(cutoff))
    return ParsedName(name, parameters, cutoff)


def _as_number(text: str) -> int | float | str:
    """Return a text as a number, or the text itself if it is not a number.

    Whole numbers become ``int`` however they are written: 1e3 is 1000, so that each measure has
    only one name.
    """
    if not NUMBER.fullmatch(text):
        return text
    number = float(text)
    if abs(number) <= MAX_EXACT_INTEGER and number.is_integer():
        return int(number)
    return number


# Measures -----------------------------------------------------------------------------------------


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
            "title": measure.title,
            "level": "each user" if measure.of_all is None else "all users together",
            "needs": ", ".join(measure.needs),
            "source": describe_references(measure.source),
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
        # Build the formula only to check the options: this raises an error for a wrong value.
        assert callable(spec.computation)
        spec.computation(**formula_options)


def _reduce_for_pickle(pickled: Measure) -> Any:
    """Tell pickle how to store a measure: one of receval's own is stored as its name.

    Returns what pickle expects of such a function: a function that makes the measure again, and
    its arguments.
    """
    if pickled.is_custom:
        return object.__reduce_ex__(pickled, 2)  # as if this function did not exist
    return measure, (pickled.name,)


copyreg.pickle(Measure, _reduce_for_pickle)


def parse(names: Names, own_measures: Iterable[Measure] = ()) -> tuple[Measure, ...]:
    """Return the measures of one or several names, each once.

    You can pass measures instead of names, and the names of your ``own_measures``. Raises
    `InputError` for unknown names, and for different measures that share a name.
    """
    try:
        listed_names = [names] if isinstance(names, (str, Measure)) else list(names)
    except TypeError:  # None, a number, an array without axes
        rule = "be names such as 'nDCG@10', one or several"
        raise input_error("measures", rule, shorten(names)) from None
    if not listed_names:
        raise InputError("measures must name at least one measure, such as 'nDCG@10'; got none")
    own_by_name = {measure.name: measure for measure in own_measures}
    measure_by_name: dict[str, Measure] = {}
    for name in listed_names:
        new_measure = own_by_name.get(str(name).strip()) or measure(name)
        takes_name_of_receval = new_measure.is_custom and new_measure.key.lower() in BY_NAME
        first_of_name = measure_by_name.setdefault(new_measure.name, new_measure)
        # A name contains the parameters and the cut-off, so the measures differ if their specs do.
        takes_name_of_other = first_of_name.spec is not new_measure.spec
        if takes_name_of_receval or takes_name_of_other:
            got = f"another {new_measure.name!r}"
            raise input_error("measures", "have names of their own", got, "Rename it")
    return tuple(measure_by_name.values())


# Conventions --------------------------------------------------------------------------------------


def from_record(record: Mapping[str, Any]) -> Convention:
    """Make a convention from a TOML or JSON record, where gain and discount are names.

    A record holds fields of `Convention`; those that it lacks get their defaults.
    """
    fields = dict(record)
    for key in ("gain", "discount"):
        if key in fields:
            fields[key] = _gain_or_discount(fields[key])
    # These are lists of pairs in TOML and JSON, and tuples in a convention.
    for key in ("cut_ties", "missing_exceptions", "refused"):
        fields[key] = tuple(map(tuple, fields.get(key, ())))
    return Convention(**fields)


@cache
def _gain_or_discount(name: str) -> Gain | Discount:
    """Return the gain or discount with a name such as "relison_gain(threshold=0.5)".

    It is the same object for the same name, so that conventions can be compared. A name that
    receval does not know belongs to a user's function, which becomes an `UnloadableFunction`.
    """
    parts = parse_name(name)
    if parts is None or parts.name not in discounts.__all__:
        return UnloadableFunction(name)
    function: UserFunction = getattr(discounts, parts.name)
    if parts.parameters:  # a function with parameters returns the gain or discount
        return cast("Gain | Discount", function(**parts.parameters))
    return function


class UnloadableFunction:
    """A user's function that receval read from a file, which holds only its name.

    Calling it raises `InputError`.
    """

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *_: object) -> Any:
        raise input_error(self.__name__, "be given to be computed", "only its name, from the file")


def _read_conventions() -> dict[str, Convention]:
    """Read all conventions by name.

    A record can have a field "like" with the name of another convention. Then it has the fields of
    that convention, except those that it states itself.
    """
    records = read_toml("definitions/conventions.toml")
    result = {}
    for name, record in records.items():
        base = records.get(record.pop("like", ""), {})
        result[name] = from_record({"name": name, **base, **record})
    return result


CONVENTIONS = _read_conventions()


def conventions() -> pd.DataFrame:
    """Return all conventions with their choices, their sources, and how each was verified.

    Returns
    -------
    DataFrame
        Conventions in rows, choices in columns. The column ``measures`` lists the measures that the
        source itself has ("all" for ``receval``). You can compute other measures under a convention
        too: they follow the same choices, but have no counterpart in the tool. The exceptions are
        in the column ``refused``, with the reasons: the source computes these measures in a way
        that receval doesn't have.

    Examples
    --------
    >>> table = conventions()
    >>> table.loc["satisfaction", "discount"], table.loc["lenskit", "precision divides by"]
    ('clipped_log2', 'the number of items retrieved, at most k')
    """
    rows = {
        convention.name: convention.words()
        | {
            "mean over": convention.mean_over(),
            "measures": convention.measures or "all",
            "source": describe_references(convention.source),
            "verified": convention.verified,
            "refused": "; ".join(f"{measure}: {reason}" for measure, reason in convention.refused),
            "note": convention.note,
        }
        for convention in CONVENTIONS.values()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("convention")


def convention(
    name: str | Convention,
    *,
    ties: str | None = None,
    relevant_from: float | None = None,
) -> Convention:
    """Return a convention by its name.

    Parameters
    ----------
    name : str or Convention
        One of the names in `conventions`. A `Convention` is returned with the changes that the
        other arguments make.
    ties : str, optional
        The rule for equal scores, which replaces that of the convention.
    relevant_from : float, optional
        The smallest grade that is relevant for measures that only ask whether an item is relevant.

    Returns
    -------
    Convention

    Raises
    ------
    InputError
        If there is no such convention or rule, or ``relevant_from`` is below the smallest grade
        that the convention counts.

    Examples
    --------
    >>> convention("relison").words()["precision divides by"]
    'the number of items retrieved, at most k'
    """
    rules = name
    if not isinstance(rules, Convention):
        rules = CONVENTIONS[check_choice(name, "convention", CONVENTIONS)]
    if ties is not None:
        # The argument holds for all measures, so it also replaces the exceptions.
        rules = replace(rules, ties=check_choice(ties, "ties", TIES), cut_ties=())
    if relevant_from is not None:
        grade = check_number(
            relevant_from, "relevant_from", "a grade above 0", lambda grade: grade > 0
        )
        if grade < rules.threshold:
            rule = f"be at least {rules.threshold:g}, below which {rules.name!r} has no grades"
            raise input_error("relevant_from", rule, f"{grade:g}")
        rules = replace(rules, relevant_from=grade)
    return rules
