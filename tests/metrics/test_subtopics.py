"""alpha-nDCG and ERR-IA: by hand, against ndeval, over ties, and the truth with subtopics."""

import itertools
from fractions import Fraction
from math import log2

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyndeval
import pytest
from ir_measures import Qrel
from numpy.testing import assert_allclose

from receval import InputError, evaluate, load, pooled, read_qrels, working
from receval.measure import matching
from receval.metrics.ranking import (
    alpha_ndcg,
    alpha_ndcg_terms,
    err,
    err_ia,
    err_ia_terms,
    ideal_alpha_dcg_terms,
)

NAMES = [
    "alpha-nDCG@5",
    "alpha-nDCG",
    "alpha-nDCG(alpha=0.7)@3",
    "ERR-IA@5",
    "ERR-IA",
    "ERR-IA(normalization=perfect)@5",
    "ERR-IA(normalization=perfect)",
]
# The user wants a and b. x covers both, y and z cover a, and nobody judged w.
TRUTH = pd.DataFrame(
    {
        "user": "ann",
        "item": ["x", "x", "y", "z"],
        "subtopic": ["a", "b", "a", "a"],
        "relevance": 1,
    }
)
RECS = pd.DataFrame({"user": "ann", "item": ["y", "z", "w", "x"], "score": [4.0, 3.0, 2.0, 1.0]})


def random_tables(seed, n_users=6, n_items=25, n_subtopics=5, *, tied=False, grades=2):
    """Draw recommendations and a truth, in which some users have neither or nothing relevant."""
    rng = np.random.default_rng(seed)
    judgments = []
    recommended = []
    for user in range(n_users):
        for item in rng.choice(n_items, rng.integers(1, 18), replace=False):
            n_judged = rng.integers(1, n_subtopics + 1)
            for subtopic in rng.choice(n_subtopics, n_judged, replace=False):
                judgments.append((user, item, subtopic, rng.integers(0, grades)))
        items = rng.choice(n_items, rng.integers(1, 22), replace=False)
        scores = rng.integers(0, 4, items.size) if tied else rng.permutation(items.size)
        recommended += [(user, *pair) for pair in zip(items, scores, strict=True)]
    truth = pd.DataFrame(judgments, columns=["user", "item", "subtopic", "relevance"])
    recs = pd.DataFrame(recommended, columns=["user", "item", "score"]).astype({"score": float})
    return recs.sample(frac=1, random_state=seed), truth.sample(frac=1, random_state=seed)


# By hand ------------------------------------------------------------------------------------------


def test_alpha_ndcg_by_hand():
    result = evaluate(RECS, TRUTH, ["alpha-nDCG@4", "alpha-nDCG(alpha=1)@4"], subtopic="subtopic")
    # Gains of the list: 1, 1/2, 0, 1/4 + 1; of the ideal list x, then z and y: 2, 1/2, 1/4.
    listed = 1 + 0.5 / log2(3) + 1.25 / log2(5)
    ideal = 2 + 0.5 / log2(3) + 0.25 / log2(4)
    assert result.per_user.loc["ann", "alpha-nDCG@4"] == pytest.approx(listed / ideal, abs=1e-15)
    # With alpha = 1 only the first item of a subtopic counts.
    assert result.per_user.loc["ann", "alpha-nDCG(alpha=1)@4"] == pytest.approx(
        (1 + 1 / log2(5)) / 2, abs=1e-15
    )


def test_err_ia_by_hand():
    names = ["ERR-IA@4", "ERR-IA(normalization=perfect)@4", "ERR-IA(normalization=perfect)"]
    result = evaluate(RECS, TRUTH, names, subtopic="subtopic").per_user.loc["ann"]
    # Half of the users stop at each relevant item; a has them at ranks 1, 2 and 4, b at rank 4.
    of_a = Fraction(1, 2) + Fraction(1, 4) / 2 + Fraction(1, 8) / 4
    of_b = Fraction(1, 2) / 4
    value = (of_a + of_b) / 2
    perfect = sum(Fraction(1, 2**rank) / rank for rank in range(1, 5))
    assert result[names[0]] == pytest.approx(float(value), abs=1e-15)
    assert result[names[1]] == pytest.approx(float(value / perfect), abs=1e-15)
    # The sum over all ranks of 1 / (2^i i) is ln 2.
    assert result[names[2]] == pytest.approx(float(value) / np.log(2), abs=1e-15)


def test_without_fading_interest_it_is_a_dcg_of_the_numbers_of_subtopics():
    gains = np.array([[1, 0, 1, 0], [1, 0, 0, 1]])
    per_rank = gains.sum(axis=0) / np.log2(np.arange(2, 6))
    assert_allclose(alpha_ndcg_terms(gains, alpha=0), per_rank, rtol=1e-15)
    assert_allclose(ideal_alpha_dcg_terms(gains, alpha=0)[:3], [2, 1 / log2(3), 0.5], rtol=1e-15)


def test_the_greedy_list_takes_the_first_of_equally_good_items():
    # Two items have the gain 2 at rank 1. After the first one, a new subtopic of the last item is
    # left; after the second one, only repeats are.
    covers = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 0]])
    assert_allclose(ideal_alpha_dcg_terms(covers) * np.log2([2, 3, 4]), [2, 1.5, 0.5])
    reordered = ideal_alpha_dcg_terms(covers[:, [1, 0, 2]]) * np.log2([2, 3, 4])
    assert_allclose(reordered, [2, 1.5, 0.5])
    # A rounding error is no difference: 1 + 0.3 + 0.09 in any order is one gain.
    fading = np.array([[1, 1, 0, 0], [1, 0, 0, 1], [0, 0, 1, 1]])
    assert ideal_alpha_dcg_terms(fading, alpha=0.7).shape == (4,)


def test_err_ia_is_the_mean_err_of_the_subtopics():
    gains = np.array([[3, 0, 1, 2.0], [0, 2, 0, 3], [0, 0, 0, 0]])
    expected = err(gains, max_grade=3, k=3).sum() / 3
    assert err_ia(gains, 3, max_grade=3, k=3) == pytest.approx(expected, abs=1e-15)
    assert err_ia_terms(gains, max_grade=3).sum() == pytest.approx(
        err(gains, max_grade=3).sum(), abs=1e-15
    )
    # With a cut-off far below the list, the perfect list is infinitely long.
    far = [err_ia(gains, 3, max_grade=3, k=k, normalization="perfect") for k in (None, 2**50)]
    assert (
        far[0]
        == far[1]
        == pytest.approx(err(gains, max_grade=3).mean() / (7 * np.log(8 / 7)), abs=1e-14)
    )
    assert err_ia([[1000]], 1, max_grade=1000, normalization="perfect") == 1
    with pytest.raises(InputError, match=r"k must be at most 1000000 with normalization='perfect'"):
        err_ia([[0]], 1, max_grade=1e-9, k=2**24, normalization="perfect")
    # Of a scale up to 0 nothing is relevant, and neither variant has a value.
    assert np.isnan(err_ia([[0, 0]], 0, max_grade=0, normalization="perfect"))


def in_plain_python(ranked, judged, k, alpha):
    """Return the alpha-nDCG of a list of items; ``judged`` has the subtopics of each item."""

    def gains_of(items):
        n_covered = {}
        for item in items:
            gain = Fraction(0)
            for subtopic in judged.get(item, ()):
                gain += (1 - alpha) ** n_covered.get(subtopic, 0)
            for subtopic in judged.get(item, ()):
                n_covered[subtopic] = n_covered.get(subtopic, 0) + 1
            yield gain

    def dcg_of(gains):
        return sum(float(gain) / log2(rank + 1) for rank, gain in enumerate(gains, 1))

    ideal = []
    left = sorted(judged, key=str, reverse=True)  # ndeval takes the greatest id of equals
    while left and len(ideal) < k:
        best = max(left, key=lambda item: list(gains_of([*ideal, item]))[-1])
        ideal.append(best)
        left.remove(best)
    return dcg_of(gains_of(ranked[:k])) / dcg_of(gains_of(ideal))


@pytest.mark.parametrize("alpha", [Fraction(1, 2), Fraction(1, 5), Fraction(1)])
def test_alpha_ndcg_is_that_of_plain_python(alpha):
    recs, truth = random_tables(7)
    name = f"alpha-nDCG(alpha={float(alpha):g})@6"
    values = evaluate(recs, truth, name, subtopic="subtopic").per_user[name]
    n_compared = 0
    for user, rows in truth[truth["relevance"] > 0].groupby("user"):
        judged = rows.groupby("item")["subtopic"].agg(list).to_dict()
        of_user = recs[recs["user"] == user].sort_values("score", ascending=False)
        expected = in_plain_python(of_user["item"].tolist(), judged, 6, alpha)
        assert values[user] == pytest.approx(expected, abs=1e-14)
        n_compared += 1
    assert n_compared >= 5


# Against ndeval -----------------------------------------------------------------------------------


def values_of_ndeval(recs, truth, measures, alpha):
    qrels = [
        pyndeval.SubtopicQrel(str(row.user), str(row.subtopic), str(row.item), int(row.relevance))
        for row in truth.itertuples()
    ]
    run = [
        pyndeval.ScoredDoc(str(row.user), str(row.item), row.score)
        for row in recs.sort_values("user").itertuples()
    ]
    return pd.DataFrame(pyndeval.ndeval(qrels, run, measures=measures, alpha=alpha)).T


@pytest.mark.parametrize("alpha", [0.5, 0.7, 0.2, 0, 1])
def test_values_are_those_of_ndeval(alpha):
    cutoffs = (1, 2, 5, 10, 20)
    n_compared = 0
    for seed in range(25):
        recs, truth = random_tables(seed, n_subtopics=1 + seed % 7, n_items=30)
        names = {f"alpha-nDCG@{k}": f"alpha-nDCG(alpha={alpha})@{k}" for k in cutoffs}
        if alpha == 0.5:  # it also gives ndeval's ERR-IA the chance of stopping
            # ndeval does not divide at cut-off 1.
            names |= {
                f"ERR-IA@{k}": f"ERR-IA(max_grade=1, normalization=perfect)@{k}"
                for k in cutoffs[1:]
            }
        theirs = values_of_ndeval(recs, truth, [*names], alpha)
        ours = evaluate(recs, truth, list(names.values()), subtopic="subtopic").per_user
        for measure, name in names.items():
            of_user = ours[name].rename(index=str)[theirs.index]
            assert_allclose(of_user, theirs[measure], rtol=0, atol=2e-15)
        n_compared += theirs.size
    assert n_compared > 500


def test_ndeval_does_not_divide_at_cutoff_1():
    recs, truth = random_tables(3)
    theirs = values_of_ndeval(recs, truth, ["ERR-IA@1"], 0.5)["ERR-IA@1"]
    ours = evaluate(
        recs, truth, "ERR-IA(normalization=perfect)@1", subtopic="subtopic"
    ).per_user.iloc[:, 0]
    relevant = truth[truth["relevance"] > 0]
    n_subtopics = relevant.groupby("user")["subtopic"].nunique()
    assert_allclose(theirs.rename(index=int), ours * n_subtopics, rtol=1e-15)
    assert (ours > 0).any()


# The truth with subtopics -------------------------------------------------------------------------


def test_other_measures_see_the_largest_grade():
    recs, truth = random_tables(11, grades=4)
    names = ["nDCG@5", "MAP", "ERR@5", "bpref", "judged@5", "RMSE"]
    merged = truth.groupby(["user", "item"], as_index=False)["relevance"].max()
    expected = evaluate(recs, merged, names)
    result = evaluate(recs, truth, [*names, *NAMES], subtopic="subtopic")
    pd.testing.assert_frame_equal(result.per_user[names], expected.per_user, check_exact=True)
    pd.testing.assert_frame_equal(result.counts, expected.counts)
    alone = evaluate(recs, truth, names, subtopic="subtopic")
    pd.testing.assert_frame_equal(alone.per_user, expected.per_user, check_exact=True)


def test_input_is_not_modified_and_the_form_of_tables_does_not_matter(tmp_path):
    recs, truth = random_tables(12)
    kept = truth.copy()
    expected = evaluate(recs, truth, NAMES, subtopic="subtopic").per_user
    pd.testing.assert_frame_equal(truth, kept)

    as_text = {"user": str, "item": str, "subtopic": str}
    texts = evaluate(
        recs.astype({"user": str, "item": str}), truth.astype(as_text), NAMES, subtopic="subtopic"
    ).per_user
    pd.testing.assert_frame_equal(texts.rename(index=int), expected, check_exact=True)

    renamed = truth.rename(columns={"item": "doc", "subtopic": "intent", "user": "query"})
    other = evaluate(
        recs, renamed, NAMES, subtopic="intent", item=("item", "doc"), user=("user", "query")
    ).per_user
    pd.testing.assert_frame_equal(other, expected, check_exact=True)

    qrels = [
        Qrel(str(row.user), str(row.item), int(row.relevance), str(row.subtopic))
        for row in truth.itertuples()
    ]
    of_records = evaluate(
        recs.astype({"user": str, "item": str}), qrels, NAMES, subtopic="subtopic"
    ).per_user
    pd.testing.assert_frame_equal(of_records.rename(index=int), expected, check_exact=True)

    path = tmp_path / "truth.qrels"
    lines = [f"{r.user} {r.subtopic} {r.item} {r.relevance}\n" for r in truth.itertuples()]
    path.write_text("".join(lines), encoding="utf-8")
    options = {"subtopic": "subtopic", "ids": "text"}
    pd.testing.assert_frame_equal(
        evaluate(recs, path, NAMES, **options).per_user.rename(index=int),
        expected,
        check_exact=True,
    )
    assert read_qrels(path, subtopics=True)["subtopic"].tolist() == [
        str(subtopic) for subtopic in truth["subtopic"]
    ]
    assert "subtopic" not in read_qrels(path)
    with pytest.raises(InputError, match=r"Pass subtopic='subtopic'$"):
        evaluate(recs, path, NAMES, **(options | {"subtopic": "intent"}))


def test_parts_and_dask_give_the_same_bits(tmp_path):
    recs, truth = random_tables(13, n_users=40, tied=True)
    options = {"subtopic": "subtopic", "ties": "text"}
    expected = evaluate(recs, truth, NAMES, **options)
    recs.to_parquet(tmp_path / "recs.parquet")
    truth.to_parquet(tmp_path / "truth.parquet")
    in_parts = evaluate(
        tmp_path / "recs.parquet",
        tmp_path / "truth.parquet",
        NAMES,
        output=tmp_path / "values.receval",
        **options,
    )
    pd.testing.assert_frame_equal(in_parts.per_user, expected.per_user, check_exact=True)
    assert in_parts.explain(3, NAMES[0]).table.equals(expected.explain(3, NAMES[0]).table)
    on_dask = evaluate(
        dd.from_pandas(recs, npartitions=3), dd.from_pandas(truth, npartitions=2), NAMES, **options
    )
    pd.testing.assert_frame_equal(on_dask.per_user, expected.per_user, check_exact=True)


def test_blocks_do_not_matter(monkeypatch):
    recs, truth = random_tables(14, n_users=30, tied=True)
    whole = evaluate(recs, truth, NAMES, subtopic="subtopic", ties="average")
    monkeypatch.setattr(matching, "BLOCK_ROWS", 40)
    monkeypatch.setattr(matching, "SUBTOPICS_PER_BLOCK", 2)
    blocks = evaluate(recs, truth, NAMES, subtopic="subtopic", ties="average")
    pd.testing.assert_frame_equal(blocks.per_user, whole.per_user, check_exact=True)
    some = whole.where(users=[3, 5, 8])
    pd.testing.assert_frame_equal(some.per_user, whole.per_user.loc[[3, 5, 8]], check_exact=True)


def test_a_saved_result_knows_the_column(tmp_path):
    systems = {"y first": RECS, "x first": RECS.assign(score=-RECS["score"])}
    result = evaluate(systems, TRUTH, NAMES, subtopic="subtopic")
    result.save(tmp_path / "values.receval")
    loaded = load(tmp_path / "values.receval")
    pd.testing.assert_frame_equal(loaded.summary, result.summary, check_exact=True)
    loaded = load(tmp_path / "values.receval", recommendations=systems, relevance=TRUTH)
    for name in NAMES:
        again = loaded.explain("ann", name, system="x first").table
        assert again.equals(result.explain("ann", name, system="x first").table)
    assert (result.summary.loc["x first"] > result.summary.loc["y first"]).all()


# Grades -------------------------------------------------------------------------------------------


def test_thresholds_hold_for_each_subtopic():
    truth = TRUTH.assign(relevance=[1, 3, 2, 0])
    names = ["alpha-nDCG@4", "alpha-nDCG(rel=2)@4", "ERR-IA@4"]
    options = {"subtopic": "subtopic"}
    result = evaluate(RECS, truth, names, **options).per_user.loc["ann"]
    from_two = truth[truth["relevance"] >= 2]
    expected = evaluate(RECS, from_two, names, **options).per_user.loc["ann"]
    assert result["alpha-nDCG(rel=2)@4"] == expected["alpha-nDCG@4"] != result["alpha-nDCG@4"]
    whole = evaluate(RECS, truth, names, relevant_from=2, **options).per_user.loc["ann"]
    assert whole["alpha-nDCG@4"] == expected["alpha-nDCG@4"]
    # ERR-IA is graded, like ERR: such a threshold does not change it.
    assert whole["ERR-IA@4"] == result["ERR-IA@4"] != expected["ERR-IA@4"]
    largest = evaluate(RECS, truth, "ERR-IA(max_grade=3)@4", **options).per_user.loc["ann"]
    assert largest.tolist() == [result["ERR-IA@4"]]


def test_users_without_list_or_relevant_item_count_as_0_or_are_left_out():
    more = pd.DataFrame(
        {"user": ["bob", "cem"], "item": ["x", "x"], "subtopic": "a", "relevance": [0, 1]}
    )
    recs = pd.concat([RECS, RECS.assign(user="bob")])
    truth = pd.concat([TRUTH, more])
    result = evaluate(recs, truth, NAMES, subtopic="subtopic").per_user
    assert (result.loc[["bob", "cem"]] == 0).to_numpy().all()
    assert (result.loc["ann"] > 0).all()
    both = evaluate(recs, truth, NAMES, subtopic="subtopic", users="both").per_user
    assert both.loc["cem"].isna().all()


# Ties ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_the_mean_over_ties_is_that_over_all_orders(seed):
    rng = np.random.default_rng(seed)
    items = list("abcdefg")
    judgments = [
        ("u", item, subtopic, int(rng.integers(0, 3)))
        for item in "abcdxe"
        for subtopic in "rst"
        if rng.random() < 0.6
    ]
    truth = pd.DataFrame(judgments, columns=["user", "item", "subtopic", "relevance"])
    scores = rng.permutation([2.0, 2.0, 2.0, 1.0, 1.0, 1.0, 1.0])
    recs = pd.DataFrame({"user": "u", "item": items, "score": scores})
    names = [*NAMES, "alpha-nDCG(alpha=0)@3", "alpha-nDCG(alpha=1)@5", "ERR-IA@4"]
    result = evaluate(recs, truth, names, subtopic="subtopic", ties="average")
    upper = [item for item, score in zip(items, scores, strict=True) if score == 2]
    lower = [item for item, score in zip(items, scores, strict=True) if score == 1]
    orders = itertools.product(itertools.permutations(upper), itertools.permutations(lower))
    lists = {str(number): {"u": sum(order, ())} for number, order in enumerate(orders)}
    each = evaluate(lists, truth, names, subtopic="subtopic").per_user
    assert len(each) == 144
    assert_allclose(result.per_user.loc["u"], each.mean(), rtol=1e-13)
    assert (each.max() > each.min()).all()


def test_items_of_one_grade_are_tied_if_their_subtopics_differ():
    recs = pd.DataFrame({"user": "ann", "item": ["x", "y"], "score": 1.0})
    names = ["alpha-nDCG@1", "nDCG@1"]
    average = evaluate(recs, TRUTH, names, subtopic="subtopic", ties="average").per_user
    # x has the gain 2 and y has 1; their grades are equal.
    assert average.loc["ann"].tolist() == [0.75, 1.0]
    first = evaluate(recs, TRUTH, names, subtopic="subtopic", ties="item_descending").per_user
    assert first.loc["ann"].tolist() == [0.5, 1.0]


def test_a_note_says_that_ties_matter_although_no_range_is_known():
    recs = pd.DataFrame({"user": "ann", "item": ["x", "y"], "score": 1.0})
    result = evaluate(recs, TRUTH, ["alpha-nDCG@1", "nDCG@1"], subtopic="subtopic")
    ties = result.ties().loc["alpha-nDCG@1"]
    assert ties[["expected", "value"]].tolist() == [0.75, 1.0]
    assert ties[["pessimistic", "optimistic"]].isna().all()
    note = "means depend on the order of equal scores: alpha-nDCG@1 1.0000 (expected 0.7500); see"
    assert note in repr(result)
    apart = evaluate(recs.assign(score=[2.0, 1.0]), TRUTH, "alpha-nDCG@1", subtopic="subtopic")
    assert "order of equal scores" not in repr(apart)


# The working --------------------------------------------------------------------------------------


def test_explain_shows_the_terms():
    result = evaluate(RECS, TRUTH, NAMES, subtopic="subtopic")
    for name in NAMES:
        explained = result.explain("ann", name).table
        assert explained["subtopics"].tolist()[:4] == ["a", "a", "", "a, b"][: len(explained)]
        column = name.partition("@")[0].partition("(")[0]
        last = explained[column].iloc[-1]
        assert last == pytest.approx(result.per_user.loc["ann", name], abs=1e-15)
        assert explained.attrs["value"] == result.per_user.loc["ann", name]
    alpha = result.explain("ann", "alpha-nDCG@5").table
    assert alpha["gain"].tolist() == [1, 0.5, 0, 1.25]
    assert alpha["ideal gain"].tolist() == [2, 0.5, 0.25, 0]


def test_the_working_shows_the_longer_ideal_list():
    table = working.alpha_ndcg([[1]], [[1, 1, 1]], items=["x"])
    assert table["item"].tolist() == ["x", "", ""]
    assert table["term"].tolist() == [1, 0, 0]
    assert table["alpha-nDCG"].iloc[-1] == alpha_ndcg([[1]], [[1, 1, 1]])
    assert table["subtopics"].tolist() == ["1", "", ""]
    with pytest.raises(InputError, match="subtopics must name 2 rows; got 1"):
        working.alpha_ndcg([[1], [1]], [[1], [1]], subtopics=["a"])
    with pytest.raises(InputError, match=r"gains must be one list \(two axes\); got shape"):
        working.err_ia([[[1]]], 1, max_grade=1)


# Refusals -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("alpha-nDCG(alpha=1.5)@10", "alpha must be a number from 0 to 1; got 1.5"),
        ("alpha-nDCG(alpha=-0.1)", "alpha must be a number from 0 to 1"),
        ("alpha-nDCG(p=0.5)", r"alpha-nDCG takes \(only alpha, rel\)"),
        ("ERR-IA(normalization=ideal)", "normalization must be one of 'none', 'perfect'"),
        ("ERR-IA(max_grade=-1)", "max_grade must be a number from 0 to 1000"),
    ],
)
def test_refuses_wrong_options(name, message):
    with pytest.raises(InputError, match=message):
        evaluate(RECS, TRUTH, name, subtopic="subtopic")


def test_refuses_to_do_without_subtopics():
    distinct = TRUTH.drop_duplicates("item")
    rule = "subtopic must be given for alpha-nDCG@10: the column of relevance that names"
    with pytest.raises(InputError, match=rule):
        evaluate(RECS, distinct, "alpha-nDCG@10")
    with pytest.raises(InputError, match=r"one column 'intent'.*Pass subtopic='subtopic'"):
        evaluate(RECS, TRUTH, "alpha-nDCG@10", subtopic="intent")
    with pytest.raises(
        InputError, match="subtopic must be left out if all tables are dicts of users"
    ):
        evaluate({"ann": ["x"]}, {"ann": {"x"}}, "nDCG@10", subtopic="subtopic")


def test_repeated_rows_are_errors_that_name_subtopic():
    message = (
        r"relevance must hold each item of a user at most once; got user 'ann' with item 'x' twice"
        r".*If each row is for one subtopic of the user, pass subtopic='subtopic'"
    )
    with pytest.raises(InputError, match=message):
        evaluate(RECS, TRUTH, "nDCG@10")
    with pytest.raises(InputError, match="at most once") as without_column:
        evaluate(RECS, TRUTH.drop(columns="subtopic"), "nDCG@10")
    assert "subtopic" not in str(without_column.value)
    twice = pd.concat([TRUTH, TRUTH.iloc[[1, 3]]])
    message = (
        "relevance must hold each item of a user at most once for each subtopic; got user 'ann' "
        "with item 'x' twice for 'b', user 'ann' with item 'z' twice for 'a'. "
        "Decide which grade counts"
    )
    with pytest.raises(InputError, match=message):
        evaluate(RECS, twice, "alpha-nDCG@10", subtopic="subtopic")


def test_refuses_missing_subtopics():
    gap = TRUTH.assign(subtopic=["a", None, "a", "a"])
    with pytest.raises(InputError, match="subtopic of relevance must not be missing"):
        evaluate(RECS, gap, "alpha-nDCG@10", subtopic="subtopic")


def test_refuses_wrong_arrays():
    with pytest.raises(InputError, match=r"gains must have a row for each subtopic \(two axes\)"):
        alpha_ndcg([1, 0], [[1, 0]])
    with pytest.raises(InputError, match="gains must have the same empty ranks for each subtopic"):
        alpha_ndcg_terms([[1, np.nan], [1, 0]])
    with pytest.raises(InputError, match="n_subtopics must be at least the number of subtopics"):
        err_ia([[1, 0], [0, 1]], 1, max_grade=1)
    with pytest.raises(InputError, match="gains must be at most max_grade, 1"):
        err_ia_terms([[2, 0]], max_grade=1)


def test_methods_state_alpha_and_the_grades_of_other_measures():
    text = evaluate(
        RECS, TRUTH, ["alpha-nDCG@4", "HR@1", "HR@2", "MAP"], subtopic="subtopic"
    ).methods()
    assert "and alpha is 0.5 unless the name of the measure says otherwise." in text
    assert "For HR, MAP, the grade of an item is the largest of its subtopics." in text
    alone = evaluate(RECS, TRUTH, "alpha-nDCG@4", subtopic="subtopic").methods()
    assert "largest of its subtopics" not in alone


@pytest.mark.parametrize(("scores", "n_tied"), [([1.0] * 4, 2), ([4.0, 3.0, 2.0, 1.0], 0)])
def test_pooled_folds_know_whether_ties_matter_to_alpha_ndcg(scores, n_tied):
    fold = evaluate(RECS.assign(score=scores), TRUTH, "alpha-nDCG@4", subtopic="subtopic")
    assert pooled({1: fold, 2: fold}).tied_folds == n_tied
