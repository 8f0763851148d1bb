"""Figures refuse what they cannot draw, and name it."""

import numpy as np
import pandas as pd
import pytest

from receval import InputError, plots
from receval.fuzzy import goedel

TRUTH = {"G2": 0.5, "G3": 0.3}
TABLE = pd.DataFrame({"a": [1, 2], "b": [2, 1]}, index=["ann", "ben"])
INTERVALS = pd.DataFrame(
    {"value": 1.0, "low": 0.0, "high": 2.0}, pd.MultiIndex.from_tuples([("A", "IG")])
)
CELLS = pd.MultiIndex.from_tuples([("AUC", "CTR")], names=["metric", "measure"])
LIFTS = pd.DataFrame({"lift": [0.3], "critical": 0.6}, CELLS)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: plots.connective_maps([lambda b, h: h - b]),
            InputError,
            r"value of function must be in \[0, 1\]",
        ),
        (lambda: plots.connective_maps([]), InputError, "functions must have at least one"),
        (
            lambda: plots.connective_maps([goedel], points=[(0.5, 0), (1.2, 1)]),
            InputError,
            r"points must be in \[0, 1\]; got 1.2 at index",
        ),
        (
            lambda: plots.slope_chart(TRUTH, {1: 0.5}),
            InputError,
            "must name cases by ids of one type; got text and number",
        ),
        (
            lambda: plots.slope_chart(TRUTH, {"G2": np.nan}),
            InputError,
            "retrieved must have finite numbers as similarities",
        ),
        (
            lambda: plots.heatmap(TABLE[:0], label="nDCG"),
            InputError,
            "table must have at least one row",
        ),
        (lambda: plots.metric_heatmap(TABLE, "true"), KeyError, "true"),
        (lambda: plots.metric_heatmap(TABLE, "a", framed=["a", "true"]), ValueError, "true"),
        (lambda: plots.group_map(TABLE, [2, "a"]), ValueError, "2"),
        (
            lambda: plots.group_map(TABLE, ["a"], satisfaction=pd.Series({"ann": 0.5})),
            KeyError,
            "ben",
        ),
        (lambda: plots.online_intervals_map(INTERVALS, measures=["CTR"]), KeyError, "CTR"),
        (lambda: plots.lift_map(LIFTS, metric_groups={"MAP": "ranking"}), KeyError, "AUC"),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()
