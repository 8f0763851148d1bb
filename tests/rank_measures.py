"""Arguments for the array functions of rank measures, which tests find by the measures' specs.

Tests that list functions by name get the other functions from here. So they test a new measure
without an edit.
"""

import inspect

from receval.definitions.definition import STATED
from receval.metrics.spec import PerListFunction, SetLevel

OPTIONS = {"max_grade": 4}
"""Values of options that have no default; a new option of this kind needs a line here."""


def has_formula(spec):
    """Check whether a measure is a sum over ranks, whose working follows from its spec."""
    return not isinstance(spec.computation, (PerListFunction, SetLevel))


def other_functions(listed):
    """Return the array functions of rank measures that are not listed, by their names."""
    functions = {
        spec.function.__name__: spec.function
        for spec in STATED
        if spec.function is not None and has_formula(spec)
    }
    return {name: function for name, function in functions.items() if name not in listed}


def arguments_of(function, **of_lists):
    """Return arguments for a function: those ``of_lists`` that it takes, and its options.

    An option with a default is left out.
    """
    arguments = {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name in of_lists:
            arguments[name] = of_lists[name]
        elif parameter.default is parameter.empty:
            if name not in OPTIONS:
                raise LookupError(
                    f"{function.__name__} has an argument {name!r} without default: add a line "
                    f"'{name}: VALUE' to OPTIONS in tests/rank_measures.py"
                )
            arguments[name] = OPTIONS[name]
    return arguments
