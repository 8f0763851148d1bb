"""Inputs that receval refuses: stored calls of public functions, and the argument that is named.

``python -m pytest -p refusals tests`` with this folder in ``PYTHONPATH`` and
``RECORD_REFUSALS=FILE`` records every call of a public function that ends in an `InputError` while
the tests run. A call is kept if it can be stored, and is refused again in the same way after it was
read back.
"""

import importlib
import inspect
import io
import os
import pickle
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import receval

ROOMS = [
    "", "metrics", "metrics.ranking", "metrics.prediction", "metrics.classification",
    "metrics.beyond_accuracy", "metrics.retrieval", "metrics.group", "metrics.discounts",
    "splitting", "significance", "tables", "working", "evaluation", "matchmaking", "groups",
    "fuzzy", "fuzzy.recommend", "retrieval", "people", "datasets", "plots", "learn", "ledger",
]  # fmt: skip
LARGEST = 20_000  # bytes of one call
FILE = "RECORD_REFUSALS"


class Writer(pickle.Pickler):
    """Pickle frames and series as plain arrays, which each version of pandas can read."""

    def reducer_override(self, value):
        """Return how to build a frame, series or index again."""
        if type(value) is pd.DataFrame:
            columns = [value.iloc[:, place] for place in range(value.shape[1])]
            return to_frame, ([plain(column) for column in columns], *labels(value.columns, value))
        if type(value) is pd.Series:
            return to_series, (plain(value), plain(value.index), value.name)
        if type(value) in (pd.Index, pd.RangeIndex):
            return to_index, (plain(value), value.name)
        return NotImplemented


def plain(values):
    """Return a column as an array, and the name of its type."""
    name = str(values.dtype)
    if isinstance(values.dtype, np.dtype):
        return values.to_numpy(), name
    return values.to_numpy(dtype=object), name


def labels(columns, frame):
    """Return the labels of the columns and the index of a frame."""
    return plain(columns), columns.name, plain(frame.index), frame.index.name


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


def store(arguments):
    """Return the arguments of a call as bytes."""
    file = io.BytesIO()
    Writer(file, protocol=4).dump(arguments)
    return file.getvalue()


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
        try:
            module = importlib.import_module(f"receval.{place}") if place else receval
        except ImportError:
            continue
        if hasattr(module, function):
            return getattr(module, function)
    return None


def public_names():
    """Return the shortest public name of each function by its code."""
    names = {}
    for room in ROOMS:
        module = importlib.import_module(f"receval.{room}") if room else receval
        for name in module.__all__:
            code = getattr(getattr(module, name, None), "__code__", None)
            if code is not None:
                names.setdefault(code, f"{room}.{name}".lstrip("."))
    return names


def replay(name, stored):
    """Call a public function with stored arguments; return the argument that its refusal names."""
    positional, named = Reader(io.BytesIO(stored)).load()
    with warnings.catch_warnings(action="ignore"):
        try:
            public_function(name)(*positional, **named)
        except receval.InputError as error:
            return named_argument(error)
        except TypeError as error:  # such as "unexpected keyword argument 'subtopic'"
            return f"nothing: {error}"
    return "nothing: the call is accepted"


def named_argument(error):
    """Return the argument or column that a message begins with."""
    return str(error).partition(" must ")[0].partition("[")[0][:60]


# Recording ----------------------------------------------------------------------------------------


def outermost_call(names):
    """Return the public name and the arguments of the outermost call of receval, or None."""
    package = str(Path(receval.__file__).parent)
    frame, outermost = sys._getframe(2), None
    while frame is not None:
        if frame.f_code.co_filename.startswith(package):
            outermost = frame
        frame = frame.f_back
    if outermost is None or outermost.f_code not in names:
        return None
    code, values = outermost.f_code, outermost.f_locals
    n_positional = code.co_argcount
    positional = [values[name] for name in code.co_varnames[:n_positional]]
    n_named = n_positional + code.co_kwonlyargcount
    named = {name: values[name] for name in code.co_varnames[n_positional:n_named]}
    if code.co_flags & 0x04:  # *arguments
        positional += values[code.co_varnames[n_named]]
        n_named += 1
    if code.co_flags & 0x08:  # **options
        named |= values[code.co_varnames[n_named]]
    return names[code], positional, without_defaults(names[code], named)


def without_defaults(name, named):
    """Return the arguments that differ from the defaults, so that options can go later."""
    parameters = inspect.signature(public_function(name)).parameters
    return {
        argument: value
        for argument, value in named.items()
        if argument not in parameters or not is_default(value, parameters[argument].default)
    }


def is_default(value, default):
    """Return whether a value is the default of its argument."""
    is_plain = type(value) is type(default) and isinstance(value, str | int | float | tuple)
    return value is default or (is_plain and value == default)


def start(calls):
    """Record the calls that end in an `InputError` into a dictionary."""
    names = public_names()

    def remember(error, *arguments):
        ValueError.__init__(error, *arguments)
        try:
            call = outermost_call(names)
            if call is not None:
                name, positional, named = call
                stored = store((positional, named))
                if len(stored) <= LARGEST:
                    calls[name, stored] = None
        except Exception:  # functions and open files can't be stored
            return

    receval.InputError.__init__ = remember


def keep(calls):
    """Return the calls that are refused again after they were read back, as a frame."""
    rows = []
    for name, stored in calls:
        try:
            argument = replay(name, stored)
        except Exception:  # the arguments had changed during the call
            continue
        if not argument.startswith("nothing"):
            rows.append((name, stored, argument))
    return pd.DataFrame(rows, columns=["function", "arguments", "argument"])


CALLS = {}


def pytest_configure():
    """Start to record, if a file is named."""
    if FILE in os.environ:
        start(CALLS)


def pytest_unconfigure(config):
    """Write the calls of this process."""
    if FILE in os.environ:
        receval.InputError.__init__ = ValueError.__init__
        worker = getattr(config, "workerinput", {}).get("workerid", "main")
        path = f"{os.environ[FILE]}.{worker}.parquet"
        keep(CALLS).to_parquet(path, compression="zstd", index=False)
