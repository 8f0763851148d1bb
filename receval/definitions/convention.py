"""Conventions: the choices behind a number, each with its description in words.

`conventions.toml` states them, and `conventions` lists them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple, cast

import pandas as pd

from receval._checks import (
    MAX_EXACT_INTEGER,
    Options,
    UserFunction,
    check_callable,
    check_choice,
    check_number,
    check_that,
    input_error,
)
from receval._files import describe_references, read_toml
from receval.metrics import discounts
from receval.metrics.discounts import Discount, Gain, linear_gain, shifted_log2

WORDS: dict[str, dict[str, str]] = read_toml("definitions/words.toml")
TIES = WORDS["ties"]
MISSING = WORDS["missing"]
FIELDS: dict[str, list[str]] = read_toml("definitions/words.toml")["choices"]
"""The fields of a `Convention` that make up each choice."""


PAIRED_RULES = {"cut_ties": TIES, "missing_exceptions": MISSING}
"""The rules that a convention can have for single measures, by its field."""

USERS_IN_MEAN = {
    ("zero", "zero"): "judged users",
    ("skip", "zero"): "judged users with an answer",
    ("zero", "skip"): "judged users with a relevant item",
    ("skip", "skip"): "judged users with an answer and a relevant item",
}
"""The users over whom means are taken, by the rules for missing answers and for missing truth."""


@dataclass(frozen=True)
class Convention:
    """The choices behind a number, in one named bundle.

    Make your own convention from another one with ``dataclasses.replace``, and pass it to
    `evaluate` instead of a name.

    Attributes
    ----------
    name, source, verified : str
        The name of the convention, the tool or text that makes these choices (with its version),
        and how this was checked.
    measures : str
        The measures that the source itself has under these choices, and that were checked.
        receval computes all other measures with the same choices, but the source has no counterpart
        for them.
    gain, discount : callable
        Gain and discount of the cumulative-gain family.
    ideal : str
        The ideal list that nDCG compares with.
    precision, recall, average_precision : str
        The divisors of these measures (the ``denominator`` of the metric functions).
    negative : str
        ``"error"`` if a negative grade raises an error, or ``"zero"`` if it counts as 0, as in
        trec_eval.
    threshold : float
        Smallest grade that counts as relevant; 0 means any grade above 0. Lower grades count as 0.
    relevant_from : float
        Smallest grade that counts as relevant for measures that only ask whether an item is
        relevant; graded gains keep all grades. 0 means the same as ``threshold``.
    scores : str
        ``"float32"`` if scores that round to the same 32-bit float are equal, as in trec_eval, or
        ``"float64"``. The rule for ties ``"trec_eval"`` always compares them as 32-bit floats.
    ties, missing, no_truth : str
        The rules for equal scores, for judged users without recommendations, and for users
        without a relevant item.
    cut_ties : pairs of str
        Measures for which the source orders equal scores differently if there is a cut-off, each
        with its rule.
    missing_exceptions : pairs of str
        Measures for which the source treats judged users without recommendations differently, each
        with its rule.
    refused : pairs of str
        Measures that the source computes in a way that receval doesn't have, each with the reason.
        `evaluate` refuses them under this convention.
    crossing : str
        ``"inside"`` if the short head includes the item with which the sum of awards reaches the
        head's share, else ``"outside"``.
    note : str
        Anything else that users should know.
    """

    name: str
    source: str
    verified: str
    measures: str = ""
    gain: Gain = linear_gain
    discount: Discount = shifted_log2
    ideal: str = "relevant"
    precision: str = "cutoff"
    recall: str = "relevant"
    average_precision: str = "relevant"
    threshold: float = 0.0
    relevant_from: float = 0.0
    negative: str = "error"
    scores: str = "float64"
    ties: str = "item"
    cut_ties: tuple[tuple[str, str], ...] = ()
    missing: str = "zero"
    missing_exceptions: tuple[tuple[str, str], ...] = ()
    no_truth: str = "zero"
    crossing: str = "inside"
    refused: tuple[tuple[str, str], ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        """Check the choices, because a user can make a convention with any value."""
        for field in (
            "ideal",
            "scores",
            "ties",
            "missing",
            "no_truth",
            "crossing",
            "precision",
            "recall",
            "average_precision",
        ):
            # All divisors share the words of "denominator".
            check_choice(getattr(self, field), field, WORDS.get(field, WORDS["denominator"]))
        check_callable(self.gain, "gain", "receval.metrics.linear_gain")
        check_callable(self.discount, "discount", "receval.metrics.shifted_log2")
        check_choice(self.negative, "negative", ("error", "zero"))
        for field in ("threshold", "relevant_from"):
            check_number(getattr(self, field), field, "a number")
        for field in ("cut_ties", "missing_exceptions", "refused"):
            pairs = getattr(self, field)
            is_pairs = isinstance(pairs, tuple) and all(
                isinstance(pair, tuple) and len(pair) == 2 for pair in pairs
            )
            check_that(is_pairs, field, "be a tuple of pairs, such as (('nDCG', 'zero'),)", pairs)
            for measure, text in pairs:
                rule = "name measures without parameters and cut-offs, such as 'nDCG'"
                is_name = isinstance(measure, str) and not {"@", "("} & set(measure)
                check_that(is_name, field, rule, measure)
                if field in PAIRED_RULES:
                    check_choice(text, f"{field} of {measure}", PAIRED_RULES[field])

    @property
    def grade_floor(self) -> float | None:
        """Return the grade below which all grades count as 0; None if there is none."""
        if self.threshold != 0:  # 0 means that any grade above 0 counts
            return self.threshold
        return 0.0 if self.negative == "zero" else None

    @property
    def compares_float32(self) -> bool:
        """Return whether scores that round to the same 32-bit float are equal."""
        return self.scores == "float32" or self.ties == "trec_eval"

    def missing_rule(self, measure: str) -> str:
        """Return the rule for judged users without recommendations for the measure of this name.

        The name has no parameters and no cut-off, such as "nDCG".
        """
        return dict(self.missing_exceptions).get(measure, self.missing)

    def for_measures(self, measures: Iterable[str]) -> Convention:
        """Return a copy that keeps only the exceptions for the given measures.

        ``measures`` are names without parameters and cut-offs, such as "nDCG".
        """
        rules = {measure: self.missing_rule(measure) for measure in measures}
        if len(set(rules.values())) == 1:  # all of them follow one rule
            (rule,) = set(rules.values())
            return replace(self, missing=rule, missing_exceptions=())
        exceptions = [(name, rule) for name, rule in rules.items() if rule != self.missing]
        return replace(self, missing_exceptions=tuple(exceptions))

    def check_has(self, measure: str, name: str) -> None:
        """Raise an error if the source of the convention computes a measure in another way.

        ``measure`` is the name without parameters and cut-off, such as "MAP"; the message shows
        ``name``, such as "MAP@10".
        """
        reason = dict(self.refused).get(measure)
        if reason is not None:
            rule = f"be measures that the convention {self.name!r} has"
            raise input_error("measures", rule, name, reason)

    def words(self) -> dict[str, str]:
        """Return a description of each choice, by its name, such as "precision divides by"."""
        ties = TIES[self.ties]
        if self.compares_float32 and self.ties != "trec_eval":  # the words of this rule say so
            ties = f"{WORDS['scores']['float32']}, {ties}"
        for measure, rule in self.cut_ties:
            ties += f"; for {measure}@k: {TIES[rule]}"
        missing = MISSING[self.missing]
        for measure, rule in self.missing_exceptions:
            missing += f"; for {measure}: {MISSING[rule]}"
        # `FIELDS` maps each choice to the fields of this class that make it up. The words of
        # "relevant", "ties" and "missing" depend on several fields, those of all other choices on
        # the first field only.
        words = {
            choice: _field_in_words(fields[0], getattr(self, fields[0]))
            for choice, fields in FIELDS.items()
            if choice not in ("relevant", "ties", "missing")
        }
        words.update(relevant=_relevant_grades(self), ties=ties, missing=missing)
        return {choice: words[choice] for choice in FIELDS}  # in the order of `FIELDS`

    def mean_over(self) -> str:
        """Return a description of the users over whom the means are taken."""
        text = USERS_IN_MEAN[self.missing, self.no_truth]
        for measure, missing in self.missing_exceptions:
            text += f" (for {measure}: {USERS_IN_MEAN[missing, self.no_truth]})"
        return text


def _relevant_grades(convention: Convention) -> str:
    """Describe which grades are relevant.

    Measures with graded gains, such as nDCG, can have a lower threshold than measures that only ask
    whether an item is relevant.
    """
    grades = "above 0"
    if convention.threshold != 0:
        grades = f"of {convention.threshold:g} or more"
    if convention.relevant_from != 0:
        grades = f"of {convention.relevant_from:g} or more (for graded gains: {grades})"
    text = f"a grade {grades}"
    if convention.negative == "zero":
        text += "; negative ones count as 0"
    return text


def _field_in_words(field: str, value: object) -> str:
    """Return the name of a gain or discount, or the words for another choice.

    All divisors share the words of "denominator".
    """
    if callable(value):
        return function_name(value)
    return WORDS.get(field, WORDS["denominator"])[str(value)]


# Names with parameters ----------------------------------------------------------------------------

NAME = re.compile(r"([^@()\s]+)\s*(?:\(([^()]*)\))?\s*(?:@\s*(\S+))?")
INTEGER = re.compile(r"-?[0-9]{1,20}")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


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


def function_name(function: object) -> str:
    """Return the name of a gain or discount, with its parameters as in "clipped(base=2)".

    A function with parameters has the attributes of `functools.partial`: the parameters are in
    ``keywords``, and the function itself is in ``func``. For an object without a name, the result
    is its ``str``.
    """
    unbound = getattr(function, "func", function)
    name = getattr(unbound, "__name__", str(unbound))
    return format_name(name, getattr(function, "keywords", {}))


def format_name(name: str, parameters: Mapping[str, object]) -> str:
    """Return a name with its parameters, as `parse_name` reads it.

    Examples
    --------
    >>> format_name("mae", {"pairing": "case"})
    'mae(pairing=case)'
    """
    if not parameters:
        return name
    return f"{name}({', '.join(f'{option}={value}' for option, value in parameters.items())})"


# Conventions by name ------------------------------------------------------------------------------


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
