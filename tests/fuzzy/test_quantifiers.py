"""Four-fold tables, implicational quantifiers, aggregated bodies and regret."""

import itertools

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from receval import InputError, datasets
from receval.fuzzy import (
    FourfoldTable,
    Reduction,
    Situation,
    critical_implication,
    degrees_of_truth,
    founded_implication,
    fourfold_table,
    product,
    selection_regret,
)

COUNTS = st.integers(0, 12)
OFFLINE, ONLINE = datasets.fuzzy_offline_results(), datasets.fuzzy_online_results()


# Quantifiers ----------------------------------------------------------------------------------


def test_a_four_fold_table_by_hand():
    body = [[1.0, 0.5, 0.49], [0.7, 0.2, 0.0]]
    head = [[0.5, 0.4, 1.0], [0.9, 0.1, 0.5]]
    assert fourfold_table(body, head) == (2, 1, 2, 1)


def test_counts_of_small_types_do_not_overflow():
    count = np.int8(100)
    assert founded_implication(FourfoldTable(count, count, 0, 0)).degree == 0.5


@given(COUNTS, COUNTS, st.floats(0.05, 0.99), st.sampled_from([0.01, 0.05, 0.3, 0.5]))
def test_critical_implication_is_the_binomial_test_of_its_definition(a, b, p, alpha):
    result = critical_implication(FourfoldTable(a, b, 0, 0), p=p, alpha=alpha)
    if a + b == 0:
        assert (result.holds, np.isnan(result.degree)) == (False, True)
        return
    tail = scipy.stats.binom.sf(a - 1, a + b, p)
    if abs(tail - alpha) > 1e-9:
        assert result.holds == (tail <= alpha)
    assert result.degree <= founded_implication(FourfoldTable(a, b, 0, 0)).degree
    if a > 0:  # at the degree, the tail is alpha
        assert_allclose(scipy.stats.binom.sf(a - 1, a + b, result.degree), alpha, rtol=1e-6)


@given(COUNTS, COUNTS, st.floats(0.05, 0.99))
def test_quantifiers_are_implicational(a, b, p):
    """More confirming objects, or fewer contradicting ones, never make an implication false."""
    for quantifier in (founded_implication, critical_implication):
        if quantifier(FourfoldTable(a, b, 1, 2), p=p).holds:
            assert quantifier(FourfoldTable(a + 1, b, 5, 0), p=p).holds
            assert quantifier(FourfoldTable(a, max(b - 1, 0), 0, 9), p=p).holds


def test_a_reduction_counts_the_pairs_of_both_relations():
    model = Situation([*"abc"], ["x", "y"], [[1.0, np.nan], [0.6, 0.2], [0.9, 0.9]])
    real = Situation([*"abc"], ["x", "y"], [[1.0, 1.0], [0.0, 1.0], [0.5, np.nan]])
    pairs = Reduction(real, model).table(product)
    assert fourfold_table(pairs["model"], pairs["real"]) == (2, 1, 1, 0)


# Regret ---------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), min_size=2, max_size=6),
    st.integers(1, 6),
)
def test_regret_is_the_mean_over_all_choices_among_the_tied(pairs, top):
    metric, outcomes = np.array(pairs, float).T
    top = min(top, len(pairs))
    tables = pd.DataFrame({"m": metric}), pd.DataFrame({"q": outcomes})
    row = selection_regret(*tables, top=top).loc[("m", "q")]
    if outcomes.max() == 0:
        assert row.isna().all()
        return
    choices = [list(chosen) for chosen in itertools.combinations(range(len(pairs)), top)]
    regrets = np.array([1 - outcomes[chosen].max() / outcomes.max() for chosen in choices])
    sums = np.array([metric[chosen].sum() for chosen in choices])
    expected = [regrets[sums == sums.max()].mean(), regrets.mean()]
    assert_allclose(row[["regret", "by_chance"]], expected, atol=1e-12)


def test_the_regret_of_many_tied_systems_and_huge_outcomes_is_a_number():
    """There are more than 1e308 choices of 500 among 2,000 systems, and sums would overflow."""
    outcomes = np.linspace(0, 1.7e308, 2000)
    tables = pd.DataFrame({"m": np.zeros(2000)}), pd.DataFrame({"q": outcomes})
    regret = selection_regret(*tables, top=500).loc[("m", "q"), "regret"]
    # The best of 500 places drawn from 1 to 2,000 is at place 500 * 2001 / 501 on average.
    assert_allclose(regret, 1 - (500 * 2001 / 501 - 1) / 1999, rtol=1e-9)


# Degrees of truth -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3e-300, 4e-300, 12e-300], [3 / 13, 4 / 13, 12 / 13]),
        ([3e307, 4e307, 12e307], [3 / 13, 4 / 13, 12 / 13]),
        (np.full(100, 1.7e308), 0.1),  # the length of the column is above the largest float
    ],
)
def test_degrees_of_tiny_and_huge_values(values, expected):
    assert_allclose(degrees_of_truth(pd.DataFrame({"x": values}))["x"], expected, rtol=1e-15)


# Refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fourfold_table([0.1, 2], [0, 1]), r"body must be in \[0, 1\]; got 2.0 at index 1"),
        (lambda: founded_implication((1, 2, 3, 4)), "table must be a FourfoldTable"),
        (
            lambda: founded_implication(FourfoldTable(1, -1, 0, 0)),
            "table must be at least 0; got -1",
        ),
        (lambda: founded_implication(FourfoldTable(1, 0, 0, 0), p=0), r"p must be in \(0, 1\]"),
        (
            lambda: critical_implication(FourfoldTable(1, 0, 0, 0), alpha=1),
            "alpha must be a number between 0 and 1; got 1",
        ),
        (lambda: degrees_of_truth(-OFFLINE), r"table\['1-MAE'\] must be at least 0"),
        (lambda: degrees_of_truth(0 * OFFLINE), r"table\['1-MAE'\] must not be all zero"),
        (
            lambda: selection_regret(OFFLINE, ONLINE, top=13),
            "from 1 to 12; got 13",
        ),
        (
            lambda: selection_regret(OFFLINE, ONLINE, top=0),
            "from 1 to 12; got 0",
        ),
        (lambda: selection_regret(OFFLINE, -ONLINE), "online must be at least 0; got -"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=message):
        call()
