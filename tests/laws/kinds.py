"""The kinds of measures: measures of one kind are sums with the same structure.

A new measure of a known kind takes part in the laws as the first measure of that kind does.
"""

import inspect

from receval.definitions.definition import STATED
from receval.metrics.formula import RankFormula, is_relevant
from receval.metrics.spec import PerListFunction, SetLevel

LARGEST_GRADE = 4  # for options without a default, which are properties of the whole truth


def formula_of(spec):
    """Return the formula of a rank measure with its default options, None if it has none."""
    computation = spec.computation
    if isinstance(computation, (PerListFunction, SetLevel)):
        return None
    if isinstance(computation, RankFormula):
        return computation
    options = {
        name: LARGEST_GRADE
        for name, parameter in inspect.signature(computation).parameters.items()
        if parameter.default is parameter.empty
    }
    return computation(**options)


def kind_of(spec):
    """Return the parts of a formula that the laws depend on; None for a measure without one."""
    formula = formula_of(spec)
    if formula is None:
        return None
    gain, weight, above = formula.terms
    divisor = formula.divisor
    return (
        gain is is_relevant,
        weight is not None,
        str(above),
        divisor if isinstance(divisor, str) else getattr(divisor, "__name__", type(divisor)),
        formula.list_cutoff is not None,
        spec.takes_cutoff,
        bool(spec.truth_options),
        *sorted(set(spec.choices.values()) - {"gain", "discount"}),  # no law depends on these two
    )


def relatives_of(listed):
    """Map each listed measure to the new ones of its kind.

    ``listed`` are the names in the table of the laws. Measures of a kind that no listed measure
    has are left out.
    """
    first_of_kind = {}
    for spec in STATED:
        if spec.name in listed and kind_of(spec) is not None:
            first_of_kind.setdefault(kind_of(spec), spec.name)
    relatives = {}
    for spec in STATED:
        if spec.name not in listed and kind_of(spec) in first_of_kind:
            relatives.setdefault(first_of_kind[kind_of(spec)], []).append(spec.name)
    return relatives
