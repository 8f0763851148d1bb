"""From a name such as "nDCG@10" or "RBP(p=0.9)@10" to the measure that it stands for.

Conventions have names too, as `conventions.toml` states them.
"""

from __future__ import annotations

import copyreg
import pkgutil
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NamedTuple

from receval._checks import (
    LARGEST,
    InputError,
    check_choice,
    check_count,
    check_number,
    check_that,
    input_error,
    shorten,
)
from receval._files import read_toml
from receval.measure.convention import MISSING, TIES, Convention
from receval.measure.definition import Measure
from receval.metrics import beyond_accuracy, discounts, prediction, ranking
from receval.metrics.spec import MeasureSpec

__all__ = ["convention", "measure"]

OF_TREC_EVAL = re.compile(r"\s*([^@()\s]+?)(?:_cut)?_([0-9]+)\s*")  # ndcg_cut_10, P_5
PATTERN = re.compile(r"([^@()\s]+)\s*(?:\(([^()]*)\))?\s*(?:@\s*(\S+))?")
WHOLE = re.compile(r"-?[0-9]{1,20}")
OWN_RULE = "be a list of measures, as receval.Measure makes them"
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class ParsedName(NamedTuple):
    """The parts of a name; what is no whole number behind "@" is text still."""

    name: str
    parameters: dict[str, Any]
    cut: int | str | None


def parse_name(text: object) -> ParsedName | None:
    """The parts of a measure's name; None if it is not spelled like one.

    Examples
    --------
    >>> rbp = parse_name("RBP(p=0.9)@10")
    >>> rbp.name, rbp.parameters, rbp.cut
    ('RBP', {'p': 0.9}, 10)
    """
    match = PATTERN.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return None
    name, given, behind = match.groups()
    cut = int(behind) if behind and WHOLE.fullmatch(behind) else behind
    parameters: dict[str, Any] = {}
    for part in [] if given is None else given.split(","):
        option, _, value = map(str.strip, part.partition("="))
        fit = bool(option and value) and option not in parameters
        check_that(fit, "measures", "have parameters as in 'RBP(p=0.9)@10', each once", text)
        parameters[option] = _read(value)
    return ParsedName(name, parameters, cut)


def _read(value: str) -> int | float | str:
    """A number where it is written as one; 1e3 is 1000, that a measure has one name."""
    if WHOLE.fullmatch(value):
        return int(value)
    number = float(value) if NUMBER.fullmatch(value) else None
    whole = number is not None and abs(number) <= LARGEST and number.is_integer()
    return value if number is None else int(number) if whole else number


def format_name(name: str, parameters: Mapping[str, Any]) -> str:
    """A name with its parameters, as `parse_name` reads it.

    Examples
    --------
    >>> format_name("mae", {"pairing": "case"})
    'mae(pairing=case)'
    """
    given = ", ".join(f"{option}={value}" for option, value in parameters.items())
    return f"{name}({given})" if given else name


def _stated() -> Iterable[MeasureSpec]:
    """What the modules of the metrics state, in their order."""
    for package in (ranking, prediction, beyond_accuracy):
        for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
            values = vars(import_module(module.name)).values()
            yield from (one for one in values if isinstance(one, MeasureSpec))


STATED = tuple(dict.fromkeys(_stated()))
MEASURES = tuple(Measure.of_stated(one, one.name, {}) for one in STATED)
BY_NAME = {name.lower(): one for one in MEASURES for name in (one.key, *one.stated.aliases)}


def measure(name: str | Measure, own: Iterable[Measure] = ()) -> Measure:
    """The measure of a name such as "nDCG@10".

    Parameters
    ----------
    name : str or Measure
        Name of `measures`, in any case, with an optional cut-off behind "@" and parameters in
        parentheses before it, or as trec_eval has it, "ndcg_cut_10"; a measure is answered as
        it is. Under ``rel=2`` a grade of 2 or more is relevant, as in ir_measures, and all such
        grades count the same: "nDCG(rel=2)@5".
    own : iterable of Measure
        Further measures that are known by their names.

    Returns
    -------
    Measure

    Raises
    ------
    InputError
        If the name is unknown (near ones are listed), its cut-off is no positive integer, or it
        takes no cut-off or no such parameter; if ``own`` holds anything but measures.

    Examples
    --------
    >>> measure("ndcg@10").name, measure("P@5").name, measure("rbp(p=0.90)@10").name
    ('nDCG@10', 'Precision@5', 'RBP(p=0.9)@10')
    """
    own = _own_measures(own)
    if isinstance(name, Measure):
        return name
    for one in own:
        if one.own and isinstance(name, str) and one.name == name.strip():
            return one
    cut = OF_TREC_EVAL.fullmatch(name) if isinstance(name, str) else None
    parts = parse_name("@".join(cut.groups()) if cut else name)
    found = BY_NAME.get(parts.name.lower()) if parts else None
    if parts is None or found is None:
        near = get_close_matches(parts.name.lower() if parts else "", BY_NAME)
        listed = dict.fromkeys(BY_NAME[one].key for one in near) or [one.key for one in MEASURES]
        rule, advice = "be known names such as 'nDCG@10'", f"Near or known: {', '.join(listed)}"
        raise input_error("measures", rule, shorten(name), advice)
    stated, given = found.stated, parts.parameters
    if parts.cut is not None and not stated.takes_cutoff:
        raise input_error("measures", f"name {stated.name} without a cut-off", shorten(name))
    options = (*stated.options, "rel") if found.by_convention else stated.options
    if not given.keys() <= {*options}:
        takes = f"only {', '.join(options)}" if options else "none"
        raise input_error(
            "measures", f"give parameters that {stated.name} takes ({takes})", repr(name)
        )
    if given:
        if "rel" in given:
            check_number(given["rel"], "rel", "a grade above 0", lambda grade: grade > 0)
        if own_options := {name: given[name] for name in given if name != "rel"}:
            stated.computation(**own_options)  # type: ignore[operator]  # refuses a value by its name
        found = Measure.of_stated(stated, format_name(stated.name, given), given)
    if parts.cut is None:
        return found
    return found.at(check_count(parts.cut, f"the cut-off of {name!r}"))


def _own_measures(own: Any) -> list[Measure]:
    """The measures given as ``own``; anything else than measures is refused."""
    advice = ""
    if isinstance(own, Measure):
        advice = f"Put it into a list: own=[{own.name}]"
    if advice or isinstance(own, type) or not isinstance(own, Iterable):
        raise input_error("own", OWN_RULE, shorten(own), advice)
    try:
        measures = list(own)
    except TypeError:  # an array without axes calls itself iterable
        raise input_error("own", OWN_RULE, shorten(own)) from None
    for measure_given in measures:
        if not isinstance(measure_given, Measure):
            raise input_error("own", OWN_RULE, shorten(measure_given))
    return measures


def _named_again(one: Measure) -> Any:
    """How a measure is pickled: one of receval's own is its name."""
    return object.__reduce_ex__(one, 2) if one.own else (measure, (one.name,))


copyreg.pickle(Measure, _named_again)


Names = str | Measure | Iterable[str | Measure]


def parse(names: Names, own: Iterable[Measure] = ()) -> tuple[Measure, ...]:
    """The measures of one or several names, each once; measures stand for themselves."""
    try:
        given = [names] if isinstance(names, (str, Measure)) else list(names)
    except TypeError:  # None, a number, an array without axes
        rule = "be names such as 'nDCG@10', one or several"
        raise input_error("measures", rule, shorten(names)) from None
    if not given:
        raise InputError("measures must name at least one measure, such as 'nDCG@10'; got none")
    found: dict[str, Measure] = {}
    for name in given:
        one = measure(name, own)
        other = found.setdefault(one.name, one)
        known = one.own and (one.key.lower() in BY_NAME)
        if known or other.own != one.own or other.stated is not one.stated:
            rule = "have names of their own"
            raise input_error("measures", rule, f"another {one.name!r}", "Rename it")
    return tuple(found.values())


def from_record(name: str, record: Mapping[str, Any]) -> Convention:
    """A convention of which gain and discount are told by name, and pairs are lists."""
    told = {key: value for key, value in record.items() if key != "name"}
    for key in {"gain", "discount"} & {*told}:
        told[key] = _function(told[key])
    cut_ties = tuple((measure, rule) for measure, rule in told.pop("cut_ties", ()))
    return Convention(name=name, cut_ties=cut_ties, **told)


def _function(name: str) -> Any:
    """A gain or discount of receval by its name; one of the user's own keeps only the name."""
    parts = parse_name(name)
    if parts is None or parts.name not in discounts.__all__:
        return UnloadableFunction(name)
    found = getattr(discounts, parts.name)
    return found(**parts.parameters) if parts.parameters else found


class UnloadableFunction:
    """A function of the user's own of which a file has the name only."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *_: object) -> Any:
        raise input_error(self.__name__, "be given to be computed", "only its name, from the file")


def _conventions() -> dict[str, Convention]:
    told = read_toml("measure/conventions.toml")
    whole = {name: told.get(own.pop("like", ""), {}) | own for name, own in told.items()}
    return {name: from_record(name, own) for name, own in whole.items()}


CONVENTIONS = _conventions()


def convention(
    name: str | Convention,
    *,
    ties: str | None = None,
    missing: str | None = None,
    relevant_from: float | None = None,
) -> Convention:
    """A convention by its name.

    Parameters
    ----------
    name : str or Convention
        One of the names in `conventions`; a `Convention` is answered as it is.
    ties, missing : str, optional
        Other rules than its own for equal scores, and for judged users without answer.
    relevant_from : float, optional
        The grade from which on an item is relevant to measures that ask no more.

    Returns
    -------
    Convention

    Raises
    ------
    InputError
        If there is no such convention or rule, or it counts no grade so low as ``relevant_from``.

    Examples
    --------
    >>> convention("relison").words()["precision divides by"]
    'the number of items retrieved, at most k'
    """
    found = name
    if not isinstance(found, Convention):
        found = CONVENTIONS[check_choice(name, "convention", CONVENTIONS)]
    if ties is not None:
        found = replace(found, ties=check_choice(ties, "ties", TIES), cut_ties=())
    if missing is not None:
        found = replace(found, missing=check_choice(missing, "missing", MISSING))
    if relevant_from is not None:
        least = check_number(relevant_from, "relevant_from", "a grade above 0", lambda g: g > 0)
        if least < found.threshold:
            rule = f"be at least {found.threshold:g}, below which {found.name!r} has no grades"
            raise input_error("relevant_from", rule, f"{least:g}")
        found = replace(found, relevant_from=least)
    return found
