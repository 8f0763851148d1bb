"""Binary preference: cases by hand, all orders of equal scores, and judged items.

`tests/differential` compares it with trec_eval and ir-measures.
"""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from receval import InputError, evaluate, working
from receval.metrics.ranking import bpref

RNG = np.random.default_rng(4)


@pytest.mark.parametrize(
    ("gains", "judged", "counts", "value"),
    [
        pytest.param([1, 0], [1, 1], (1, 1), 1, id="relevant first"),
        pytest.param([0, 1], [1, 1], (1, 1), 0, id="irrelevant first"),
        pytest.param([0, 1], [0, 1], (1, 1), 1, id="what is unjudged does not count"),
        pytest.param([0, 1], [0, 0], (1, 0), 1, id="nothing judged irrelevant"),
        pytest.param([0, 0, 0, 3], [1, 1, 1, 1], (2, 4), 0, id="counted up to the relevant ones"),
        pytest.param([0, 2, 2], [1, 1, 1], (4, 2), 0.25, id="divided by the fewer of both"),
        pytest.param([0, 0], [1, 1], (0, 2), np.nan, id="nothing relevant"),
        pytest.param([1, np.nan], [1, np.nan], (2, 1), 0.5, id="one not found"),
    ],
)
def test_bpref_by_hand(gains, judged, counts, value):
    assert_allclose(bpref(gains, judged, *counts), value)
    if not np.isnan(value):
        assert working.bpref(gains, judged, *counts).attrs["value"] == value


def tables(n=6, users=8):
    """Return lists with few different scores; nobody judged a third of the items."""
    recs, truth = [], []
    for user in range(users):
        recs += [(user, item, score) for item, score in enumerate(RNG.integers(0, 3, n))]
        grades = RNG.choice([0, 0, 1, 2], n)
        truth += [(user, item, grades[item]) for item in range(n) if RNG.random() < 0.7]
        truth += [(user, 99, 0), (user, 98, 1)]  # neither is recommended
    return (
        pd.DataFrame(recs, columns=["user", "item", "score"]),
        pd.DataFrame(truth, columns=["user", "item", "relevance"]),
    )


def test_the_mean_over_equal_scores_is_that_of_all_orders():
    recs, truth = tables()
    mean = evaluate(recs, truth, "bpref", ties="average")
    bounds = []
    for user, own in recs.groupby("user"):
        known = truth[truth["user"] == user].set_index("item")["relevance"]
        counts = (known > 0).sum(), (known == 0).sum()
        values = []
        for order in map(list, permutations(range(len(own)))):
            items = own.iloc[order]
            if (items["score"].diff() > 0).any():
                continue
            gains = known.reindex(items["item"], fill_value=0).to_numpy()
            values.append(bpref(gains, np.isin(items["item"], known.index), *counts))
            if len(values) == 40 and user:  # all orders of the first user, some of the others
                break
        if not user:
            assert mean.per_user.loc[user, "bpref"] == pytest.approx(np.mean(values))
        bounds.append((min(values), max(values)))
    low, high = np.array(bounds).T
    found = {tie: evaluate(recs, truth, "bpref", ties=tie) for tie in ("pessimistic", "optimistic")}
    assert (found["pessimistic"].per_user["bpref"] <= low + 1e-12).all()
    assert (found["optimistic"].per_user["bpref"] >= high - 1e-12).all()
    row = mean.ties().loc["bpref"]
    for tie, result in found.items():
        assert row[tie] == pytest.approx(result.summary.iloc[0, 0], abs=1e-15)
    assert row["pessimistic"] < row["expected"] < row["optimistic"]


def test_judged_are_the_rows_of_relevance():
    recs = pd.DataFrame({"user": 1, "item": ["a", "b", "c"], "score": [3, 2, 1]})
    truth = pd.DataFrame({"user": 1, "item": ["b", "c"], "relevance": [0, 1]})
    more = pd.concat([truth, pd.DataFrame({"user": [1], "item": ["a"], "relevance": [-1]})])
    assert evaluate(recs, truth, "bpref").summary.iloc[0, 0] == 0
    assert evaluate(recs, truth[1:], "bpref").summary.iloc[0, 0] == 1
    unjudged = evaluate(recs, more, "bpref", convention="trec_eval")
    assert unjudged.summary.iloc[0, 0] == 0
    swapped = more.assign(relevance=[-1, 1, -1])
    assert evaluate(recs, swapped, "bpref", convention="trec_eval").summary.iloc[0, 0] == 1
    twice = pd.concat([recs[1:2].assign(score=9), recs])
    assert evaluate(twice, truth, "bpref", duplicates="first").summary.iloc[0, 0] == 0
    assert "items of grade 0 in the truth are those judged irrelevant" in unjudged.methods()


def test_users_without_answer_or_relevant_item_are_as_in_other_rank_measures():
    recs, truth = tables(users=3)
    truth.loc[truth["user"] == 0, "relevance"] = 0
    answered = recs[recs["user"] != 1]
    for convention in ("receval", "pytrec_eval", "rectools"):
        found = evaluate(answered, truth, ["bpref", "MRR"], convention=convention).per_user
        assert (found["bpref"].isna() == found["MRR"].isna()).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1], [1, 1], 1, 0), r"^n_irrelevant must be at least the number of items judged irr"),
        (([0, 1], [1, 1], 0, 1), r"^n_relevant must be at least the number of relevant items"),
        (([0, 1], [1], 1, 1), r"^gains and judged must have the same length; got 2 and 1"),
        (([0, 1], [1, 2], 1, 1), r"^judged must be boolean, or 0 and 1; got 2\.0"),
    ],
)
def test_rejects(arguments, message):
    with pytest.raises(InputError, match=message):
        bpref(*arguments)
