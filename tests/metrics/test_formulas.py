"""Each array function of a rank measure gives the value of the formula that `evaluate` uses."""

import inspect

import amount
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from rank_measures import OPTIONS, arguments_of, has_formula
from strategies import cutoffs, judged_list

from receval.definitions.definition import STATED
from receval.metrics import clipped_log2, exponential_gain
from receval.metrics.discounts import undiscounted
from receval.metrics.formula import ArrayLists, RankFormula

VALUES = {
    "gain": [exponential_gain],
    "discount": [clipped_log2, undiscounted],
    "p": [0.0, 0.5],
}
"""Values of options besides their defaults."""

DENOMINATORS = {
    "Precision": ["cutoff", "retrieved", "reachable"],
    "Recall": ["relevant", "reachable"],
    "MAP": ["relevant", "reachable", "listed", "cutoff", "found"],
}

SPECS = [spec for spec in STATED if spec.function is not None and has_formula(spec)]


def settings_of(spec):
    """Yield the options of an array function: its defaults, and each other value that it takes."""
    yield {}
    parameters = inspect.signature(spec.function).parameters
    for option, values in (VALUES | {"denominator": DENOMINATORS.get(spec.name)}).items():
        if option in parameters:
            yield from ({option: value} for value in values)


def label_of(spec, options):
    """Return the name of a measure with the option that isn't a default."""
    values = [str(getattr(value, "__name__", value)) for value in options.values()]
    return " ".join([spec.name, *options, *values])


CASES = [
    pytest.param(spec, options, id=label_of(spec, options))
    for spec in SPECS
    if spec.name != "F1"  # `f1` takes precision and recall, not lists
    for options in settings_of(spec)
]


@pytest.mark.parametrize(("spec", "options"), CASES)
@settings(max_examples=amount.of(20, 1_000))
@given(graded=judged_list(), k=cutoffs(), is_padded=st.booleans())
def test_the_array_function_equals_the_formula(spec, options, graded, k, is_padded):
    gains, relevance = graded
    gains = np.append(gains, [np.nan] * 2 * is_padded)
    n_relevant = np.count_nonzero(relevance)
    of_lists = {"gains": gains, "relevance": relevance, "n_relevant": n_relevant, **options}
    if options.get("denominator", "cutoff") != "reachable" and spec.name == "Precision":
        of_lists["n_relevant"] = None
    if spec.takes_cutoff:
        of_lists["k"] = k
    value = spec.function(**arguments_of(spec.function, **of_lists))
    formula = spec.computation
    if not isinstance(formula, RankFormula):
        needed = {name: OPTIONS[name] for name in spec.truth_options}
        formula = formula(**needed, **options)
    lists = ArrayLists(gains, np.asarray(n_relevant), np.asarray(relevance, float))
    assert_array_equal(value, formula(lists, k if spec.takes_cutoff else None))
