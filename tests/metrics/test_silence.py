"""The value to count for a silent answer."""

import math

import pytest
from retrieval_strategies import READINGS

from receval.metrics import retrieval

TRUTH = {"a": 0.9, "b": 0.5, "c": 0.2, "d": 0.1}
NAMES = [
    name + (f"({', '.join(f'{k}={v}' for k, v in reading.items())})" if reading else "")
    for name, reading in READINGS
]
ERRORS = [0.9, 0.5, 0.8, 0.9]  # the largest that each place of TRUTH allows
SILENCE = {  # of each metric and reading, without a cut-off and at k = 3
    **dict.fromkeys(NAMES, (0, 0)),
    "mae": (sum(ERRORS) / 4, sum(ERRORS[:3]) / 3),
    "mae(pairing=case)": (sum(ERRORS) / 4, 0.9),
    "mse": (sum(e**2 for e in ERRORS) / 4, sum(e**2 for e in ERRORS[:3]) / 3),
    "mse(pairing=case)": (sum(e**2 for e in ERRORS) / 4, 0.81),
    "quality_stromer(count=misses)": (1, 1),
    "quality_stromer(cutoff=literal, count=misses)": (1, 1),
    "distance": (3, 2),
    "distance(ranks=tied)": (3, 2),
}


@pytest.mark.parametrize(("place", "k"), [(0, None), (1, 3)])
def test_silence_by_hand(place, k):
    for label, (name, reading) in zip(NAMES, READINGS, strict=True):
        found = retrieval.silence(getattr(retrieval, name), TRUTH, k=k, **reading)
        assert found == pytest.approx(SILENCE[label][place]), label


def test_silence_is_undefined_where_the_truth_itself_has_no_value():
    tied = dict.fromkeys(TRUTH, 0.5)
    assert math.isnan(retrieval.silence(retrieval.spearman, tied))
    assert math.isnan(retrieval.silence(retrieval.correctness, tied))
    assert retrieval.silence(retrieval.hits, tied) == 0


def test_the_distance_of_silence_follows_the_number_of_places():
    assert retrieval.silence(retrieval.distance, TRUTH, places=6) == 5
    assert retrieval.silence(retrieval.distance, TRUTH, k=3, places=6) == 2
    assert math.isnan(retrieval.silence(retrieval.distance, TRUTH, k=1))
