"""Coverage, long tail, novelty, diversity: cases by hand, padding, refusals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from receval import InputError
from receval.metrics import (
    catalog_coverage,
    intra_list_diversity,
    long_tail_percentage,
    prediction_coverage,
    seen_share,
    short_head,
    temporal_novelty,
    user_novelty,
)
from receval.metrics.beyond_accuracy import (
    intra_list_diversity_terms,
    long_tail_percentage_terms,
    prediction_coverage_terms,
    temporal_novelty_terms,
    user_novelty_terms,
)

nan = np.nan
PAIRS_OF_ITEMS = "similarity must be a number between any two items, and NaN in .* an empty rank"
DIAGONAL = "similarity's diagonal must be a number at every item"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        pytest.param(lambda: prediction_coverage([[4, 2], [-1, -1]]), 1 / 2, id="PC"),
        pytest.param(lambda: prediction_coverage([4, 2]), 1, id="PC of a single list"),
        pytest.param(lambda: prediction_coverage(np.empty((0, 3), int)), nan, id="PC of no list"),
        pytest.param(lambda: prediction_coverage([]), nan, id="PC of nothing"),
        pytest.param(lambda: prediction_coverage([[]]), 0, id="PC of an empty list"),
        pytest.param(
            lambda: prediction_coverage_terms([[4, -1], [-1, -1], [0, 1]]),
            [1, 0, 1],
            id="terms of PC",
        ),
        pytest.param(lambda: catalog_coverage([[4, 2], [2, -1]], 8), 1 / 4, id="CC"),
        pytest.param(lambda: catalog_coverage([-1, -1], 3), 0, id="CC of nothing"),
        pytest.param(lambda: catalog_coverage([0], 10**15), 1e-15, id="CC of a huge catalogue"),
        pytest.param(
            lambda: long_tail_percentage([[0, 2], [3, -1]], [1, 0, 0, 0]), 2 / 3, id="LTP"
        ),
        pytest.param(lambda: long_tail_percentage([-1], [True]), nan, id="LTP of nothing"),
        pytest.param(
            lambda: long_tail_percentage_terms([[0, 2, 3], [3, -1, -1]], [1, 0, 0, 0]),
            [2, 1],
            id="terms of LTP",
        ),
        pytest.param(
            lambda: long_tail_percentage_terms([1, 0], [1, 0]), [1], id="terms of a single list"
        ),
        pytest.param(lambda: user_novelty([True, False, False, nan]), 2 / 3, id="user novelty"),
        pytest.param(lambda: user_novelty_terms([1, 0, nan]), [0, 1, 0], id="terms of novelty"),
        pytest.param(lambda: seen_share([1, 0, 0, nan]), 1 / 3, id="seen share"),
        pytest.param(lambda: user_novelty([nan, nan]), nan, id="user novelty of an empty list"),
        pytest.param(lambda: temporal_novelty([0]), 1 / np.log(2.72), id="new today"),
        pytest.param(
            lambda: temporal_novelty([0, 7, nan]),
            (1 / np.log(2.72) + 1 / np.log(9.72)) / 2,
            id="temporal novelty",
        ),
        pytest.param(
            lambda: temporal_novelty_terms([0, nan]),
            [1 / np.log(2.72), 0],
            id="terms of temporal novelty",
        ),
        pytest.param(lambda: temporal_novelty([nan]), nan, id="temporal novelty of nothing"),
        pytest.param(
            lambda: intra_list_diversity([[1, 0.5, 0], [0.5, 1, 0.25], [0, 0.25, 1]]),
            0.75,
            id="ILD",
        ),
        pytest.param(
            lambda: intra_list_diversity([[1, 0.5, nan], [0.5, 1, nan], [nan] * 3]),
            0.5,
            id="ILD of a short list",
        ),
        pytest.param(
            lambda: intra_list_diversity([[1, 0.5], [0.25, 1]]), 0.625, id="ILD, not symmetric"
        ),
        pytest.param(lambda: intra_list_diversity([[1.0]]), nan, id="ILD of one item"),
        pytest.param(
            lambda: intra_list_diversity_terms([[1, 0.5], [0.25, 1]]),
            [[0, 0.5], [0.75, 0]],
            id="terms of ILD",
        ),
        pytest.param(lambda: intra_list_diversity(np.empty((0, 0))), nan, id="ILD of no item"),
    ],
)
def test_metrics_beyond_accuracy_by_hand(call, expected):
    value = call()
    assert np.shape(value) == np.shape(expected)
    assert_allclose(value, expected, rtol=1e-15)


@pytest.mark.parametrize(
    ("awards", "share", "inside", "outside"),
    [
        pytest.param([1, 5, 2, 2], 0.6, [0, 1, 1, 0], [0, 1, 0, 0], id="the crossing item"),
        pytest.param([1, 5, 2, 2], 0.5, [0, 1, 0, 0], [0, 1, 0, 0], id="exactly reached"),
        pytest.param([9, 1], 0.2, [1, 0], [0, 0], id="one item holds nearly all"),
        pytest.param([2, 2, 2], 0.5, [1, 1, 0], [1, 0, 0], id="ties by item order"),
        pytest.param([0, 1, 0], 0.2, [0, 1, 0], [0, 0, 0], id="one award"),
        pytest.param([0, 3, 0], 1, [0, 1, 0], [0, 1, 0], id="all awards need no more items"),
        pytest.param([1] * 100, 0.07, [1] * 7 + [0] * 93, [1] * 7 + [0] * 93, id="0.07 is 7/100"),
        pytest.param([1] * 10, 0.3, [1] * 3 + [0] * 7, [1] * 3 + [0] * 7, id="0.3 is 3/10"),
        pytest.param([2, 1], 1, [1, 1], [1, 1], id="all items"),
        pytest.param([3, 0, 1], 1, [1, 0, 1], [1, 0, 1], id="an item without awards"),
        pytest.param([5, 0, 5], 0.5, [1, 0, 0], [1, 0, 0], id="half of all"),
        pytest.param([2**62] * 4 + [1], 0.2, [1, 0, 0, 0, 0], [0] * 5, id="beyond 64 bits"),
        pytest.param([2**62] * 4 + [1], 0.5, [1, 1, 1, 0, 0], [1, 1, 0, 0, 0], id="half of that"),
        pytest.param([2**62] * 2, 0.5, [1, 0], [1, 0], id="exactly half of 2 to the 63"),
        # Half of all is 2**59 + 100, in float64 2**59 + 128.
        pytest.param([2**59 + 110, 2**59 + 90], 0.5, [1, 0], [0, 0], id="too near for floats"),
    ],
)
def test_short_head(awards, share, inside, outside):
    for crossing, expected in (("inside", inside), ("outside", outside)):
        head = short_head(awards, share=share, crossing=crossing)
        assert_array_equal(head, np.array(expected, bool), strict=True)


def test_padding_does_not_change_the_last_bit():
    rng = np.random.default_rng(1)
    for n in range(2, 40, 3):
        similarity, days = rng.random((n, n)), rng.integers(0, 900, n)
        longer = np.pad(similarity, (0, 150), constant_values=nan)
        assert intra_list_diversity(longer) == intra_list_diversity(similarity)
        assert temporal_novelty([*days, *[nan] * 150]) == temporal_novelty(days)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: prediction_coverage([[1, -2]]), r"items must be .*; got -2 at index \[0, 1\]"),
        (lambda: prediction_coverage([[1.5]]), r"items must hold whole numbers; got 1.5"),
        (
            lambda: prediction_coverage(np.zeros((2, 2, 2), int)),
            r"items must have the axes \(lists, rank\); got \(2, 2, 2\)$",
        ),
        (lambda: prediction_coverage(3), r"items must be a list or an array; got"),
        (
            lambda: catalog_coverage([[0, 3]], 3),
            r"items must lie in the catalogue of 3 items \(0 to 2\); got 3 at index \[0, 1\]$",
        ),
        (
            lambda: catalog_coverage([[0, 1], [2, 2]], 3),
            r"items must hold each item at most once; got 2 at index \[1, 1\]$",
        ),
        (
            lambda: long_tail_percentage([2, -1, 1, -1, 2], [1, 0, 0]),
            r"items must hold each item at most once; got 2 at index \[0, 4\]$",
        ),
        (lambda: catalog_coverage([[0]], 0), r"n_items must be a positive integer; got 0"),
        (lambda: catalog_coverage([["a"]], 2), r"items must hold whole numbers; got type <U1"),
        (
            lambda: long_tail_percentage([[2]], [1, 0]),
            r"items must lie in the catalogue of 2 items \(0 to 1\); got 2",
        ),
        (lambda: long_tail_percentage([[1]], [[1, 0]]), r"in_head must be True or False"),
        (lambda: long_tail_percentage([[1]], [0.5, 0]), r"in_head must be boolean.*; got 0.5"),
        (lambda: short_head([1, -1]), r"awards must be at least 0; got -1 at index 1"),
        (lambda: short_head([0, 0]), r"awards must hold at least one award; got none$"),
        (lambda: short_head([1.5]), r"awards must hold whole numbers; got 1.5"),
        (lambda: short_head([1], share=0), r"share must be a number in \(0, 1\]; got 0"),
        (lambda: short_head([1], share=1.1), r"share must be a number in \(0, 1\]; got 1.1"),
        (lambda: short_head([1], share=nan), r"share must be a number in \(0, 1\]; got nan"),
        (lambda: short_head([1], share=True), r"share must be a number in \(0, 1\]; got True"),
        (lambda: short_head([1], share=10**400), r"share must be a number in \(0, 1\]; got 1000"),
        (lambda: short_head([1], share="0.2"), r"share must be a number .*; got '0.2'"),
        (lambda: short_head([1], crossing="in"), r"crossing must be one of 'inside', 'outside'"),
        (lambda: user_novelty([0.5]), r"seen must be boolean, or 0 and 1; got 0.5"),
        (lambda: seen_share([nan, 1]), r"seen must have NaN only at the tail"),
        (
            lambda: temporal_novelty([-1]),
            r"days must be at least 0; got -1.0 at index 0. An item's date lies in the future$",
        ),
        (lambda: temporal_novelty([np.inf]), r"days must be finite; got inf"),
        (lambda: intra_list_diversity([[1, 0]]), r"similarity must be square .* got \(1, 2\)"),
        (lambda: intra_list_diversity([1, 0]), r"similarity must be square"),
        (
            lambda: intra_list_diversity([[1, nan], [0, 1]]),
            rf"{PAIRS_OF_ITEMS}; got nan at index \[0, 1\]\. ",
        ),
        (lambda: intra_list_diversity([[1, np.inf], [0, 1]]), r"similarity must be finite"),
        (
            lambda: intra_list_diversity([[nan, 0.5], [0.5, nan]]),
            (
                rf"{PAIRS_OF_ITEMS}; got 0.5 at index \[0, 1\], 0.5 at index \[1, 0\]. "
                r"The diagonal distinguishes an item \(give it 1\) from an empty rank \(NaN\), "
                r"which is last$"
            ),
        ),
        *(
            (
                lambda table=table: intra_list_diversity(table),
                rf"{rule}; got {where}",
            )
            for table, rule, where in (
                ([[nan, nan], [nan, 1]], DIAGONAL, "nan at index 0"),
                ([[1, nan], [0.5, nan]], PAIRS_OF_ITEMS, r"0.5 at index \[1, 0\]"),
                ([[1, 0.5], [nan, nan]], PAIRS_OF_ITEMS, r"0.5 at index \[0, 1\]"),
                ([[1, nan, 0.5], [nan, nan, nan], [0.5, nan, 1]], DIAGONAL, "nan at index 1"),
                (
                    [[[1, 0.5], [0.5, 1]], [[nan, nan], [nan, 1]]],
                    DIAGONAL,
                    r"nan at index \[1, 0\]",
                ),
            )
        ),
        (
            lambda: intra_list_diversity([[1, -1e308, -1e308]] * 3),
            r"similarity must be small enough",
        ),
        (lambda: intra_list_diversity([[1, -1e308], [-1e308, 1]]), r"similarity must be small"),
    ],
)
def test_refuses(call, message):
    with pytest.raises(InputError, match=f"^{message}"):
        call()
