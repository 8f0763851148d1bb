"""Arrays of items and matrices of scores become tables that receval evaluates."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import Qrel, ScoredDoc
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


class Tensor:
    """An array that only DLPack can read, as tensors on the processor are."""

    def __init__(self, array):
        self.array = array
        self.shape = array.shape

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class ArrayLike(Tensor):
    """A tensor that also converts itself to a NumPy array."""

    def __array__(self, dtype=None, copy=None):
        return self.array


class TensorWithGradient(Tensor):
    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


def _ways(folder):
    """Return the same lists in every form that users have, with further arguments of evaluate."""
    LONG.to_parquet(folder / "recs.parquet")
    write_run(LONG, folder / "recs.run")
    wide = pd.DataFrame(SCORES, index=USERS, columns=ITEMS)
    top = np.zeros(SCORES.shape, bool)
    np.put_along_axis(top, POSITIONS, True, axis=1)
    stored = scipy.sparse.coo_array((SCORES[top], np.nonzero(top)), SCORES.shape)
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
        "pairs": ({u: list(zip(d.item, d.score, strict=True)) for u, d in by_user.items()}, {}),
        "ScoredDoc": ([ScoredDoc(*row) for row in LONG.itertuples(index=False)], {}),
        "iterator": ((ScoredDoc(*row) for row in LONG.itertuples(index=False)), {}),
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
        "DLPack": (lists_from_scores(Tensor(SCORES), k=3, **LISTS), {}),
        "__array__": (lists_from_scores(ArrayLike(SCORES), k=3, **LISTS), {}),
        "nested list": (lists_from_scores(SCORES.tolist(), k=3, **LISTS), {}),
        "COO": (lists_from_scores(stored, k=5, **LISTS), {}),
        "CSR": (lists_from_scores(scipy.sparse.csr_matrix(stored), k=3, **LISTS), {}),
    }  # fmt: skip


def test_the_same_lists_give_the_same_bits_in_every_form(tmp_path):
    wanted = evaluate(LONG, TRUTH, MEASURES).per_user
    ways = _ways(tmp_path)
    assert len(ways) >= 10
    for name, (recs, options) in ways.items():
        found = evaluate(recs, TRUTH, MEASURES, **options).per_user
        assert_frame_equal(found, wanted, check_exact=True, obj=name)


def test_relevance_in_every_form():
    wanted = evaluate(LONG, TRUTH, MEASURES).per_user
    grades = TRUTH.pivot_table("relevance", "user", "item").reindex(columns=ITEMS)
    stored = scipy.sparse.csr_array(grades.fillna(0).to_numpy())
    from_sparse = lists_from_scores(stored, k=len(ITEMS), **LISTS)
    pairs = {"ann": [("x", 2), ("v", 1)], "bob": [("w", 1)], "cem": [("z", 3)]}
    qrels = [Qrel(*row) for row in TRUTH.itertuples(index=False)]
    for relevance, options in [
        (pairs, {}), (qrels, {}), (iter(qrels), {}), (from_sparse, {"relevance_column": "score"})
    ]:  # fmt: skip
        found = evaluate(LONG, relevance, MEASURES, **options).per_user
        assert_frame_equal(found, wanted, check_exact=True)


def test_several_systems_of_records_and_pairs():
    docs = [ScoredDoc(*row) for row in LONG.itertuples(index=False)]
    wanted = evaluate({"A": LONG, "B": LONG.iloc[:2]}, TRUTH, MEASURES)
    found = evaluate({"A": docs, "B": {"ann": [("w", 0.9), ("x", 0.5)]}}, TRUTH, MEASURES)
    assert_frame_equal(found.per_user, wanted.per_user)


def test_a_pair_may_repeat_an_item_only_if_duplicates_are_allowed():
    pairs = {"ann": [("x", 0.4), ("x", 0.9)]}
    with pytest.raises(InputError, match="got user 'ann' with item 'x' twice"):
        evaluate(pairs, TRUTH, "MRR")
    assert evaluate(pairs, TRUTH, "HR", duplicates="first").per_user.loc["ann", "HR"] == 1


# Cuts at k, ties ----------------------------------------------------------------------------------


def _by_hand(scores, mask, k, items, rule):
    """Return the lists as (user, item) pairs, sorted one by one in plain Python."""
    keys = {
        "item": lambda column: items[column],
        "item_descending": lambda column: -items[column],
        "input": lambda column: column,
        "text": lambda column: str(items[column]).encode(),
    }
    pairs = []
    for user, row in enumerate(scores):
        columns = [column for column in range(len(items)) if not mask[user][column]]
        if rule == "trec_eval":
            order = sorted(columns, key=lambda c: (np.float32(row[c]), str(items[c])), reverse=True)
        else:
            order = sorted(columns, key=lambda c: (-row[c], keys[rule](c)))
        pairs += [(user, items[column]) for column in order[:k]]
    return pairs


@given(data=st.data())
def test_the_k_best_items_under_each_rule(data):
    n_users, n_items = data.draw(st.integers(1, 4)), data.draw(st.integers(1, 6))
    cell = st.sampled_from([-np.inf, -1.0, 0.0, 1.0, 1.0 + 1e-12, 2.0])
    shape = {"min_size": n_items, "max_size": n_items}
    scores = data.draw(st.lists(st.lists(cell, **shape), min_size=n_users, max_size=n_users))
    mask = data.draw(st.lists(st.lists(st.booleans(), **shape), min_size=n_users, max_size=n_users))
    items = data.draw(st.permutations(range(7, 7 + n_items)))
    k, rule = data.draw(st.integers(1, 7)), data.draw(st.sampled_from(arrays.TIES[:5]))
    masked = np.ma.masked_array(scores, mask)
    found = lists_from_scores(masked, k=k, items=items, ties=rule)
    wanted = _by_hand(scores, mask, k, items, rule)
    assert list(zip(found["user"], found["item"], strict=True)) == wanted
    # The stored entries of a sparse matrix are the entries that aren't masked, zeros too.
    row, column = np.nonzero(~np.array(mask))
    stored = scipy.sparse.coo_array(
        (np.array(scores)[row, column], (row, column)), (n_users, n_items)
    )
    assert_frame_equal(lists_from_scores(stored, k=k, items=items, ties=rule), found)


def test_trec_eval_cuts_among_scores_that_are_equal_in_32_bits():
    scores = np.array([[0.5 + 1e-12, 0.5, 0.1]])
    lists = lists_from_scores(scores, k=1, items=["a", "b", "c"], ties="trec_eval")
    assert lists["item"].tolist() == ["b"]  # the larger id, although its score is smaller


@pytest.mark.parametrize("rule", ["item", "item_descending", "text", "trec_eval", "input"])
def test_a_cut_at_k_changes_no_value_at_k(rule):
    scores = np.random.default_rng(1).integers(0, 4, (30, 12)).astype(float)
    truth = {user: {user % 12, (7 * user + 3) % 12} for user in range(30)}
    every_item = pd.DataFrame(scores).rename_axis("user").reset_index()
    every_item = every_item.melt("user", var_name="item", value_name="score")
    every_item["item"] = every_item["item"].astype(int)
    wanted = evaluate(every_item, truth, ["nDCG@4", "MAP@4", "MRR@4"], ties=rule)
    lists = lists_from_scores(scores, k=4, ties=rule)
    found = evaluate(lists, truth, ["nDCG@4", "MAP@4", "MRR@4"], ties=rule)
    assert_frame_equal(found.per_user, wanted.per_user, check_exact=True)
    ranked = evaluate(lists, truth, ["nDCG@4", "MAP@4", "MRR@4"], rank="rank")
    assert_frame_equal(ranked.per_user, wanted.per_user, check_exact=True)


@pytest.mark.parametrize("rule", ["optimistic", "pessimistic"])
def test_rules_of_relevance_keep_all_items_with_the_score_of_rank_k(rule):
    scores = [[3.0, 1.0, 1.0, 1.0, 0.0]]
    lists = lists_from_scores(scores, k=2, ties=rule)
    assert lists["item"].tolist() == [0, 1, 2, 3]
    assert "rank" not in lists
    hit = evaluate(lists, {0: [3]}, "HR@2", ties=rule).summary.iloc[0, 0]
    assert hit == (1 if rule == "optimistic" else 0)


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(2)
    scores = rng.integers(0, 5, (40, 9)) / 4
    stored = scipy.sparse.random_array((40, 9), density=0.3, rng=rng, format="csc")
    wanted = lists_from_scores(scores, k=3), lists_from_scores(stored, k=3)
    for cells in (1, 20, 100):
        monkeypatch.setattr(arrays, "BLOCK_CELLS", cells)
        assert_frame_equal(lists_from_scores(scores, k=3), wanted[0])
        assert_frame_equal(lists_from_scores(stored, k=3), wanted[1])


def test_large_whole_scores_stay_apart():
    lists = lists_from_scores(np.array([[2**53, 2**53 + 1, 2**53 + 2]]), k=2)
    assert lists["item"].tolist() == [2, 1]
    assert lists["score"].tolist() == [2**53 + 2, 2**53 + 1]


def test_repeated_entries_add_up_beyond_the_type_of_small_integers():
    entries = np.array([100, 100, 3], np.int8), (np.array([0, 0, 0]), np.array([1, 1, 2]))
    by_row = scipy.sparse.csr_array((entries[0], [1, 1, 2], [0, 3]))
    for stored in (scipy.sparse.coo_array(entries, shape=(1, 3)), by_row):
        lists = lists_from_scores(stored, k=2)
        assert lists["item"].tolist() == [1, 2]
        assert lists["score"].tolist() == [200, 3]


@pytest.mark.parametrize(
    ("dtype", "limit"), [("float16", 2**11), ("float32", 2**24), ("float64", 2**53)]
)
def test_ids_that_a_type_cannot_tell_apart_are_refused(dtype, limit):
    assert lists_from_items(np.array([[limit - 1]], dtype))["item"].tolist() == [limit - 1]
    bits = limit.bit_length() - 1
    message = rf"ids must hold whole numbers below 2\^{bits}, because {dtype} rounds"
    with pytest.raises(InputError, match=message):
        lists_from_items(np.array([[limit + 1]], dtype))  # the type rounds it


@pytest.mark.parametrize("backend", ["numpy_nullable", "pyarrow"])
def test_scores_of_nullable_types_are_numbers(backend):
    frame = pd.DataFrame(SCORES, index=USERS, columns=ITEMS)
    nullable = frame.convert_dtypes(dtype_backend=backend)
    assert_frame_equal(lists_from_scores(nullable, k=3), lists_from_scores(frame, k=3))
    mixed = frame.assign(z=nullable["z"])
    assert_frame_equal(lists_from_scores(mixed, k=3), lists_from_scores(frame, k=3))
    large = pd.DataFrame([[2**53, 2**53 + 1]]).convert_dtypes(dtype_backend=backend)
    assert lists_from_scores(large, k=1)["item"].tolist() == [1]
    missing = frame.mask(frame == 0.9).convert_dtypes(dtype_backend=backend)
    with pytest.raises(
        InputError, match="scores must not be NaN; got NaN for user 'ann' with item 'w'"
    ):
        lists_from_scores(missing, k=3)


def test_masked_integers_are_no_candidates_even_below_the_smallest_number():
    smallest = np.iinfo(np.int8).min
    scores = np.ma.masked_array(np.array([[smallest, 5, 3]], np.int8), [[False, True, False]])
    assert lists_from_scores(scores, k=3)["item"].tolist() == [2, 0]


def test_values_below_the_mask_of_ids_do_not_count():
    lists = lists_from_items(np.ma.masked_array([[1.0, 2.5], [2.0, 3.0]], [[0, 1], [0, 0]]))
    assert lists["item"].tolist() == [1, 2, 3]
    objects = np.array([["x", 0.5], ["y", "z"]], dtype=object)
    lists = lists_from_items(np.ma.masked_array(objects, [[0, 1], [0, 0]]))
    assert lists["item"].tolist() == ["x", "y", "z"]


def test_columns_of_several_levels_are_refused():
    # Pivoting a table without values= gives such columns.
    scores = pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("s", "a"), ("s", "b")]))
    with pytest.raises(InputError, match=r"^items must be ids; got a MultiIndex of 2 levels"):
        lists_from_scores(scores, k=1)


def test_whole_floats_with_missing_values_are_integers():
    array = np.array([[2.0, None], [1, np.nan]], dtype=object)
    lists = lists_from_items(array)
    assert lists["item"].tolist() == [2, 1]
    assert lists["item"].dtype == np.int64
    assert lists_from_items(array, items=list("xyz"))["item"].tolist() == ["z", "y"]
    assert array[0, 0] == 2.0
    assert isinstance(array[0, 0], float)


def test_empty_ranks_and_users_without_items():
    lists = lists_from_items([[4, -1], [-1, -1], [7, 8]])
    assert lists.to_numpy().tolist() == [[0, 4, 1], [2, 7, 1], [2, 8, 2]]
    same = lists_from_items(np.array([[4, np.nan], [np.nan, np.nan], [7, 8]]))
    assert_frame_equal(lists, same)
    texts = lists_from_items([["a", None], [None, None], ["b", "-1"]])
    assert texts["item"].tolist() == ["a", "b", "-1"]
    assert lists_from_scores(np.zeros((0, 3)), k=2).empty
    assert lists_from_scores(np.ma.masked_all((2, 3)), k=2).empty


def test_the_input_stays_as_it_is():
    stored = scipy.sparse.csr_array(([1.0, 2.0, 3.0], ([0, 0, 0], [2, 1, 2])), (1, 3))
    duplicated = scipy.sparse.csr_array((np.array([1.0, 2.0, 3.0]), [2, 1, 2], [0, 3]), (1, 3))
    assert lists_from_scores(duplicated, k=3)["score"].tolist() == [4.0, 2.0]
    assert duplicated.nnz == 3  # SciPy would add up equal entries in place
    assert_frame_equal(lists_from_scores(stored, k=3), lists_from_scores(duplicated, k=3))
    scores = SCORES.copy()
    scores.flags.writeable = False
    lists_from_scores(scores, k=2)
    lists_from_items(POSITIONS, **LISTS)


# Refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: lists_from_scores([[0.1, np.nan, 0.3]], k=1, users=["ann"], items=list("xyz")),
         r"scores must not be NaN; got NaN for user 'ann' with item 'y'. If NaN .*masked_invalid"),
        (lambda: lists_from_scores(scipy.sparse.csr_array([[0, np.nan]]), k=1), "NaN for user 0 with item 1"),
        (lambda: lists_from_scores([0.1, 0.2], k=1), r"scores must have two axes.*shape \(2,\).*one row: \[scores\]"),
        (lambda: lists_from_scores([[0.1], [0.2, 0.3]], k=1), "scores must have rows of one length"),
        (lambda: lists_from_scores([["a"]], k=1), r"scores must hold real numbers.*lists_from_items\(ids\)"),
        (lambda: lists_from_scores([[1j]], k=1), "scores must hold real numbers"),
        (lambda: lists_from_scores(SCORES, k=0), "k must be a positive integer; got 0"),
        (lambda: lists_from_scores(SCORES, k=1, ties="average"), "ties must be a rule that decides.*k=scores.shape"),
        (lambda: lists_from_scores(SCORES, k=1, ties="items"), "ties must be one of .*'item'"),
        (lambda: lists_from_scores(SCORES, k=1, users=["a"]), "users must have an id for each row of scores, 3 of them; got 1 ids"),
        (lambda: lists_from_scores(SCORES, k=1, items=list("aabcd")), "items must hold each id once; got 'a' twice"),
        (lambda: lists_from_scores(SCORES, k=1, items=["a", None, "b", "c", "d"]), "items must not be missing; got none in place 1"),
        (lambda: lists_from_scores(3, k=1), "scores must be an array with two axes.*'int'"),
        (lambda: lists_from_scores(TensorWithGradient(SCORES), k=1), r"scores must convert to a NumPy array.*requires grad.*detach\(\)"),
        (lambda: lists_from_items([[1, -1, 2]]), r"ids must have empty ranks only at the end of a row; got after an empty rank 2 at index \[0, 2\]"),
        (lambda: lists_from_items([[0.3, 0.9]]), r"ids must hold ids or whole numbers; got 0.3, 0.9.*lists_from_scores"),
        (lambda: lists_from_items([[4, 3], [1.5, None]]), r"ids must hold ids or whole numbers; got 1.5 at index \[1, 0\]\. If these are scores"),
        (lambda: lists_from_items([["a", 0.5], [True, None]]), r"ids must hold ids or whole numbers; got 0.5 at index \[0, 1\], True at index \[1, 0\]"),
        (lambda: lists_from_items([[0, 3]], items=list("xyz")), r"ids must hold positions from 0 to 2 in items, or -1 for an empty rank; got 3 at index \[0, 1\]. Leave items out"),
        (lambda: lists_from_items([["x"]], items=list("xyz")), "ids must hold positions in items; got 'x'. Leave items out"),
        (lambda: lists_from_items([[1], [2]], users=[1, 1]), "users must hold each id once; got 1 twice"),
        (lambda: lists_from_items([[0.3, None]]), r"ids must hold ids or whole numbers; got 0.3.*lists_from_scores"),
        (lambda: lists_from_items(np.array([[True, False]], object), items=list("xy")), "ids must hold ids or whole numbers; got True at"),
        (lambda: lists_from_items(np.zeros((1, 1), complex)), "ids must hold ids, whole numbers or text"),
    ],
)  # fmt: skip
def test_wrong_arrays_are_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


ITEMS_OR_SCORES = (
    r"best first, pass receval.lists_from_items\(array\) and rank='rank'. .* "
    r"pass receval.lists_from_scores\(array, k=10\)$"
)
SCORES_ALONE = r"got .{4,40}. If each row has a score for each item, pass receval.lists_from_scores"


@pytest.mark.parametrize(
    ("recs", "message"),
    [
        (POSITIONS, ITEMS_OR_SCORES),
        (POSITIONS.tolist(), ITEMS_OR_SCORES),
        (Tensor(POSITIONS), ITEMS_OR_SCORES),
        (SCORES, SCORES_ALONE),
        (SCORES.tolist(), SCORES_ALONE),
        (Tensor(SCORES), SCORES_ALONE),
        (scipy.sparse.csr_matrix(SCORES), SCORES_ALONE),
        (scipy.sparse.dok_array(SCORES), SCORES_ALONE),
        (np.ma.masked_array(SCORES), SCORES_ALONE),
        ({"A": SCORES, "B": SCORES}, "recommendations of 'A' must be a table.*lists_from_scores"),
        ({"A": POSITIONS[:, :2].tolist()}, f"If they are pairs of item and score, make tuples.*{ITEMS_OR_SCORES}"),
        ({0: SCORES[0], 1: SCORES[1]}, r"got 0.1 in the list for 0. If each user has a score for each item"),
        ([("ann", "x", 0.5)], r"If each tuple has a user, an item and a number: pandas.DataFrame\(rows"),
        ({"ann": [("x", 0.5), "y"]}, "recommendations must have pairs of an item and a number.*got 'y' for 'ann'"),
        ([ScoredDoc("ann", "x", 1.0), "y"], "recommendations must hold records of one type, ScoredDoc; got 'y' in row 1"),
        ([Qrel("ann", "x", 1)], "Were the two tables swapped"),
        (LONG.set_index(["user", "item"])["score"], r"Pass its rename_axis\(\['user', 'item'\]\)"),
    ],
)  # fmt: skip
def test_evaluate_refuses_bare_arrays_and_says_which_line_to_write(recs, message):
    with pytest.raises(InputError, match=message):
        evaluate(recs, TRUTH, "MRR")


def test_a_bare_array_of_relevance_is_refused_with_the_line_to_write():
    with pytest.raises(InputError, match=r"relevance must .* and relevance_column='score'$"):
        evaluate(LONG, np.eye(3) / 2, "MRR")
    with pytest.raises(InputError, match=r"history must .*lists_from_items\(array\)"):
        evaluate(LONG, TRUTH, "MRR", history=POSITIONS)
