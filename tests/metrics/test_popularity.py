"""Popularity, inverse user frequency and Gini: RecTools' examples, other formulas, parts."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scale_data import evaluate_in_parts

from receval import InputError, evaluate, load, working
from receval.evaluation import pooled
from receval.metrics.beyond_accuracy import (
    average_popularity,
    exposure_gini,
    inverse_user_frequency,
)

RNG = np.random.default_rng(6)
TRUTH = pd.DataFrame({"user": [1, 2, 3], "item": [1, 1, 2], "relevance": 1})


def lists(**items):
    rows = [(int(u[1:]), i, -rank) for u, own in items.items() for rank, i in enumerate(own)]
    return pd.DataFrame(rows, columns=["user", "item", "score"])


def history(pairs):
    return pd.DataFrame(pairs, columns=["user", "item"])


def test_popularity_as_in_the_example_of_rectools():
    """The docstring of RecTools 0.19.0, `AvgRecPopularity`."""
    past = history([(1, 1), (1, 2), (2, 1), (2, 3), (3, 1), (3, 2)])
    recs = lists(u1=[1, 2], u2=[3, 1, 2], u3=[3, 2])
    found = evaluate(recs, TRUTH, ["ARP@1", "ARP@3"], history=past).per_user
    assert found["ARP@1"].tolist() == [3, 1, 1]
    assert found["ARP@3"].tolist() == [2.5, 2, 1.5]


def test_inverse_user_frequency_as_in_the_example_of_rectools():
    """The docstring of RecTools 0.19.0, `MeanInvUserFreq`; item 3 is in no history."""
    past = history([(1, 1), (1, 2), (2, 1), (3, 1)])
    recs = lists(u1=[3], u2=[2, 3], u3=[1, 2])
    found = evaluate(recs, TRUTH, ["MIUF@1", "MIUF@3"], history=past).per_user
    assert_allclose(found["MIUF@1"], [1.5849625, 1.5849625, 0], atol=1e-8)
    assert_allclose(found["MIUF@3"], [1.5849625, 1.5849625, 0.79248125], atol=1e-8)


def test_rows_count_for_popularity_and_users_for_frequency():
    past = history([(1, 1), (1, 1), (1, 1), (2, 2), (9, 7)])
    recs = lists(u1=[1, 2])
    result = evaluate(recs, TRUTH, ["ARP", "MIUF", "ARP@1"], history=past)
    assert result.per_user.loc[1].tolist() == [2, np.log2(3), 3]
    assert result.n.loc[""].tolist() == [1, 1, 1]  # users 2 and 3 have no list
    terms = result.explain(1, "MIUF").table
    assert terms["users"].tolist() == [1, 1]
    assert terms["MIUF"].iloc[-1] == np.log2(3)


@pytest.mark.parametrize(("n_items", "shape"), [(5, (4, 3)), (40, (30, 6)), (3, (9, 1))])
def test_gini_is_half_the_relative_mean_difference(n_items, shape):
    items = np.where(RNG.random(shape) < 0.2, -1, RNG.integers(0, n_items, shape))
    shown = np.array([(items == item).sum() for item in range(n_items)])
    pairs = np.abs(shown[:, np.newaxis] - shown).mean()
    assert exposure_gini(items, n_items) == pytest.approx(pairs / (2 * shown.mean()), rel=1e-14)


def test_gini_by_hand():
    assert exposure_gini([[0, 1], [2, 3]], 4) == 0
    assert exposure_gini([[2], [2]], 4) == 0.75
    assert np.isnan(exposure_gini([[-1]], 4))
    table = working.exposure_gini([[0, 1], [0, 2], [0, -1]], 4)
    assert table["lists"].tolist() == [0, 1, 1, 3]
    assert table["term"].sum() / (4 * 5) == exposure_gini([[0, 1], [0, 2], [0, -1]], 4)
    assert table["Gini"].iloc[-1] == table.attrs["value"] == 0.45


@pytest.mark.parametrize("kind", [int, str])
def test_gini_of_tables_of_folds_and_of_files(tmp_path, kind):
    """Gini finds items that both halves show by their ids, whatever their type."""
    user, rank = np.indices((30, 4))
    item = RNG.permuted(np.tile(np.arange(12), (30, 1)), axis=1)[:, :4]
    columns = {"user": user.ravel(), "item": item.ravel(), "score": -rank.ravel()}
    recs = pd.DataFrame(columns).astype({"item": kind})
    truth = recs.drop_duplicates("user")[["user", "item"]].assign(relevance=1)
    how = {"items": pd.DataFrame(index=[kind(one) for one in range(20)])}
    wanted = exposure_gini(item[:, :3], 20)
    assert evaluate(recs, truth, "Gini@3", **how).summary.iloc[0, 0] == wanted
    halves = {half: truth[truth["user"] % 3 == 0] if half else truth[truth["user"] % 3 > 0]
              for half in (0, 1)}  # fmt: skip
    folds = {half: evaluate(recs, own, "Gini@3", **how) for half, own in halves.items()}
    assert pooled(folds, set_level="union").summary.loc["", "Gini@3"] == wanted
    for fold in folds:
        folds[fold].save(tmp_path / f"{fold}.receval")
    loaded = {fold: load(tmp_path / f"{fold}.receval") for fold in folds}
    assert pooled(loaded, set_level="union").summary.loc["", "Gini@3"] == wanted


def test_a_history_in_parts_is_refused(tmp_path):
    recs, past = lists(u1=[1, 2], u2=[2]), history([(1, 1), (2, 1)])
    for name, table in (("recs", recs), ("truth", TRUTH), ("past", past)):
        table.to_parquet(tmp_path / f"{name}.parquet", index=False)
    paths = [tmp_path / f"{name}.parquet" for name in ("recs", "truth")]
    how = {"history": tmp_path / "past.parquet"}
    assert evaluate(*paths, "ARP", **how).summary.iloc[0, 0] == 0.5
    with pytest.raises(InputError, match=r"^history must be in memory for measures of popularity"):
        evaluate_in_parts(*paths, "ARP", **how)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: average_popularity([-1]), r"^interactions must be at least 0; got -1\.0"),
        (lambda: inverse_user_frequency([4], 3), r"^users must be at most n_users, 3; got 4\.0"),
        (lambda: exposure_gini([4], 4), r"^items must lie in the catalogue of 4 items"),
        (lambda: evaluate(lists(u1=[1]), TRUTH, "ARP"), r"^history must be given for ARP"),
        (lambda: evaluate(lists(u1=[1]), TRUTH, "Gini@2"), r"^items must be given for Gini@2"),
    ],
)
def test_rejects(call, message):
    with pytest.raises(InputError, match=message):
        call()
