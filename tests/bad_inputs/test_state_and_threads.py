"""Rows 62 to 66: inputs stay as they were; order, names, hash seeds and threads change nothing."""

import copy
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from bad_inputs.calls import CALLS, HISTORY, ITEMS
from bad_inputs.cases import MEASURES, RECS, TRUTH
from bad_inputs.forms import IN_MEMORY
from numpy.testing import assert_array_equal

from receval import evaluate

BEYOND = ("CC@2", "LTP", "ILD", "nov_t", "nov_u")


def frozen(value):
    """Return read-only arrays, and frames that share the memory of such arrays."""
    if isinstance(value, pd.DataFrame):
        frame = value.copy()
        for name in frame:
            array = frame[name].array
            if hasattr(array, "_ndarray"):
                array._ndarray.flags.writeable = False
        return frame
    if isinstance(value, list) and value and np.asarray(value).dtype.kind in "fiu":
        array = np.array(value)
        array.flags.writeable = False
        return array
    return value


def equal(one, other):
    if isinstance(one, pd.DataFrame):
        pd.testing.assert_frame_equal(one, other, check_exact=True)
    elif isinstance(one, pd.Series):
        pd.testing.assert_series_equal(one, other, check_exact=True)
    elif isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        assert_array_equal(one, other)
    elif not callable(one):
        assert repr(one) == repr(other)


@pytest.mark.row(62)
@pytest.mark.parametrize("name", CALLS)
def test_inputs_are_left_alone_and_may_be_read_only(name):
    function, arguments = CALLS[name]
    given = {key: frozen(value) for key, value in arguments.items()}
    before = {key: copy.deepcopy(value) for key, value in given.items()}
    function(**given)
    for key, value in given.items():
        equal(value, before[key])


@pytest.mark.row(62)
@pytest.mark.parametrize("form", IN_MEMORY)
@pytest.mark.parametrize("ties", ["item", "trec_eval", "input", "average"])
def test_tables_of_every_form_are_left_alone(form, ties):
    given = [IN_MEMORY[form](frame) for frame in (RECS, TRUTH)]
    again = [IN_MEMORY[form](frame) for frame in (RECS, TRUTH)]
    result = evaluate(*given, MEASURES, ties=ties)
    result.table()
    result.explain(1, "nDCG@2")
    for one, other in zip(given, again, strict=True):
        assert one.equals(other) if hasattr(one, "equals") else one == other


def random_tables(rng, users=30, items=20):
    recs = pd.DataFrame({"user": np.repeat(np.arange(users), 8)})
    recs["item"] = np.concatenate([rng.permutation(items)[:8] for _ in range(users)])
    recs["score"] = rng.permutation(len(recs)) * 0.1  # no ties
    truth = recs.sample(frac=0.4, random_state=1)[["user", "item"]]
    return recs, truth.assign(relevance=rng.integers(0, 4, len(truth)))


@pytest.mark.row(63)
@pytest.mark.parametrize("seed", range(5))
def test_order_of_rows_and_names_of_users_change_no_bit(seed):
    rng = np.random.default_rng(seed)
    recs, truth = random_tables(rng)
    plain = evaluate(recs, truth, MEASURES)
    new = pd.Series([f"u{name:x}" for name in rng.permutation(1000)[:30]])
    renamed = [
        frame.assign(user=frame["user"].map(new)).sample(frac=1, random_state=seed)
        for frame in (recs, truth)
    ]
    other = evaluate(*renamed, MEASURES)
    assert_array_equal(other.summary, plain.summary)
    back = other.per_user.loc[new[plain.per_user.index]]
    assert_array_equal(back, plain.per_user)


@pytest.mark.row(63)
def test_names_of_items_change_no_bit_where_nothing_is_tied():
    recs, truth = random_tables(np.random.default_rng(9))
    new = pd.Series(np.random.default_rng(1).permutation(20))
    renamed = [frame.assign(item=frame["item"].map(new)) for frame in (recs, truth)]
    plain, other = evaluate(recs, truth, MEASURES), evaluate(*renamed, MEASURES)
    assert_array_equal(other.per_user, plain.per_user)


SCRIPT = """
import pandas as pd
from receval import evaluate
from receval.fuzzy import recommend
users = [f"u{i % 7}" for i in range(70)]
items = [f"i{(i * 11) % 40}" for i in range(70)]
recs = pd.DataFrame({"user": users, "item": items, "score": [(i * 7) % 13 for i in range(70)]})
recs = recs.drop_duplicates(["user", "item"])
truth = recs.iloc[::3].assign(relevance=[i % 4 for i in range(len(recs.iloc[::3]))])
catalogue = pd.DataFrame({"awards": range(1, 41)}, index=sorted(f"i{i}" for i in range(40)))
found = evaluate(recs, truth, ["nDCG@5", "MAP", "AUC", "CC@3", "LTP"], items=catalogue)
print(found.per_user.map(float.hex).to_csv(), found.summary.map(float.hex).to_csv())
print(found.methods())
"""


@pytest.mark.row(64)
def test_the_hash_seed_changes_no_bit():
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            encoding="utf-8",
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(outputs) == 1
    assert "0x1." in outputs.pop()


@pytest.mark.row(65)
def test_an_evaluation_keeps_nothing_of_another():
    options = {"items": ITEMS, "history": HISTORY}
    names = [*MEASURES, *BEYOND]
    first = evaluate(RECS, TRUTH, names, **options)
    evaluate(
        RECS.assign(score=[1.0, 5.0, 2.0]), TRUTH.assign(relevance=[0, 0, 9]), names, **options
    )
    evaluate(RECS.assign(user=[3, 3, 3], item=[12, 11, 10]), TRUTH, names, **options)
    again = evaluate(RECS, TRUTH, names, **options)
    pd.testing.assert_frame_equal(first.per_user, again.per_user, check_exact=True)
    pd.testing.assert_frame_equal(first.summary, again.summary, check_exact=True)


@pytest.mark.row(66)
def test_threads_side_by_side_have_the_same_values():
    tables = [random_tables(np.random.default_rng(seed), users=60) for seed in range(4)]
    alone = [evaluate(*pair, MEASURES).per_user for pair in tables]
    with ThreadPoolExecutor(4) as pool:
        asked = [pool.submit(evaluate, *tables[i % 4], MEASURES) for i in range(24)]
        together = [task.result().per_user for task in asked]
    for place, found in enumerate(together):
        pd.testing.assert_frame_equal(found, alone[place % 4], check_exact=True)


@pytest.mark.row(66)
def test_one_result_read_by_many_threads():
    recs, truth = random_tables(np.random.default_rng(3))
    result = evaluate(recs.assign(score=recs["score"].round(0)), truth, MEASURES)
    with ThreadPoolExecutor(4) as pool:
        texts = list(pool.map(lambda _: (repr(result), result.ties().to_csv()), range(16)))
    assert len(set(texts)) == 1
