"""Rank-biased overlap of two rankings, compared with the infinite sum, and of systems."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from receval import InputError, working
from receval.metrics.ranking import rbo

RNG = np.random.default_rng(16)


def to_the_end_of_time(a, b, p):
    """Compute Webber et al.'s definition: the agreement at the last depth continues for ever."""
    shorter, longer = sorted((a, b), key=len)
    s = len(shorter)

    def agreement(d):
        shared = len({*longer[:d]} & {*shorter[:d]})
        unseen = max(d - s, 0) * len({*longer[:s]} & {*shorter}) / s
        return (shared + unseen) / d

    agreements = [agreement(d) for d in range(1, len(longer) + 1)]
    agreements += [agreements[-1]] * 2_000
    return (1 - p) * sum(p**i * one for i, one in enumerate(agreements))


@pytest.mark.parametrize("p", [0.0, 0.5, 0.9, 0.98])
def test_rbo_is_the_infinite_sum(p):
    for _ in range(25):
        a, b = (RNG.permutation(12)[: RNG.integers(1, 12)].tolist() for _ in range(2))
        wanted = to_the_end_of_time(a, b, p)
        assert rbo(a, b, p=p) == pytest.approx(wanted, rel=1e-12, abs=1e-15)
        assert rbo([*a, -1], [*b, -1, -1], p=p) == rbo(a, b, p=p)
        assert rbo(a, b, p=p, k=3) == rbo(a[:3], b[:3], p=p)
        table = working.rbo(a, b, p=p)
        assert_allclose(table["term"].sum(), rbo(a, b, p=p), atol=1e-15)
        assert table["first"].tolist()[: len(a)] == a


@pytest.mark.parametrize(
    ("first", "second", "value"),
    [
        pytest.param([3, 1, 2], [3, 1, 2], 1, id="equal"),
        pytest.param([3, 1], [2, 0], 0, id="nothing shared"),
        pytest.param([3], [3, 1, 2], 1, id="one goes on where the other ends"),
        pytest.param([], [3], np.nan, id="empty"),
        pytest.param([[-1], [3]], [[3], [3]], [np.nan, 1], id="one of two empty"),
    ],
)
def test_rbo_by_hand(first, second, value):
    assert_allclose(rbo(first, second), value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rbo([1, 1], [2]), r"first must hold each item at most once; got 1"),
        (lambda: rbo([1], [2, -1, 3]), r"second must have -1 at the tail only.*got -1 at index 1"),
        (lambda: rbo([1], [-2]), r"second must be at least 0, or -1"),
        (lambda: rbo([[1], [2]], [[1], [2], [3]]), r"first and second must agree in their leading"),
        (lambda: rbo([1], [2], p=1), r"p must be a number of at least 0 and below 1; got 1$"),
    ],
)
def test_rbo_rejects(call, message):
    with pytest.raises(InputError, match=f"^{message}"):
        call()
