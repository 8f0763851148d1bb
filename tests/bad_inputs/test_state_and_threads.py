"""Rows 62, 65 and 66: inputs stay as they were; other evaluations and threads change nothing."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from bad_inputs.calls import CALLS, HISTORY, ITEMS
from bad_inputs.cases import MEASURES, RECS, TRUTH
from bad_inputs.forms import IN_MEMORY
from scale_data import tables

from receval import evaluate

BEYOND = ("CC@2", "LTP", "ILD", "nov_t", "nov_u")


def frozen(value):
    """Return a read-only array of a list of numbers, and anything else unchanged."""
    if isinstance(value, list) and value and np.asarray(value).dtype.kind in "fiu":
        value = np.array(value)
        value.flags.writeable = False
    return value


def shown(values):
    """Return the texts of small values, with the types of tables."""
    return [(repr(value), repr(getattr(value, "dtypes", None))) for value in values]


@pytest.mark.row(62)
@pytest.mark.parametrize("name", CALLS)
def test_inputs_are_left_alone_and_may_be_read_only(name):
    function, arguments = CALLS[name]
    given = {key: frozen(value) for key, value in arguments.items()}
    before = shown(given.values())
    function(**given)
    assert shown(given.values()) == before


def read_only(frame):
    arrays = {name: frame[name].to_numpy(copy=True) for name in frame}
    for array in arrays.values():
        array.flags.writeable = False
    return pd.DataFrame(arrays, copy=False)


FORMS = {
    **{name: IN_MEMORY[name] for name in ("dict", "Polars", "Arrow")},
    "frame": pd.DataFrame.copy,
    "read-only frame": read_only,
}


@pytest.mark.row(62)
@pytest.mark.parametrize("made", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize("ties", ["trec_eval", "average"])
def test_tables_of_every_form_are_left_alone(made, ties):
    given = [made(frame) for frame in (RECS, TRUTH)]
    before = shown(given)
    result = evaluate(*given, MEASURES, ties=ties)
    result.table()
    result.explain(1, "nDCG@2")
    assert shown(given) == before


@pytest.mark.row(65)
def test_an_evaluation_keeps_nothing_of_another():
    options = {"items": ITEMS, "history": HISTORY}
    names = [*MEASURES, *BEYOND]
    first = evaluate(RECS, TRUTH, names, **options)
    evaluate(RECS.assign(score=[1.0, 5.0, 2.0]), TRUTH.assign(relevance=9), names, **options)
    evaluate(RECS.assign(user=[3, 3, 3], item=[12, 11, 10]), TRUTH, names, **options)
    assert evaluate(RECS, TRUTH, names, **options) == first


@pytest.mark.row(66)
def test_threads_side_by_side_have_the_same_values():
    pairs = [tables(users=60, seed=seed)[:2] for seed in range(4)]
    alone = [evaluate(*pair, MEASURES) for pair in pairs]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda pair: evaluate(*pair, MEASURES), pairs * 6))
    assert together == alone * 6
