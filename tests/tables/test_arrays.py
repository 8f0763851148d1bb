"""Arrays of items and matrices of scores become tables that receval evaluates."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from ir_measures import ScoredDoc
from pandas.testing import assert_frame_equal

from receval import InputError, evaluate, lists_from_items, lists_from_scores
from receval.tables import arrays

USERS = ["ann", "bob", "cem"]
ITEMS = ["v", "w", "x", "y", "z"]
SCORES = np.array([[0.1, 0.9, 0.5, 0.3, 0.2], [0.8, 0.4, 0.6, 0.7, 0.5], [0.2, 0.1, 0.4, 0.3, 0.9]])
POSITIONS = np.argsort(-SCORES, axis=1)[:, :3]  # no score is there twice
SCORES.flags.writeable = False
LONG = pd.DataFrame(
    [
        *[("ann", "w", 0.9, 1), ("ann", "x", 0.5, 2), ("ann", "y", 0.3, 3)],
        *[("bob", "v", 0.8, 1), ("bob", "y", 0.7, 2), ("bob", "x", 0.6, 3)],
        *[("cem", "z", 0.9, 1), ("cem", "x", 0.4, 2), ("cem", "y", 0.3, 3)],
    ],
    columns=["user", "item", "score", "rank"],
)
TRUTH = pd.DataFrame({"user": ["ann", "bob"], "item": ["x", "w"], "relevance": [2, 1]})
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


WIDE = pd.DataFrame(SCORES, index=USERS, columns=ITEMS)
IDS = np.array(ITEMS)[POSITIONS]
NOT_AMONG_THREE = np.argsort(np.argsort(-SCORES)) >= 3
FROM_ARRAYS = {
    "positions": lists_from_items(POSITIONS, **LISTS),
    "ids": lists_from_items(IDS, users=USERS),
    "wide frame of ids": lists_from_items(pd.DataFrame(IDS, index=USERS)),
    "scores": lists_from_scores(SCORES, k=3, **LISTS),
    "float32": lists_from_scores(SCORES.astype(np.float32), k=3, **LISTS),
    "masked": lists_from_scores(np.ma.masked_array(SCORES, NOT_AMONG_THREE), k=4, **LISTS),
    "__array__": lists_from_scores(ArrayLike(SCORES), k=3, **LISTS),
    "nested list": lists_from_scores(SCORES.tolist(), k=3, **LISTS),
    "wide frame of scores": lists_from_scores(WIDE, k=3),
    "nullable": lists_from_scores(WIDE.convert_dtypes(dtype_backend="numpy_nullable"), k=3),
    "Arrow": lists_from_scores(WIDE.convert_dtypes(dtype_backend="pyarrow"), k=3),
    "matrix": lists_from_scores(np.matrix(SCORES), k=3, **LISTS),
    "one nullable column": lists_from_scores(WIDE.astype({"z": "Float64"}), k=3),
}


@pytest.mark.parametrize("lists", FROM_ARRAYS.values(), ids=FROM_ARRAYS)
def test_the_same_lists_from_every_array(lists):
    assert_frame_equal(lists, LONG[list(lists)], check_dtype=False, rtol=1e-7)


# Cuts at k, ties ----------------------------------------------------------------------------------


@given(
    scores=hnp.arrays(
        float,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=6),
        elements=st.sampled_from([np.nan, -np.inf, -1.0, 0.0, 1.0, 1.0 + 1e-12, 2.0]),
    ),
    k=st.integers(1, 7),
    random=st.randoms(),
)
def test_the_k_best_items(scores, k, random):
    n_users, n_items = scores.shape
    items = random.sample(range(7, 7 + n_items), n_items)
    lists = lists_from_scores(np.ma.masked_where(np.isnan(scores), scores), k=k, items=items)
    users = np.repeat(np.arange(n_users), n_items)
    long = pd.DataFrame({"user": users, "item": items * n_users, "score": scores.ravel()})
    by_rank = long.dropna().sort_values(["user", "score", "item"], ascending=[True, False, True])
    best = by_rank.groupby("user").head(k)
    assert lists[["user", "item"]].to_numpy().tolist() == best[["user", "item"]].to_numpy().tolist()


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


@pytest.mark.parametrize(
    ("dtype", "limit"), [("float16", 2**11), ("float32", 2**24), ("float64", 2**53)]
)
def test_ids_that_a_type_cannot_tell_apart_are_refused(dtype, limit):
    assert lists_from_items(np.array([[limit - 1]], dtype))["item"].tolist() == [limit - 1]
    message = f"ids must hold ids, or whole numbers below {limit} in {dtype}; got"
    with pytest.raises(InputError, match=message):
        lists_from_items(np.array([[limit + 1]], dtype))  # the type rounds it


# Refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lists_from_scores([[0.1, np.nan, 0.3]], k=1, users=["ann"], items=list("xyz")),
         r"scores must not be NaN; got NaN for user 'ann' with item 'y'. If NaN .*masked_invalid"),
        (lambda: lists_from_scores(WIDE.mask(WIDE == 0.9).convert_dtypes(), k=3), "scores must not be NaN; got NaN for user 'ann' with item 'w'"),
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
        *(
            (lambda frame=frame: lists_from_scores(frame, k=1), r"^scores(\['?[1y]'?\])? must hold whole numbers of at most 2\*\*53")
            for frame in (
                pd.DataFrame([[2**53, 2**53 + 1]], dtype="Int64"),
                pd.DataFrame([[2**53, 2**53 + 1]], dtype="int64[pyarrow]"),
                pd.DataFrame({"x": [0.5], "y": [2**53 + 1]}),
                [[0.5, 2**53 + 1]],
            )
        ),
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


@pytest.mark.parametrize("kind", ["dok_array", "dok_matrix", "csr_array"])
@pytest.mark.parametrize("argument", ["recommendations", "relevance", "history"])
def test_evaluate_refuses_sparse_matrices(kind, argument):
    # Matrices of the DOK format are dicts, but have no truth value.
    tables = {"recommendations": LONG, "relevance": TRUTH}
    matrix = getattr(scipy.sparse, kind)(np.eye(3))
    with pytest.raises(InputError, match=f"{argument} must .*Make a table"):
        evaluate(**{**tables, argument: matrix}, measures="MRR")
