"""Inputs that receval refuses: stored calls of public functions, and the argument that is named.

Commit 1539914c has the program that recorded the calls: those of public functions that ended in an
`InputError` while the tests ran, if they could be stored and were refused again in the same way.
"""

import io
import pickle
import pkgutil
import warnings
from contextlib import suppress

import pandas as pd

import receval

ROOMS = [
    "", "metrics", "metrics.ranking", "metrics.prediction", "metrics.classification",
    "metrics.beyond_accuracy", "metrics.retrieval", "metrics.group", "metrics.discounts",
    "splitting", "significance", "tables", "working", "evaluation", "matchmaking", "groups",
    "fuzzy", "fuzzy.recommend", "retrieval", "people", "datasets", "plots", "learn", "ledger",
]  # fmt: skip


def to_index(column, name=None):
    """Return an index of an array and the name of its type."""
    array, dtype = column
    return pd.Index(array, dtype=dtype, name=name)


def to_series(column, index, name=None):
    """Return a series of an array and the name of its type."""
    array, dtype = column
    return pd.Series(array, to_index(index), dtype=dtype, name=name)


def to_frame(columns, names, name_of_names, index, name_of_index):
    """Return a frame of its columns and labels."""
    series = [pd.Series(array, dtype=dtype) for array, dtype in columns]
    frame = pd.concat(series, axis=1) if series else pd.DataFrame(index=range(len(index[0])))
    frame.columns = to_index(names, name_of_names)
    frame.index = to_index(index, name_of_index)
    return frame


RENAMED = {
    "receval.measure": "receval.definitions",
    "receval.definitions.names": "receval.definitions.definition",
    "receval.fuzzy.quantifiers": "receval.fuzzy.challenge_response",
    "receval.metrics.discounts.grades": "receval.metrics.discounts",
    "receval.metrics.discounts.ranks": "receval.metrics.discounts",
    "receval.metrics.connectives.implications": "receval.metrics.connectives.formulas",
    "receval.metrics.connectives.conjunctions": "receval.metrics.connectives.formulas",
    "receval.metrics.connectives.disjunctions": "receval.metrics.connectives.formulas",
    "receval.metrics.retrieval.ranking": "receval.metrics.case_ranking",
}
"""Modules that have another name today, by the name that they had when the calls were stored."""


class Reader(pickle.Unpickler):
    """Read stored arguments, whose classes may live in a renamed module."""

    def find_class(self, module, name):
        """Return a class by the module and the name that were stored."""
        for old, new in RENAMED.items():
            if module == old or module.startswith(f"{old}."):
                module = new + module.removeprefix(old)
        return super().find_class(module, name)


def public_function(name):
    """Return a public function by its name, such as "metrics.ndcg"; None if it is gone.

    Functions that receval offered directly when the calls were stored may be in their room only.
    """
    room, _, function = name.rpartition(".")
    for place in [room] if room else ROOMS:
        with suppress(ImportError, AttributeError):
            return pkgutil.resolve_name(f"receval.{place}".rstrip(".") + f":{function}")
    return None


def replay(name, stored):
    """Call a public function with stored arguments; return the argument that its refusal names."""
    function = public_function(name)
    if function is None:
        return "nothing: the function is gone"
    positional, named = Reader(io.BytesIO(stored)).load()
    with warnings.catch_warnings(action="ignore"):
        try:
            function(*positional, **named)
        except receval.InputError as error:
            return str(error).partition(" must ")[0].partition("[")[0][:60]
        except TypeError as error:  # such as "unexpected keyword argument 'subtopic'"
            return f"nothing: {error}"
    return "nothing: the call is accepted"
