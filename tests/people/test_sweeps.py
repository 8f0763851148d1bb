"""Many systems: comparisons of all pairs with the same resampled users."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from receval import InputError, evaluate
from receval._arrays import batches_of_equal_length
from receval.significance import compare_pairs, difference_interval, paired, resampling, wilcoxon

RNG = np.random.default_rng(3)
N = 50
USERS, ITEMS = np.repeat(np.arange(N), 5), np.tile(np.arange(5), N)
TRUTH = pd.DataFrame({"user": USERS, "item": ITEMS, "relevance": RNG.integers(0, 3, 5 * N)})
SYSTEMS = {
    f"k{k} {loss}": TRUTH[["user", "item"]].assign(
        score=RNG.random(5 * N) + k / 40 * TRUTH["relevance"]
    )
    for k in (8, 16, 32)
    for loss in ("bpr", "warp")
}
RESULT = evaluate(SYSTEMS, TRUTH, ["nDCG@3", "MRR"])


def test_all_pairs_share_one_drawing(monkeypatch):
    """A program that resamples users for each pair or measure would draw more often."""
    drawn = []
    draw = resampling.draw_counts
    monkeypatch.setattr(
        resampling.resampled_sums, "__kwdefaults__",
        {"count": None, "weights": lambda *given: drawn.append(1) or draw(*given)},
    )  # fmt: skip
    monkeypatch.setattr(
        resampling.sums_of_rows, "__defaults__",
        (lambda *given: drawn.append(1) or draw(*given),),
    )  # fmt: skip
    monkeypatch.setattr(resampling, "MAX_DRAWN", 10**9)
    values = RNG.random((6, 3_000))
    pairs = [paired(values[a], values[b]) for a in range(6) for b in range(a)]
    monkeypatch.setattr(
        batches_of_equal_length, "__defaults__", (2 * 3_000,)
    )  # tests of two pairs at once
    found = compare_pairs(pairs, test="wilcoxon", n_resamples=200, rng=4, level=0.9, alpha=0.05)
    assert len(drawn) == 1
    monkeypatch.undo()
    for pair, row in zip(pairs[:3], found.itertuples(), strict=False):
        alone = difference_interval(pair.a, pair.b, level=0.9, n_resamples=200, rng=4)
        assert (row.difference, row.low, row.high) == (alone.mean, alone.low, alone.high)
        assert_allclose(row.p, wilcoxon(pair.a, pair.b).p)


def test_without_intervals_nothing_else_changes(monkeypatch):
    whole = RESULT.compare("k8 bpr")
    monkeypatch.setattr("receval.significance.comparing.intervals_at", None)  # is not called
    bare = RESULT.compare("k8 bpr", interval=False)
    expected = whole.results.drop(columns=["low", "high"])
    expected["verdict"] = expected["verdict"].replace(
        {name: f"{name} (test alone)" for name in ("better", "worse")}
    )
    pd.testing.assert_frame_equal(bare.results, expected)
    assert not any("interval" in name for name in bare.to_frame())
    assert "by the test alone" in bare.methods()
    assert "bootstrap" not in bare.methods()
    assert "95% paired bootstrap interval" in whole.methods()
    assert bare.table().to_frame().equals(whole.table().to_frame())
    with pytest.raises(InputError, match="intervals must be drawn to be shown"):
        bare.table(intervals=True)
    with pytest.raises(InputError, match="plot must have intervals to draw"):
        bare.plot()


def test_progress_is_shown_on_request(capsys):
    RESULT.compare(n_resamples=100, progress=True)
    assert "30/30" in capsys.readouterr().err
    RESULT.compare(n_resamples=100)
    assert capsys.readouterr().err == ""
