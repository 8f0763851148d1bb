"""Arrays of items and matrices of scores become tables that receval evaluates."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import ScoredDoc
from pandas.testing import assert_frame_equal

from receval import InputError, evaluate, lists_from_items, lists_from_scores, write_run
from receval.tables import arrays

USERS = ["ann", "bob", "cem"]
ITEMS = ["v", "w", "x", "y", "z"]
SCORES = np.array([[0.1, 0.9, 0.5, 0.3, 0.2], [0.8, 0.4, 0.6, 0.7, 0.5], [0.2, 0.1, 0.4, 0.3, 0.9]])
POSITIONS = np.argsort(-SCORES, axis=1)[:, :3]  # no score is there twice
LONG = pd.DataFrame(
    [
        (user, ITEMS[column], score)
        for user, row in zip(USERS, SCORES, strict=True)
        for column, score in sorted(enumerate(row), key=lambda pair: -pair[1])[:3]
    ],
    columns=["user", "item", "score"],
)
TRUTH = pd.DataFrame(
    {"user": ["ann", "ann", "bob", "cem"], "item": ["x", "v", "w", "z"], "relevance": [2, 1, 1, 3]}
)
MEASURES = ["nDCG@3", "MRR", "MAP@2", "Precision@2", "Recall@3", "ERR@3", "RBP@3"]
LISTS = {"users": USERS, "items": ITEMS}


class ArrayLike:
    """A tensor that converts itself to a NumPy array."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


class TensorWithGradient:
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


def _ways(folder):
    """Return the same lists in every form that users have, with further arguments of evaluate."""
    LONG.to_parquet(folder / "recs.parquet")
    write_run(LONG, folder / "recs.run")
    wide = pd.DataFrame(SCORES, index=USERS, columns=ITEMS)
    top = np.zeros(SCORES.shape, bool)
    np.put_along_axis(top, POSITIONS, True, axis=1)
    by_user = dict(tuple(LONG.groupby("user")))
    return {
        "long frame": (LONG, {}),
        "shuffled frame": (LONG.sample(frac=1, random_state=0), {}),
        "wide frame": (lists_from_scores(wide, k=3), {}),
        "Parquet": (folder / "recs.parquet", {}),
        "TREC": (folder / "recs.run", {}),
        "Polars": (pl.from_pandas(LONG), {}),
        "dict of scores": ({u: dict(zip(d.item, d.score, strict=True)) for u, d in by_user.items()}, {}),
        "dict of lists": ({u: d["item"].tolist() for u, d in by_user.items()}, {}),
        "ScoredDoc": (pd.DataFrame(ScoredDoc(*row) for row in LONG.itertuples(index=False)), {}),
        "positions": (lists_from_items(POSITIONS, **LISTS), {"rank": "rank"}),
        "ids": (lists_from_items(np.array(ITEMS)[POSITIONS], users=USERS), {"rank": "rank"}),
        "wide frame of ids": (
            lists_from_items(pd.DataFrame(np.array(ITEMS)[POSITIONS], index=USERS)),
            {"rank": "rank"},
        ),
        "scores": (lists_from_scores(SCORES, k=3, **LISTS), {}),
        "ranks of scores": (lists_from_scores(SCORES, k=3, **LISTS), {"rank": "rank"}),
        "float32": (lists_from_scores(SCORES.astype(np.float32), k=3, **LISTS), {}),
        "masked": (lists_from_scores(np.ma.masked_array(SCORES, ~top), k=4, **LISTS), {}),
        "__array__": (lists_from_scores(ArrayLike(SCORES), k=3, **LISTS), {}),
        "nested list": (lists_from_scores(SCORES.tolist(), k=3, **LISTS), {}),
    }  # fmt: skip


def test_the_same_lists_give_the_same_bits_in_every_form(tmp_path):
    wanted = evaluate(LONG, TRUTH, MEASURES).per_user
    for name, (recs, options) in _ways(tmp_path).items():
        found = evaluate(recs, TRUTH, MEASURES, **options).per_user
        assert_frame_equal(found, wanted, check_exact=True, obj=name)


# Cuts at k, ties ----------------------------------------------------------------------------------


@given(data=st.data())
def test_the_k_best_items(data):
    n_users, n_items = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 6))
    cell = st.sampled_from([-np.inf, -1.0, 0.0, 1.0, 1.0 + 1e-12, 2.0])
    shape = {"min_size": n_items, "max_size": n_items}
    scores = data.draw(st.lists(st.lists(cell, **shape), min_size=n_users, max_size=n_users))
    mask = data.draw(st.lists(st.lists(st.booleans(), **shape), min_size=n_users, max_size=n_users))
    items = data.draw(st.permutations(range(7, 7 + n_items)))
    k = data.draw(st.integers(1, 7))
    masked = np.ma.masked_array(scores, mask)
    found = lists_from_scores(masked, k=k, items=items)
    pairs = []
    for user, scores_of_user in enumerate(scores):
        columns = [column for column in range(n_items) if not mask[user][column]]
        columns.sort(key=lambda column, own=scores_of_user: (-own[column], items[column]))
        pairs += [(user, items[column]) for column in columns[:k]]
    assert list(zip(found["user"], found["item"], strict=True)) == pairs


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(2)
    scores = rng.integers(0, 5, (40, 9)) / 4
    wanted = lists_from_scores(scores, k=3)
    for cells in (1, 20, 100):
        monkeypatch.setattr(arrays, "BLOCK_CELLS", cells)
        assert_frame_equal(lists_from_scores(scores, k=3), wanted)


MASK = [[0, 1], [0, 0]]
OBJECTS = np.array([["x", 0.5], ["y", "z"]], dtype=object)
SMALLEST = np.array([[np.iinfo(np.int8).min, 5, 3]], np.int8)


@pytest.mark.parametrize(
    ("call", "rows"),
    [
        pytest.param(
            lambda: lists_from_items(np.ma.masked_array([[1.0, 2.5], [2.0, 3.0]], MASK)),
            [[0, 1, 1], [1, 2, 1], [1, 3, 2]],
            id="a decimal below the mask of ids",
        ),
        pytest.param(
            lambda: lists_from_items(np.ma.masked_array(OBJECTS, MASK)),
            [[0, "x", 1], [1, "y", 1], [1, "z", 2]],
            id="a number below the mask of texts",
        ),
        *(
            pytest.param(
                lambda items=items: lists_from_items(items),
                [[0, 4, 1], [2, 7, 1], [2, 8, 2]],
                id=id,
            )
            for id, items in (
                ("empty ranks", [[4, -1], [-1, -1], [7, 8]]),
                ("NaN at the end", np.array([[4, np.nan], [np.nan, np.nan], [7, 8]])),
            )
        ),
        pytest.param(
            lambda: lists_from_items([["a", None], [None, None], ["b", "-1"]]),
            [[0, "a", 1], [2, "b", 1], [2, "-1", 2]],
            id="None at the end",
        ),
        pytest.param(lambda: lists_from_scores(np.zeros((0, 3)), k=2), [], id="no user"),
        pytest.param(lambda: lists_from_scores(np.ma.masked_all((2, 3)), k=2), [], id="all masked"),
        pytest.param(
            lambda: lists_from_scores(np.ma.masked_array(SMALLEST, [[0, 1, 0]]), k=3),
            [[0, 2, 3, 1], [0, 0, -128, 2]],
            id="a masked integer beside the smallest",
        ),
    ],
)
def test_lists_by_hand(call, rows):
    assert call().to_numpy().tolist() == rows


def test_the_input_stays_as_it_is():
    scores = SCORES.copy()
    scores.flags.writeable = False
    lists_from_scores(scores, k=2)


@pytest.mark.parametrize(
    ("dtype", "limit"), [("float16", 2**11), ("float32", 2**24), ("float64", 2**53)]
)
def test_ids_that_a_type_cannot_tell_apart_are_refused(dtype, limit):
    assert lists_from_items(np.array([[limit - 1]], dtype))["item"].tolist() == [limit - 1]
    message = f"ids must hold ids, or whole numbers below {limit} in {dtype}; got"
    with pytest.raises(InputError, match=message):
        lists_from_items(np.array([[limit + 1]], dtype))  # the type rounds it


@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow"])
def test_scores_of_nullable_types_are_numbers(backend):
    frame = pd.DataFrame(SCORES, index=USERS, columns=ITEMS)
    nullable = frame.convert_dtypes(dtype_backend=backend)
    for same in (nullable, frame.assign(z=nullable["z"])):
        assert_frame_equal(lists_from_scores(same, k=3), lists_from_scores(frame, k=3))
    missing = frame.mask(frame == 0.9).convert_dtypes(dtype_backend=backend)
    with pytest.raises(
        InputError, match="scores must not be NaN; got NaN for user 'ann' with item 'w'"
    ):
        lists_from_scores(missing, k=3)


# Refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lists_from_scores([[0.1, np.nan, 0.3]], k=1, users=["ann"], items=list("xyz")),
         r"scores must not be NaN; got NaN for user 'ann' with item 'y'. If NaN .*masked_invalid"),
        (lambda: lists_from_scores(scipy.sparse.csr_array(SCORES), k=1), r"scores must have two axes.*got csr_array .*make a table of row, col and data"),
        (lambda: lists_from_scores([0.1, 0.2], k=1), r"scores must have two axes.*shape \(2,\).*one row: \[scores\]"),
        (lambda: lists_from_scores([[0.1], [0.2, 0.3]], k=1), "scores must .* rows of one length"),
        (lambda: lists_from_scores([["a"]], k=1), r"scores must hold real numbers.*lists_from_items\(ids\)"),
        (lambda: lists_from_scores([[1j]], k=1), "scores must hold real numbers"),
        (lambda: lists_from_scores(SCORES, k=0), "k must be a positive integer; got 0"),
        (lambda: lists_from_scores(SCORES, k=1, users=["a"]), "users must have an id for each row of scores, 3 of them; got 1 ids"),
        (lambda: lists_from_scores(SCORES, k=1, items=list("aabcd")), "items must hold each id once; got 'a' 2 times"),
        (lambda: lists_from_scores(SCORES, k=1, items=["a", None, "b", "c", "d"]), "items must not be missing; got (nan|None) in row 1"),
        (lambda: lists_from_scores(np.array([[2**53, 2**53 + 1, 2**53 + 2]]), k=2), r"^scores must hold whole numbers of at most 2\*\*53"),
        # Pivoting a table without values= gives such columns.
        (lambda: lists_from_scores(pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("s", "a"), ("s", "b")])), k=1), r"^items must hold ids, all integers or all text; got .*\('s', 'a'\)"),
        (lambda: lists_from_scores(3, k=1), r"scores must have two axes.*got int of shape \(\)"),
        (lambda: lists_from_scores(TensorWithGradient(), k=1), r"scores must convert to a NumPy array.*requires grad.*detach\(\)"),
        (lambda: lists_from_items([[1, -1, 2]]), r"ids must have empty ranks only at the end of a row; got 2 at index \[0, 2\]"),
        (lambda: lists_from_items([[0.3, 0.9]]), r"ids must hold ids, or whole numbers below .*; got 0.3 at index \[0, 0\], 0.9 .*lists_from_scores"),
        (lambda: lists_from_items([[4, 3], [1.5, None]]), r"ids must hold ids, all integers or all text; got floating, such as 4.0, 3.0, 1.5"),
        (lambda: lists_from_items([["a", 0.5], [True, None]]), r"ids must hold ids, all integers or all text; got mixed, such as 'a', 0.5, True"),
        (lambda: lists_from_items([[0, 3]], items=list("xyz")), r"ids must hold positions from 0 to 2 in items, or -1 for an empty rank; got 3 at index \[0, 1\]. Leave items out"),
        (lambda: lists_from_items([["x"]], items=list("xyz")), r"ids must hold positions .* in items, .*; got 'x' at index \[0, 0\]. Leave items out"),
        (lambda: lists_from_items([[1], [2]], users=[1, 1]), "users must hold each id once; got 1 2 times"),
        (lambda: lists_from_items([[0.3, None]]), r"ids must hold ids, all integers or all text; got floating, such as 0.3"),
        (lambda: lists_from_items(np.array([[True, False]], object), items=list("xy")), "ids must hold ids, all integers or all text; got boolean"),
        (lambda: lists_from_items(np.zeros((1, 1), complex)), "ids must hold ids, all integers or all text; got complex"),
    ],
)  # fmt: skip
def test_wrong_arrays_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


ARRAYS = r"Make a table: pd\.DataFrame\(rows, .*lists_from_items or receval.lists_from_scores from"


@pytest.mark.parametrize(
    ("recs", "message"),
    [
        (POSITIONS, f"recommendations must be a table .*; got numpy.ndarray. {ARRAYS}"),
        (POSITIONS.tolist(), f"recommendations must be a table .*; got list. {ARRAYS}"),
        (ArrayLike(SCORES), f"recommendations must be a table .*; got .*ArrayLike. {ARRAYS}"),
        (scipy.sparse.csr_matrix(SCORES), f"recommendations must be a table .*{ARRAYS}"),
        ({"A": POSITIONS, "B": LONG}, f"recommendations of 'A' must be a table.*{ARRAYS}"),
        ({"A": POSITIONS}, f"(?s)must have a list of items, or .* for 'A'.*{ARRAYS}"),
        (
            {"ann": SCORES[0], "bob": SCORES[1]},
            "item of recommendations must hold ids.* got floating",
        ),
        ([("ann", "x", 0.5)], f"recommendations must be a table .*; got list. {ARRAYS}"),
        ({"ann": [("x", 0.5), ("y", 0.1)]}, f"numbers by item, .* for 'ann'.*{ARRAYS}"),
        ([ScoredDoc("ann", "x", 1.0)], f"recommendations must be a table .*; got list. {ARRAYS}"),
        (iter([ScoredDoc("ann", "x", 1.0)]), f"recommendations must be a table .*{ARRAYS}"),
        (LONG["score"], f"recommendations must be a table .*; got pandas.Series. {ARRAYS}"),
    ],
)
def test_evaluate_refuses_what_is_no_table_and_says_how_to_make_one(recs, message):
    with pytest.raises(InputError, match=message):
        evaluate(recs, TRUTH, "MRR")


@pytest.mark.parametrize("kind", ["dok_array", "dok_matrix", "csr_array", "coo_matrix"])
@pytest.mark.parametrize("argument", ["recommendations", "relevance", "history"])
def test_evaluate_refuses_sparse_matrices(kind, argument):
    # Matrices of the DOK format are dicts, but have no truth value.
    tables = {
        "recommendations": pd.DataFrame({"user": [1], "item": ["a"], "score": [1.0]}),
        "relevance": pd.DataFrame({"user": [1], "item": ["a"], "relevance": [1]}),
    }
    matrix = getattr(scipy.sparse, kind)(np.eye(3))
    with pytest.raises(InputError, match=f"{argument} must .*Make a table"):
        evaluate(**{**tables, argument: matrix}, measures="MRR")
